/* Data of the call tree for templates/calltree.html: boxes of the icicle, which works without a script, and the tree as
 * JSON for zooming. */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_CALLTREE_DATA_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_CALLTREE_DATA_H

#include "webreport/document/section.h"
#include "webreport/measure/charts/calltree.h"

/* Returns an object with the members of calltree.html, in `arena`; kind NONE for an empty tree. tree is borrowed. */
struct tp_data tp_calltree_data(struct tp_arena *arena, const struct tp_calltree *tree);

/* Returns the section of the page; kind NONE if the profile has no calls. */
struct tp_data tp_section_calltree(const struct tp_section *section);

#endif
