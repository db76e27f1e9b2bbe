/* Makes the section that compares the ranks of one recording: the ranks, and collectives with separate times for
 * transfer and waiting. section_ranks.c makes the answer above them. */
#include "webreport/compare/job/rank_words.h"
#include "webreport/document/report/sections.h"
#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/ranks/link_rate.h"
#include "writer/base/saturate.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_RANK_ROWS = 256 };

/* ---- table of ranks ---- */

enum rank_column {
    RANK_WORKER,
    RANK_COMPUTE,
    RANK_OVERLAP,
    RANK_COMM,
    RANK_OTHER,
    RANK_TRANSFER,
    RANK_WAIT,
    RANK_COLUMNS
};

#define RANK_COLUMN_DEFS(computation)                                                                                  \
    {                                                                                                                  \
        {"worker", "Worker", "", "Name of the rank's trace.", TP_COLUMN_TEXT},                                         \
            {"computation_us", "Computation", "us", computation, TP_COLUMN_REAL},                                      \
            {"overlapping_us", "Overlap", "us",                                                                        \
             "Mean time per step with computation and communication at the same time.", TP_COLUMN_REAL},               \
            {"communication_us", "Communication", "us",                                                                \
             "Mean time per step in communication that no computation overlaps.", TP_COLUMN_REAL},                     \
            {"other_us", "Other", "us", "Mean time per step without computation and without communication.",           \
             TP_COLUMN_REAL},                                                                                          \
            {"transfer_us", "Transfer", "us", "Mean time per step in communication while all ranks take part.",        \
             TP_COLUMN_REAL},                                                                                          \
            {"waiting_us", "Waiting", "us",                                                                            \
             "Mean time per step in communication while waiting for the last rank to join.", TP_COLUMN_REAL},          \
    }
static const struct tp_column_def RANK_DEFS[RANK_COLUMNS] = RANK_COLUMN_DEFS(
    "Mean time per step in which kernels ({operators} if no device was recorded) run, but no communication.");
static const struct tp_column_def HOST_RANK_DEFS[RANK_COLUMNS] =
    RANK_COLUMN_DEFS("Mean time per step in which recorded calls or ranges run, but no communication.");
static const struct tp_shown_column RANK_SHOWN[] = {
    {TP_SHOW_TIME, RANK_COMPUTE, NULL, 1, 0, false, false},  {TP_SHOW_TIME, RANK_OVERLAP, NULL, 1, 0, false, false},
    {TP_SHOW_TIME, RANK_COMM, NULL, 1, 0, false, false},     {TP_SHOW_TIME, RANK_OTHER, NULL, 1, 0, false, false},
    {TP_SHOW_TIME, RANK_TRANSFER, NULL, 1, 0, false, false}, {TP_SHOW_TIME, RANK_WAIT, NULL, 1, 0, false, false},
};

static double mean_part_ns(const struct tp_step_matrix *matrix, uint32_t rank, unsigned part)
{
    if (!matrix->mean_us || part >= matrix->part_count)
        return NAN;
    return matrix->mean_us[(size_t)rank * matrix->part_count + part];
}

static struct tp_table *make_rank_table(struct tp_arena *arena, const struct tp_distributed *view,
                                        struct tp_speech speech)
{
    struct tp_table *table = tp_arena_alloc(arena, sizeof(*table));

    tp_table_init(table, arena, "ranks", speech.mentions_no_device ? HOST_RANK_DEFS : RANK_DEFS, RANK_COLUMNS,
                  view->rank_count);
    for (uint32_t rank = 0; rank < view->rank_count; rank++) {
        tp_table_text(table, RANK_WORKER)[rank] = view->ranks[rank]->worker;
        for (unsigned part = 0; part < TP_OVERLAP_PARTS; part++)
            tp_table_real(table, RANK_COMPUTE + part)[rank] = mean_part_ns(&view->overlap, rank, part);
        for (unsigned part = 0; part < TP_WAIT_PARTS; part++)
            tp_table_real(table, RANK_TRANSFER + part)[rank] =
                view->is_comparable ? mean_part_ns(&view->wait, rank, part) : NAN;
    }
    return table;
}

/* ---- collectives, all ranks together ---- */

enum sum_column {
    SUM_NAME,
    SUM_CALLS,
    SUM_BYTES,
    SUM_LATENCY,
    SUM_TRANSFER,
    SUM_WAIT,
    SUM_RATE,
    SUM_KERNEL_TIME,
    SUM_COLUMNS
};

