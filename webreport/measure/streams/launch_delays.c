/* Implements launch_delays.h. */
#include "webreport/measure/streams/launch_delays.h"

#include "webreport/model/numbers.h"
#include "writer/base/stats.h"

static const struct tp_column_def kind_defs[TP_DELAY_COLUMNS] = {
    {"kind", "Operations", "", "Kind of the operations: kernel, copy, memset, or graph for launches of graphs.",
     TP_COLUMN_WORD},
    {"operations", "Count", "", "Number of operations whose launch is known; of a graph, only the first one.",
     TP_COLUMN_INT},
    {"p50_us", "Median", "us", "Median time from the end of the launch to the start of the operation.", TP_COLUMN_NS},
    {"p90_us", "90 %", "us", "90 % of the delays are at most this long.", TP_COLUMN_NS},
    {"p99_us", "99 %", "us", "99 % of the delays are at most this long.", TP_COLUMN_NS},
    {"max_us", "Longest", "us", "Longest delay.", TP_COLUMN_NS},
    {"shorter_than_call", "Shorter than call", "", "Number of operations that take less time than the host's call.",
     TP_COLUMN_INT}};

static const struct tp_column_def decade_defs[TP_DECADE_COLUMNS] = {
    {"from_us", "From", "us", "Shortest delay of the row; the next row has the longer delays.", TP_COLUMN_NS},
    {"operations", "Count", "", "Number of operations with such a delay.", TP_COLUMN_INT}};

/* Rows by enum tp_launched_kind. The delays of all kinds are in the row of operations without a known launch, which
 * have no delay. */
enum { ALL = TP_LAUNCHED_UNKNOWN, KINDS = TP_LAUNCHED_GRAPH + 1 };
static const char *const KIND_NAMES[KINDS] = {"all", "kernel", "copy", "memset", "graph"};

/* Starts of the decades, ns. */
static const int64_t DECADES[] = {0, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
enum { DECADE_COUNT = sizeof DECADES / sizeof *DECADES };

struct sums {
    size_t first, count; /* delays of the kind: position of the first one, and their number */
    int64_t short_count; /* operations that take less time than their calls */
};

static void count_kinds(struct sums *sums, const struct tp_stream_list *list)
{
    for (uint32_t i = 0; i < list->operation_count; i++) {
        struct tp_stream_operation o = tp_stream_operation_get(list, list->operations[i]);
        if (tp_operation_is_queued(&o))
            sums[o.kind].count++;
    }
    for (unsigned kind = ALL + 1; kind < KINDS; kind++) {
        sums[kind].first = sums[ALL].count;
        sums[ALL].count += sums[kind].count;
    }
}

/* Stores the delay of each operation, by kind. Sets short_count. */
static void store_delays(struct tp_launch_delays *delays, int64_t *values, struct sums *sums,
                         const struct tp_stream_list *list)
{
    size_t next[KINDS];
    for (unsigned kind = 0; kind < KINDS; kind++)
        next[kind] = sums[kind].first;
    for (uint32_t i = 0; i < list->operation_count; i++) {
        struct tp_stream_operation o = tp_stream_operation_get(list, list->operations[i]);
        if (!tp_operation_is_queued(&o))
            continue;
        int64_t delay_ns = tp_ns_max(tp_sat_sub(o.start_ns, o.call_end_ns), 0);
        bool is_short = o.end_ns - o.start_ns < o.call_end_ns - o.call_ns && o.kind != TP_LAUNCHED_GRAPH;
        values[next[o.kind]++] = delay_ns;
        sums[o.kind].short_count += is_short;
        sums[ALL].short_count += is_short;
        tp_part_curve_add(delays->curve, o.start_ns, (double)delay_ns);
    }
}

static void fill_row(struct tp_table *table, size_t row, unsigned kind, const struct sums *sums, int64_t *values)
{
    size_t count = sums[kind].count;
    int64_t *own = values + sums[kind].first;
    tp_table_text(table, TP_DELAY_KIND)[row] = tp_str_of(KIND_NAMES[kind]);
    tp_table_int(table, TP_DELAY_OPERATIONS)[row] = (int64_t)count;
    tp_table_int(table, TP_DELAY_P50)[row] = tp_integer_percentile(own, count, 50);
    tp_table_int(table, TP_DELAY_P90)[row] = tp_integer_percentile(own, count, 90);
    tp_table_int(table, TP_DELAY_P99)[row] = tp_integer_percentile(own, count, 99);
    tp_table_int(table, TP_DELAY_MAX)[row] = tp_integer_percentile(own, count, 100);
    tp_table_int(table, TP_DELAY_SHORT)[row] = kind == TP_LAUNCHED_GRAPH ? TP_NULL_INT : sums[kind].short_count;
}

static void fill_decades(struct tp_table *table, const int64_t *values, size_t count)
{
    for (unsigned row = 0; row < DECADE_COUNT; row++)
        tp_table_int(table, TP_DECADE_FROM)[row] = DECADES[row];
    for (size_t i = 0; i < count; i++) {
        unsigned row = DECADE_COUNT - 1;
        while (values[i] < DECADES[row])
            row--;
        tp_table_int(table, TP_DECADE_OPERATIONS)[row]++;
    }
}

void tp_launch_delays_build(struct tp_launch_delays *delays, const struct tp_stream_list *list,
                            const struct tp_model *model, struct tp_arena *arena)
{
    struct sums sums[KINDS] = {{0}};
    count_kinds(sums, list);
    size_t count = sums[ALL].count, rows = 0;
    for (unsigned kind = 0; kind < KINDS; kind++)
        rows += sums[kind].count > 0;
    *delays = (struct tp_launch_delays){0};
    tp_table_init(&delays->by_kind, arena, "launch_delays", kind_defs, TP_DELAY_COLUMNS, rows);
    tp_table_init(&delays->decades, arena, "launch_delay_decades", decade_defs, TP_DECADE_COLUMNS,
                  count ? DECADE_COUNT : 0);
    if (!count)
        return;
    int64_t *values = tp_arena_array(arena, count, sizeof *values);
    delays->curve = tp_arena_alloc(arena, sizeof *delays->curve);
    tp_part_curve_init(delays->curve, model);
    store_delays(delays, values, sums, list);
    /* the last row first, because the row of all kinds reorders the values of the others */
    for (unsigned kind = KINDS; kind-- > 0;)
        if (sums[kind].count)
            fill_row(&delays->by_kind, --rows, kind, sums, values);
    fill_decades(&delays->decades, values, count);
    tp_arena_free_item(arena, values, count * sizeof *values);
}
