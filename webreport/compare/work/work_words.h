/* Returns a sentence for a change in the work of a step, such as "+1 aten::item a step in train_step; the host waits
 * for the value". */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_WORDS_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_WORDS_H

#include "webreport/compare/work/work_diff.h"

const char *tp_work_change_sentence(const struct tp_work_change *change, struct tp_arena *arena);

#endif
