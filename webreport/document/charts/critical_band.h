/* Makes the band of the timeline that shows the critical path. */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_CRITICAL_BAND_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_CRITICAL_BAND_H

#include "webreport/document/section.h"
#include "webreport/measure/charts/timeline.h"

/* Returns the critical path from start_ns to end_ns, on the trace's clock, as a band in section->arena. Parts shorter
 * than finest_ns are joined with their neighbors; such a part has the color and the name of the work with the most
 * time. The color of a part is its enum tp_path_group. The band is empty if the page does not show the replay. */
struct tp_band tp_critical_band(const struct tp_section *section, int64_t start_ns, int64_t end_ns, int64_t finest_ns);

/* Returns the band for the viewer: all of the critical path, with most detail in the step that the page shows. step:
 * index of this step; TP_NO_ID for none. */
struct tp_band tp_critical_band_for_viewer(const struct tp_section *section, uint32_t step);

#endif