static const struct tp_column_def SUM_DEFS[SUM_COLUMNS] = {
    {"name", "Collective", "", "Name of the communication call.", TP_COLUMN_TEXT},
    {"calls", "Calls", "", "Number of calls on all ranks.", TP_COLUMN_INT},
    {"size_bytes", "Bytes", "bytes", "Sum of the message sizes over all calls of all ranks.", TP_COLUMN_BYTES},
    {"latency_us", "Total", "us", "Time in this communication call, summed over the ranks.", TP_COLUMN_NS},
    {"transfer_us", "Transfer", "us", "Part of the total time in which all ranks take part in the call.", TP_COLUMN_NS},
    {"waiting_us", "Waiting", "us", "Part of the total time in which ranks wait for the last rank to join the call.",
     TP_COLUMN_NS},
    {"gb_per_s", "GB/s", "GB/s",
     "Bytes divided by the run time of the calls (on the device if there is one). The rate is low if ranks wait in the "
     "calls, or if the messages are small.",
     TP_COLUMN_REAL},
    {"kernel_time_us", "Kernel time", "us", "Sum of the durations of the communication kernels.", TP_COLUMN_NS},
};
static const struct tp_shown_column SUM_SHOWN[] = {
    {TP_SHOW_COUNT, SUM_CALLS, NULL, 0, 0, false, true},   {TP_SHOW_BYTES, SUM_BYTES, NULL, 0, 0, false, true},
    {TP_SHOW_TIME, SUM_LATENCY, NULL, 1, 0, true, true},   {TP_SHOW_BAR, SUM_LATENCY, NULL, 0, 0, false, false},
    {TP_SHOW_TIME, SUM_TRANSFER, NULL, 1, 0, false, true}, {TP_SHOW_TIME, SUM_WAIT, NULL, 1, 0, false, true},
    {TP_SHOW_REAL, SUM_RATE, NULL, 0, 1, false, false},    {TP_SHOW_TIME, SUM_KERNEL_TIME, NULL, 1, 0, false, true},
};

/* Adds `value` to *sum. If either is unknown, the sum becomes unknown. The sum saturates, because sizes in a damaged
 * file can be huge. */
static void add_if_known(int64_t *sum, int64_t value)
{
    if (value == TP_NULL_INT)
        *sum = TP_NULL_INT;
    else if (*sum != TP_NULL_INT)
        *sum = tp_sat_add(*sum, value);
}

/* Fills the column of rates in GB/s, which equal bytes per nanosecond. */
static void fill_collective_rates(struct tp_table *table)
{
    for (size_t row = 0; row < table->row_count; row++) {
        int64_t bytes = tp_table_int(table, SUM_BYTES)[row], ns = tp_table_int(table, SUM_KERNEL_TIME)[row];
        if (ns == TP_NULL_INT || ns <= 0)
            ns = tp_table_int(table, SUM_LATENCY)[row];
        bool is_known = bytes != TP_NULL_INT && bytes > 0 && ns != TP_NULL_INT && ns > 0;
        tp_table_real(table, SUM_RATE)[row] = is_known ? (double)bytes / (double)ns : NAN;
    }
}

static struct tp_table *make_table_of_sums(struct tp_arena *arena, const struct tp_distributed *view)
{
    struct tp_table *table = tp_arena_alloc(arena, sizeof(*table));
    struct tp_strings names;

    tp_strings_init(&names, arena, 0);
    for (uint32_t rank = 0; rank < view->rank_count; rank++)
        for (size_t row = 0; row < view->ops[rank].row_count; row++)
            tp_strings_add(&names, tp_table_text(&view->ops[rank], TP_COMM_OP_NAME)[row]);
    tp_table_init(table, arena, "collectives", SUM_DEFS, SUM_COLUMNS, names.count);
    for (uint32_t rank = 0; rank < view->rank_count; rank++)
        for (size_t row = 0; row < view->ops[rank].row_count; row++) {
            const struct tp_table *ops = &view->ops[rank];
            uint32_t at = tp_strings_find(&names, tp_table_text(ops, TP_COMM_OP_NAME)[row]);
            int64_t latency = tp_table_int(ops, TP_COMM_OP_LATENCY)[row],
                    transfer = tp_table_int(ops, TP_COMM_OP_TRANSFER)[row];

            tp_table_text(table, SUM_NAME)[at] = tp_strings_get(&names, at);
            add_if_known(&tp_table_int(table, SUM_CALLS)[at], tp_table_int(ops, TP_COMM_OP_CALLS)[row]);
            add_if_known(&tp_table_int(table, SUM_BYTES)[at], tp_table_int(ops, TP_COMM_OP_BYTES)[row]);
            add_if_known(&tp_table_int(table, SUM_LATENCY)[at], latency);
            add_if_known(&tp_table_int(table, SUM_TRANSFER)[at], transfer);
            add_if_known(&tp_table_int(table, SUM_WAIT)[at],
                         transfer == TP_NULL_INT ? TP_NULL_INT : latency - transfer);
            add_if_known(&tp_table_int(table, SUM_KERNEL_TIME)[at], tp_table_int(ops, TP_COMM_OP_KERNEL_TIME)[row]);
        }
    fill_collective_rates(table);
    return tp_table_copy_sorted(arena, table, SUM_LATENCY);
}

/* ---- sentences ---- */

