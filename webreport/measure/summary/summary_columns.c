/* The columns of a summary's lists, and how each stores a member. See summary_columns.h. */
#include "webreport/measure/summary/summary_columns.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/rules/rules.h"
#include "writer/proto/summary.pb-c.h"

/* The way a member is stored. The types of the column and of the member are checked at the table row. */
enum code {
    COMPUTED,
    TEXT,         /* number of a text; 0: empty */
    TEXT_OR_NULL, /* 1 + number of a text; 0: no text */
    INT,          /* int64_t as it is */
    DELTA,        /* int64_t, difference to the previous struct; differences wrap around, and so do their sums */
    AMOUNT,       /* int64_t that is not negative */
    COUNT,        /* uint32_t as it is */
    ID,           /* index + 1; 0: TP_NO_ID */
    KIND,         /* an enumeration, at most `most` */
    BYTE,         /* uint8_t, at most `most` */
    REAL,         /* double; each NaN is written with the same bits */
    FLAG,
};

#define COLUMN_TEXT uint32_t
#define COLUMN_TEXT_OR_NULL uint32_t
#define COLUMN_INT int64_t
#define COLUMN_DELTA int64_t
#define COLUMN_AMOUNT uint64_t
#define COLUMN_COUNT uint32_t
#define COLUMN_ID uint32_t
#define COLUMN_KIND uint32_t
#define COLUMN_BYTE uint32_t
#define COLUMN_REAL double
#define COLUMN_FLAG protobuf_c_boolean
#define MEMBER_TEXT struct tp_str
#define MEMBER_TEXT_OR_NULL struct tp_str
#define MEMBER_INT int64_t
#define MEMBER_DELTA int64_t
#define MEMBER_AMOUNT int64_t
#define MEMBER_COUNT uint32_t
#define MEMBER_ID uint32_t
#define MEMBER_KIND unsigned
#define MEMBER_BYTE uint8_t
#define MEMBER_REAL double
#define MEMBER_FLAG bool

struct column {
    size_t count_at, at; /* offsets in the message: of the number of items, and of the items */
    size_t offset;       /* of the member in the struct */
    size_t size, width;  /* bytes of the member, and of an item of the column */
    enum code code;
    uint32_t most;
};

