/* Makes the data of templates/timeline.html: a drawing that needs no script, and the data of the interactive viewer. */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_TIMELINE_DATA_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_TIMELINE_DATA_H

#include "webreport/document/section.h"
#include "webreport/measure/charts/timeline.h"

/* Returns an object with the members that timeline.html needs, in the arena of `naming`; kind NONE for a timeline
 * without slices. band: critical path of the close-up; NULL for none. The timeline is borrowed. */
struct tp_data tp_timeline_data(const struct tp_timeline *timeline, const struct tp_naming *naming,
                                const struct tp_band *band);

/* Returns the section with the timeline; kind NONE if the profile has no timeline. */
struct tp_data tp_section_timeline(const struct tp_section *section);

#endif
