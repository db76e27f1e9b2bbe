/* Columns of a summary's message, for the files that pack a part of it. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COLUMNS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COLUMNS_H

#include "writer/base/arena.h"
#include "writer/base/keys.h"

/* A column `field` of the message *to, of `count` items, zeroed, in `arena`. */
#define TP_COLUMN_OF(to, arena, field, count)                                                                          \
    ((to)->n_##field = (count), (to)->field = tp_arena_array((arena), (to)->n_##field, sizeof *(to)->field))

/* The number that stands for a text in the message: its place among the file's texts + 1; 0: it is empty. */
static inline uint32_t tp_column_text(struct tp_strings *texts, struct tp_str text)
{
    return text.len ? tp_strings_add(texts, text) + 1 : 0;
}

#endif
