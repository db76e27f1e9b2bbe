/* Writes the counts that differ between two stored runs as text. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_HISTORY_COUNTS_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_HISTORY_COUNTS_H

#include "webreport/compare/gate/history.h"

/* Returns the counts that differ between two runs, such as ", kernels.per_step 620 -> 622", or "". The text is in
 * `arena`. */
const char *tp_history_changed_counts_text(struct tp_arena *arena, const struct tp_history_run *before,
                                           const struct tp_history_run *after);

#endif