static const char *lead_text(struct tp_arena *arena, const struct tp_naming *naming, const struct tp_distributed *view,
                             const struct tp_table *ranks)
{
    uint32_t slowest = 0, waiter = 0;
    double fastest = INFINITY, most = -1, wait = -1;
    struct tp_str name;

    for (uint32_t rank = 0; rank < view->rank_count; rank++) {
        double compute = tp_table_real(ranks, RANK_COMPUTE)[rank] + tp_table_real(ranks, RANK_OVERLAP)[rank];
        double waits = tp_table_real(ranks, RANK_WAIT)[rank];

        fastest = fmin(fastest, compute);
        if (compute > most) {
            most = compute;
            slowest = rank;
        }
        if (waits > wait) {
            wait = waits;
            waiter = rank;
        }
    }
    name = tp_shown_text(naming, view->ranks[slowest]->worker);
    if (view->rank_count < 2)
        return tp_text_printf(
            arena,
            "Only one rank with communication was recorded: %.*s. Transfer and waiting for other ranks cannot be "
            "separated. Record all ranks, then run tracepress report on the folder with all traces.",
            (int)name.len, name.ptr);
    const char *not_alike =
        "The ranks' collectives do not match one to one, so transfer and waiting cannot be separated.";
    if (!view->is_comparable)
        return not_alike;
    if (view->job)
        return "";
    struct tp_straggler straggler;
    tp_straggler_find(&straggler, view);
    if (straggler.rank != TP_NO_ID)
        return tp_straggler_text(&straggler, tp_shown_text(naming, view->ranks[straggler.rank]->worker), arena);
    if (!(most - fastest > 0))
        return tp_text_printf(arena, "All %u ranks compute for the same time per step.", view->rank_count);
    struct tp_str waiting = tp_shown_text(naming, view->ranks[waiter]->worker);

    return tp_text_printf(
        arena, "%.*s computes longest, %s per step more than the fastest rank. %.*s waits longest, %s per step.",
        (int)name.len, name.ptr, tp_text_of_time(arena, (int64_t)llround((most - fastest) * 1000)), (int)waiting.len,
        waiting.ptr, tp_text_of_time(arena, (int64_t)llround(fmax(wait, 0) * 1000)));
}

/* Returns the text with a full stop at its end. */
static const char *text_with_full_stop(struct tp_arena *arena, const char *text)
{
    size_t len = strlen(text);
    return len && text[len - 1] != '.' ? tp_text_printf(arena, "%s.", text) : text;
}

/* Returns the sentences below the section's title, including a sentence about a slow link. */
static const char *whole_job_lead_text(struct tp_arena *arena, const struct tp_naming *naming,
                                       const struct tp_distributed *view, const struct tp_table *ranks)
{
    const char *lead = text_with_full_stop(arena, lead_text(arena, naming, view, ranks));
    if (view->is_partial)
        lead = tp_text_printf(arena,
                              "%s%sTraces of other ranks are missing, so the waiting time is a lower bound and the "
                              "transfer time is an upper bound.",
                              lead, *lead ? " " : "");
    struct tp_link_rate link;
    tp_link_rate_find(&link, view, arena);
    if (!link.is_slow || view->job) /* the findings of a job already mention the slow link */
        return lead;
    return tp_text_printf(arena, "%s %s", lead, text_with_full_stop(arena, tp_link_rate_text(&link, arena)));
}

struct tp_data tp_section_distributed(struct tp_arena *arena, const struct tp_naming *naming,
                                      const struct tp_distributed *view, struct tp_speech speech)
{
    struct tp_object *object;
    struct tp_table *ranks;
    struct tp_list *tables;
    struct tp_shown_table *shown;

    if (!view->is_present || !view->rank_count)
        return TP_NO_DATA;
    object = tp_object_new(arena);
    ranks = make_rank_table(arena, view, speech);
    tp_object_add_text(object, "span_note",
                       view->has_span ? tp_text_printf(arena, "recording %lld", (long long)view->span) : "");
    tp_object_add_sentence(object, "lead", tp_str_of(whole_job_lead_text(arena, naming, view, ranks)));
    tables = tp_object_add_list(object, "tables");
    shown =
        tp_shown_table_new(arena, ranks, RANK_SHOWN, COUNT(RANK_SHOWN) - (view->is_comparable ? 0 : 2), MAX_RANK_ROWS);
    shown->speech = speech;
    shown->name = shown->noun = "ranks";
    shown->name_title = "Worker";
    shown->caption = "Mean step of each rank";
    shown->heading = "Ranks, mean per step";
    shown->noun = "ranks";
    if (view->without_communication_count)
        shown->note = tp_text_printf(
            arena, "%s no communication.",
            tp_text_of_counted_noun(arena, view->without_communication_count, "more worker has", "more workers have"));
    tp_shown_table_set_row_names(naming, shown, RANK_WORKER);
    tp_list_add_shown_table(tables, shown);
    shown = tp_shown_table_new(
        arena, make_table_of_sums(arena, view), SUM_SHOWN,
        COUNT(SUM_SHOWN) -
            speech.mentions_no_device, /* without devices, omits the last column, which has kernel times */
        MAX_RANK_ROWS);
    shown->name = shown->noun = "collectives";
    shown->name_title = "Collective";
    shown->caption = "Communication calls, all ranks together";
    shown->heading = "Collectives, all ranks together";
    shown->foot = "All";
    tp_shown_table_set_row_names(naming, shown, SUM_NAME);
    tp_list_add_shown_table(tables, shown);
    return tp_data_of_object(object);
}
