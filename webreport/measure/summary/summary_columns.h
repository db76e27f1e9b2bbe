/* The columns of the message SummaryProcess (writer/proto/summary.proto): the struct member that each one stores, and
 * how.
 *
 *
 * A list of structs is one row of tp_summary_lists: packing, unpacking and the check that its columns have equal
 * lengths all use this row. Computed columns have the code COMPUTED and are filled where the list is packed. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COLUMNS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COLUMNS_H

#include "webreport/measure/summary/summary_unpack.h"
#include "writer/base/arena.h"
#include "writer/base/keys.h"

/* Makes a column `field` of the message *to, with `count` zeroed items, in `arena`. */
#define TP_COLUMN_OF(to, arena, field, count)                                                                          \
    ((to)->n_##field = (count), (to)->field = tp_arena_array((arena), (to)->n_##field, sizeof *(to)->field))

enum tp_list {
    TP_LIST_METRICS,
    TP_LIST_FACTS, /* struct tp_summary_fact */
    TP_LIST_STEPS, /* struct tp_summary_step */
    TP_LIST_LEFT_OUT,
    TP_LIST_PARTS,
    TP_LIST_ROWS, /* struct tp_summary_row */
    TP_LIST_SPANS,
    TP_LIST_BUCKETS,
    TP_LIST_CELLS,
    TP_LIST_COLLECTIVES, /* struct tp_summary_collective */
    TP_LIST_FINDINGS,    /* struct tp_summary_finding */
    TP_LIST_DEVICES,     /* struct tp_summary_memory */
    TP_LIST_OWNERS,      /* struct tp_summary_owner */
    TP_LIST_FLAGS,       /* struct tp_summary_flag */
    TP_LIST_EVIDENCE,
    TP_LIST_LABELS,
    TP_LIST_OVERLAP,
    TP_LIST_RECORDS, /* struct tp_rank_record */
    TP_LIST_META,
    TP_LIST_RANGES,
    TP_LIST_GPUS, /* struct tp_rank_gpu */
    TP_LIST_WORK, /* struct tp_count_key */
    TP_LIST_WORK_PLACES,
    TP_LIST_WORK_LANES,
    TP_LIST_CALL_KEYS,
    TP_LIST_CALLS,
    TP_LIST_KEPT,      /* struct tp_count_kept */
    TP_LIST_FUNCTIONS, /* struct tp_count_function */
    TP_LIST_GROUPS,    /* struct tp_slot_group */
    TP_LIST_RUNS,      /* struct tp_rank_stride */
    TP_LIST_SLOTS,     /* struct tp_slot */
    TP_LIST_SLOT_STEPS,
    TP_LIST_LENGTHS,
    TP_LIST_COUNT
};

/* Allocates all columns of a list, with `count` zeroed items. */
void tp_columns_make(enum tp_list list, struct Tp__SummaryProcess *to, size_t count, struct tp_arena *arena);

/* Writes the struct at `item` as item `at` of a list. Differences are to the previous struct in memory. */
void tp_columns_put(enum tp_list list, struct Tp__SummaryProcess *to, size_t at, const void *item,
                    struct tp_strings *texts);

/* Makes the columns of a list and writes `count` structs. */
void tp_columns_pack(enum tp_list list, struct Tp__SummaryProcess *to, const void *items, size_t count,
                     struct tp_strings *texts, struct tp_arena *arena);

/* Reads a list into an array of structs in the arena; *count receives its length. Members without a column are 0.
 * Impossible values set unpack->is_bad. */
void *tp_columns_unpack(enum tp_list list, struct tp_unpack *unpack, uint32_t *count);

/* Return whether the columns of each list have equal lengths; whether a column has more than `most` items. */
bool tp_columns_are_even(const struct Tp__SummaryProcess *from);
bool tp_columns_are_longer(const struct Tp__SummaryProcess *from, size_t most);

/* Returns the number of a text in the message: its index among the file's texts + 1; 0: the text is empty. */
static inline uint32_t tp_column_text(struct tp_strings *texts, struct tp_str text)
{
    return text.len ? tp_strings_add(texts, text) + 1 : 0;
}

#endif