#define MESSAGE ((Tp__SummaryProcess *)0)
#define IN_MESSAGE(field)                                                                                              \
    .count_at = offsetof(Tp__SummaryProcess, n_##field), .at = offsetof(Tp__SummaryProcess, field),                    \
    .width = sizeof *MESSAGE->field
#define UP_TO(most_, code_, field, type, member)                                                                       \
    {                                                                                                                  \
        IN_MESSAGE(field),                                                                                             \
            .code = _Generic(MESSAGE->field, COLUMN_##code_ *                                                          \
                             : code_),                                                                                 \
            .offset = _Generic(&((type *)0)->member, MEMBER_##code_ *                                                  \
                               : offsetof(type, member)),                                                              \
            .size = sizeof((type *)0)->member, .most = (most_)                                                         \
    }
#define UNLIMITED(...) UP_TO(UINT32_MAX, __VA_ARGS__)
#define MADE(field)                                                                                                    \
    {                                                                                                                  \
        IN_MESSAGE(field), .code = COMPUTED                                                                            \
    }

static const struct column metrics[] = {MADE(metric_name), MADE(metric_value), MADE(metric_why)};

#define S struct tp_summary_fact
static const struct column facts[] = {UNLIMITED(TEXT, fact_name, S, name), UNLIMITED(TEXT, fact_value, S, value)};
#undef S

#define S struct tp_summary_step
static const struct column steps[] = {
    UNLIMITED(TEXT, step_name, S, name),
    UNLIMITED(DELTA, step_start_ns, S, start_ns),
    UNLIMITED(INT, step_total_ns, S, total_ns),
};
#undef S
static const struct column left_out[] = {MADE(left_out_step)};
static const struct column parts[] = {MADE(part)};

#define S struct tp_summary_row
static const struct column rows[] = {
    UNLIMITED(KIND, row_kind, S, kind), /* a larger kind is from a newer version */
    UNLIMITED(TEXT, row_name, S, name),
    UNLIMITED(TEXT, row_owner, S, owner),
    UNLIMITED(TEXT, row_shape, S, shape),
    UNLIMITED(TEXT, row_dtype, S, dtype),
    UNLIMITED(INT, row_bytes, S, bytes),
    UNLIMITED(AMOUNT, row_count, S, time.count),
    UNLIMITED(AMOUNT, row_min_ns, S, time.min_ns),
    MADE(row_span_ns),
    MADE(row_excess_ns),
    MADE(row_has_steps),
};
#undef S
static const struct column spans[] = {MADE(row_deviation), MADE(row_buckets)};
static const struct column buckets[] = {MADE(bucket), MADE(bucket_count)};
static const struct column cells[] = {MADE(by_step_ns), MADE(by_step_count)};

#define S struct tp_summary_collective
static const struct column collectives[] = {
    UNLIMITED(TEXT, collective_name, S, name),
    UNLIMITED(TEXT, collective_group, S, group),
    UNLIMITED(TEXT, collective_dtype, S, dtype),
    UNLIMITED(DELTA, collective_sequence, S, sequence),
    UNLIMITED(INT, collective_bytes, S, bytes),
    UNLIMITED(INT, collective_group_size, S, group_size),
    UNLIMITED(DELTA, collective_arrival_ns, S, arrival_ns),
    UNLIMITED(INT, collective_duration_ns, S, duration_ns),
    UNLIMITED(ID, collective_step, S, step),
};
#undef S

#define S struct tp_summary_finding
static const struct column findings[] = {
    UNLIMITED(TEXT, finding_rule, S, rule),
    UNLIMITED(TEXT, finding_title, S, title),
    UP_TO(TP_SEVERITY_INFO, BYTE, finding_severity, S, severity),
    UP_TO(TP_CONFIDENCE_HIGH, BYTE, finding_confidence, S, confidence),
    UNLIMITED(REAL, finding_ceiling_us, S, ceiling_us_per_step),
    UNLIMITED(INT, finding_occurrences, S, occurrences),
    UNLIMITED(TEXT, finding_line, S, file_line),
    UNLIMITED(TEXT, finding_detail, S, detail),
};
#undef S

#define S struct tp_summary_memory
static const struct column devices[] = {
    UNLIMITED(TEXT, memory_device, S, device),
    UNLIMITED(INT, memory_peak_bytes, S, peak_allocated_bytes),
    UNLIMITED(INT, memory_reserved_bytes, S, peak_reserved_bytes),
    UNLIMITED(REAL, memory_creep, S, creep_bytes_per_step),
    UNLIMITED(COUNT, memory_owners, S, owner_count),
};
#undef S

#define S struct tp_summary_owner
static const struct column owners[] = {
    UP_TO(TP_OWNER_LINE, KIND, owner_kind, S, kind),
    UNLIMITED(TEXT, owner_name, S, name),
    UNLIMITED(INT, owner_bytes, S, bytes),
    UNLIMITED(INT, owner_blocks, S, blocks),
};
#undef S

#define S struct tp_summary_flag
static const struct column flags[] = {UNLIMITED(TEXT, flag_name, S, name), UNLIMITED(INT, flag_count, S, count)};
#undef S

static const struct column evidence[] = {MADE(evidence_name), MADE(evidence_word), MADE(evidence_number)};
static const struct column labels[] = {MADE(label)};
static const struct column overlap[] = {MADE(overlap_step), MADE(overlap_computation_ns),
                                        MADE(overlap_communication_ns), MADE(overlap_both_ns), MADE(overlap_other_ns)};

#define S struct tp_rank_record
static const struct column records[] = {
    UNLIMITED(TEXT, record_name, S, name),
    UNLIMITED(ID, record_step, S, step),
    UNLIMITED(COUNT, record_ranges, S, range_count),
    UNLIMITED(COUNT, record_kernels, S, kernel_count),
    UNLIMITED(INT, record_kernel_ns, S, kernel_time_ns),
    UNLIMITED(INT, record_bytes, S, bytes),
};
#undef S
static const struct column meta[] = {MADE(record_meta)};
static const struct column ranges[] = {MADE(range_start_ns), MADE(range_length_ns)};

#define S struct tp_rank_gpu
static const struct column gpus[] = {
    UNLIMITED(INT, gpu_id, S, id),
    UNLIMITED(INT, gpu_memory_bytes, S, memory_bytes),
    UNLIMITED(TEXT_OR_NULL, gpu_name, S, name),
    UNLIMITED(TEXT_OR_NULL, gpu_capability, S, compute_capability),
};
#undef S

#define S struct tp_count_key
static const struct column work[] = {
    UP_TO(TP_COUNT_KINDS - 1, BYTE, work_kind, S, kind),
    UNLIMITED(TEXT, work_name, S, name),
    UNLIMITED(TEXT, work_dims, S, dims),
    UNLIMITED(TEXT, work_detail, S, detail),
    UNLIMITED(AMOUNT, work_count, S, count),
};
#undef S
static const struct column places[] = {MADE(work_place)};
static const struct column lanes[] = {MADE(work_lane)};
static const struct column call_keys[] = {MADE(work_call_key), MADE(work_call_depth), MADE(work_call_place)};
static const struct column calls[] = {MADE(work_call)};

#define S struct tp_count_kept
static const struct column kept[] = {
    UNLIMITED(TEXT, kept_operator, S, operator), UNLIMITED(TEXT, kept_place, S, place),
    UNLIMITED(AMOUNT, kept_blocks, S, blocks),   UNLIMITED(AMOUNT, kept_bytes, S, bytes),
    UNLIMITED(FLAG, kept_is_exact, S, is_exact),
};
#undef S

#define S struct tp_count_function
static const struct column functions[] = {
    UNLIMITED(TEXT, loader_place, S, place),       UNLIMITED(AMOUNT, loader_calls, S, calls),
    UNLIMITED(AMOUNT, loader_low_ns, S, low_ns),   UNLIMITED(COUNT, loader_seen, S, seen),
    UNLIMITED(FLAG, loader_is_exact, S, is_exact),
};
#undef S

#define S struct tp_slot_group
static const struct column groups[] = {
    UNLIMITED(TEXT, group_name, S, name),
    UNLIMITED(TEXT, group_description, S, description),
    UNLIMITED(INT, group_size, S, size),
    UNLIMITED(COUNT, group_runs, S, run_count),
};
#undef S

#define S struct tp_rank_stride
static const struct column runs[] = {
    UNLIMITED(INT, run_first, S, first),
    UNLIMITED(INT, run_stride, S, stride),
    UNLIMITED(INT, run_length, S, length),
};
#undef S

static const struct column slots[] = {UNLIMITED(ID, slot_group, struct tp_slot, group),
                                      UNLIMITED(COUNT, slot_calls, struct tp_slot, calls)};
static const struct column slot_steps[] = {MADE(slot_step)};
static const struct column lengths[] = {MADE(slot_kernel_us), MADE(slot_pause_us), MADE(slot_input_us),
                                        MADE(slot_within_us)};

#define OF(columns, type)                                                                                              \
    {                                                                                                                  \
        columns, sizeof(columns) / sizeof *(columns), sizeof(type)                                                     \
    }
#define OF_NUMBERS(columns)                                                                                            \
    {                                                                                                                  \
        columns, sizeof(columns) / sizeof *(columns), 0                                                                \
    }

static const struct list {
    const struct column *columns;
    unsigned count;
    size_t item_size; /* size of the struct; 0: the list has no struct */
} lists[TP_LIST_COUNT] = {
    [TP_LIST_METRICS] = OF_NUMBERS(metrics),
    [TP_LIST_FACTS] = OF(facts, struct tp_summary_fact),
    [TP_LIST_STEPS] = OF(steps, struct tp_summary_step),
    [TP_LIST_LEFT_OUT] = OF_NUMBERS(left_out),
    [TP_LIST_PARTS] = OF_NUMBERS(parts),
    [TP_LIST_ROWS] = OF(rows, struct tp_summary_row),
    [TP_LIST_SPANS] = OF_NUMBERS(spans),
    [TP_LIST_BUCKETS] = OF_NUMBERS(buckets),
    [TP_LIST_CELLS] = OF_NUMBERS(cells),
    [TP_LIST_COLLECTIVES] = OF(collectives, struct tp_summary_collective),
    [TP_LIST_FINDINGS] = OF(findings, struct tp_summary_finding),
    [TP_LIST_DEVICES] = OF(devices, struct tp_summary_memory),
    [TP_LIST_OWNERS] = OF(owners, struct tp_summary_owner),
    [TP_LIST_FLAGS] = OF(flags, struct tp_summary_flag),
    [TP_LIST_EVIDENCE] = OF_NUMBERS(evidence),
    [TP_LIST_LABELS] = OF_NUMBERS(labels),
    [TP_LIST_OVERLAP] = OF_NUMBERS(overlap),
    [TP_LIST_RECORDS] = OF(records, struct tp_rank_record),
    [TP_LIST_META] = OF_NUMBERS(meta),
    [TP_LIST_RANGES] = OF_NUMBERS(ranges),
    [TP_LIST_GPUS] = OF(gpus, struct tp_rank_gpu),
    [TP_LIST_WORK] = OF(work, struct tp_count_key),
    [TP_LIST_WORK_PLACES] = OF_NUMBERS(places),
    [TP_LIST_WORK_LANES] = OF_NUMBERS(lanes),
    [TP_LIST_CALL_KEYS] = OF_NUMBERS(call_keys),
    [TP_LIST_CALLS] = OF_NUMBERS(calls),
    [TP_LIST_KEPT] = OF(kept, struct tp_count_kept),
    [TP_LIST_FUNCTIONS] = OF(functions, struct tp_count_function),
    [TP_LIST_GROUPS] = OF(groups, struct tp_slot_group),
    [TP_LIST_RUNS] = OF(runs, struct tp_rank_stride),
    [TP_LIST_SLOTS] = OF(slots, struct tp_slot),
    [TP_LIST_SLOT_STEPS] = OF_NUMBERS(slot_steps),
    [TP_LIST_LENGTHS] = OF_NUMBERS(lengths),
};

/* ---- packing ---- */

void tp_columns_make(enum tp_list list, Tp__SummaryProcess *to, size_t count, struct tp_arena *arena)
{
    for (unsigned i = 0; i < lists[list].count; i++) {
        const struct column *column = &lists[list].columns[i];
        void *items = tp_arena_array(arena, count, column->width);
        memcpy((char *)to + column->count_at, &count, sizeof count);
        memcpy((char *)to + column->at, &items, sizeof items);
    }
}

/* Returns the items of a column. */
static char *items_of(const Tp__SummaryProcess *message, const struct column *column)
{
    char *items;
    memcpy(&items, (const char *)message + column->at, sizeof items);
    return items;
}

static size_t length_of(const Tp__SummaryProcess *message, const struct column *column)
{
    size_t length;
    memcpy(&length, (const char *)message + column->count_at, sizeof length);
    return length;
}

/* A member of a struct, or an item of a column. */
union value {
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    uint8_t u8;
    double real;
    bool is_true;
    protobuf_c_boolean flag;
    struct tp_str text;
};

/* Returns the item for a member; before: the member of the previous struct, 0 at first. */
static union value put(const struct column *column, union value from, union value before, struct tp_strings *texts)
{
    union value to = {0};
    switch (column->code) {
    case COMPUTED:
        break;
    case TEXT:
        to.u32 = tp_column_text(texts, from.text);
        break;
    case TEXT_OR_NULL:
        to.u32 = from.text.ptr ? tp_column_text(texts, from.text) + 1 : 0;
        break;
    case INT:
    case AMOUNT:
        to.i64 = from.i64;
        break;
    case DELTA:
        to.i64 = (int64_t)((uint64_t)from.i64 - (uint64_t)before.i64);
        break;
    case COUNT:
    case KIND:
        to.u32 = from.u32;
        break;
    case ID:
        to.u32 = from.u32 + 1;
        break;
    case BYTE:
        to.u32 = from.u8;
        break;
    case REAL:
        to.real = isnan(from.real) ? (double)NAN : from.real;
        break;
    case FLAG:
        to.flag = from.is_true;
        break;
    }
    return to;
}

void tp_columns_put(enum tp_list list, Tp__SummaryProcess *to, size_t at, const void *item, struct tp_strings *texts)
{
    for (unsigned i = 0; i < lists[list].count; i++) {
        const struct column *column = &lists[list].columns[i];
        if (column->code == COMPUTED)
            continue;
        const char *member = (const char *)item + column->offset;
        union value value = {0}, before = {0};
        memcpy(&value, member, column->size);
        if (at && column->code == DELTA)
            memcpy(&before, member - lists[list].item_size, column->size);
        value = put(column, value, before, texts);
        memcpy(items_of(to, column) + at * column->width, &value, column->width);
    }
}

void tp_columns_pack(enum tp_list list, Tp__SummaryProcess *to, const void *items, size_t count,
                     struct tp_strings *texts, struct tp_arena *arena)
{
    tp_columns_make(list, to, count, arena);
    for (size_t i = 0; i < count; i++)
        tp_columns_put(list, to, i, (const char *)items + i * lists[list].item_size, texts);
}

/* ---- unpacking ---- */

/* Returns the member for an item; before: the member of the previous struct, 0 at first. */
static union value get(const struct column *column, union value from, union value before, struct tp_unpack *unpack)
{
    union value to = {0};
    switch (column->code) {
    case COMPUTED:
        break;
    case TEXT:
        to.text = tp_unpack_text(unpack, from.u32);
        break;
    case TEXT_OR_NULL:
        to.text = from.u32 ? tp_unpack_text(unpack, from.u32 - 1) : (struct tp_str){NULL, 0};
        break;
    case INT:
        to.i64 = from.i64;
        break;
    case AMOUNT:
        to.i64 = tp_unpack_count(unpack, from.u64);
        break;
    case DELTA:
        to.i64 = (int64_t)((uint64_t)from.i64 + (uint64_t)before.i64);
        break;
    case COUNT:
    case KIND:
        unpack->is_bad |= from.u32 > column->most;
        to.u32 = from.u32;
        break;
    case ID:
        to.u32 = from.u32 - 1;
        break;
    case BYTE:
        unpack->is_bad |= from.u32 > column->most;
        to.u8 = (uint8_t)from.u32;
        break;
    case REAL:
        to.real = from.real;
        break;
    case FLAG:
        to.is_true = from.flag;
        break;
    }
    return to;
}

void *tp_columns_unpack(enum tp_list list, struct tp_unpack *unpack, uint32_t *count)
{
    const struct list *of = &lists[list];
    size_t length = length_of(unpack->from, &of->columns[0]);
    char *items = tp_arena_array(unpack->arena, length, of->item_size);
    *count = (uint32_t)length;
    for (unsigned i = 0; i < of->count; i++) {
        const struct column *column = &of->columns[i];
        const char *from = items_of(unpack->from, column);
        union value value = {0}, before = {0};
        for (size_t k = 0; k < length && column->code != COMPUTED; k++, before = value) {
            memcpy(&value, from + k * column->width, column->width);
            value = get(column, value, before, unpack);
            memcpy(items + k * of->item_size + column->offset, &value, column->size);
        }
    }
    return items;
}

/* ---- lengths ---- */

bool tp_columns_are_even(const Tp__SummaryProcess *from)
{
    for (unsigned list = 0; list < TP_LIST_COUNT; list++)
        for (unsigned i = 1; i < lists[list].count; i++)
            if (length_of(from, &lists[list].columns[i]) != length_of(from, &lists[list].columns[0]))
                return false;
    return true;
}

bool tp_columns_are_longer(const Tp__SummaryProcess *from, size_t most)
{
    for (unsigned list = 0; list < TP_LIST_COUNT; list++)
        for (unsigned i = 0; i < lists[list].count; i++)
            if (length_of(from, &lists[list].columns[i]) > most)
                return true;
    return false;
}
