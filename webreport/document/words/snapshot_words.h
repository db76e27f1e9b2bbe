/* Words the findings and the headline of a memory snapshot. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_SNAPSHOT_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_SNAPSHOT_WORDS_H

#include "webreport/measure/snapshot/snapshot_result.h"

/* Fills the texts and actions of all findings, and the headline of each device. The texts are in `arena`. */
void tp_fill_snapshot_texts(struct tp_snapshot_result *result, struct tp_arena *arena);

/* Returns a size with two decimals, such as "1.03 GiB", or in bytes below 1 KiB. In `arena`. */
const char *tp_snapshot_size_text(uint64_t bytes, struct tp_arena *arena);

#endif
