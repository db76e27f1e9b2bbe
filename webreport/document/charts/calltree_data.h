/* Makes the data of templates/calltree.html: boxes of the icicle, which needs no script, and the tree as JSON for
 * zooming. */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_CALLTREE_DATA_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_CALLTREE_DATA_H

#include "webreport/document/section.h"
#include "webreport/measure/charts/calltree.h"

/* Returns an object with the members that calltree.html needs, in `arena`; kind NONE for an empty tree. The tree is
 * borrowed. */
struct tp_data tp_calltree_data(struct tp_arena *arena, const struct tp_calltree *tree);

/* Returns the section with the call tree; kind NONE if the profile has no calls. */
struct tp_data tp_section_calltree(const struct tp_section *section);

#endif
