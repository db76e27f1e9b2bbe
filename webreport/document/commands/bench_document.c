/* Makes the document of `bench`. See bench_document.h. */
#include "webreport/document/commands/bench_document.h"

#include <math.h>

#include "webreport/compare/gate/metric_amount.h"
#include "webreport/document/name_text.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

enum { SHOWN_COUNTS = 20 };

static const char *const titles[TP_BENCH_QUANTITIES] = {"Step time", "Kernel time", "Time of operators on the host",
                                                        "Wall time", "CPU time"};

static const char *name_of_row_kind(enum tp_summary_kind kind)
{
    return kind == TP_SUMMARY_OPERATOR_HOST ? "operator"
           : kind == TP_SUMMARY_KERNEL      ? "kernel"
           : kind == TP_SUMMARY_COPY        ? "copy"
                                            : "wait";
}

/* ---- amounts ---- */

/* Largest relative change that is shown; 9.99 is 999 %. With few pairs, larger numbers mean nothing. */
#define MAX_SHOWN_CHANGE 9.99

static const char *percent_text(struct tp_arena *arena, double size)
{
    bool is_beyond = !(fabs(size) <= MAX_SHOWN_CHANGE);
    return tp_text_printf(arena, "%s%s", is_beyond ? "> " : "",
                          tp_text_of_fixed(arena, 100 * (is_beyond ? MAX_SHOWN_CHANGE : fabs(size)), 1));
}

static const char *change_text(struct tp_arena *arena, double change)
{
    return tp_text_printf(arena, "%s%s %%", change < 0 ? "-" : "+", percent_text(arena, change));
}

static const char *change_size_text(struct tp_arena *arena, double size)
{
    return tp_text_printf(arena, "%s %%", percent_text(arena, size));
}

/* Returns the interval of a change, such as "+2.4 to +3.8 %". */
static const char *interval_text(struct tp_arena *arena, const struct tp_run_change *c)
{
    return tp_text_printf(arena, "%s%s to %s%s %%", c->low < 0 ? "-" : "+", percent_text(arena, c->low),
                          c->high < 0 ? "-" : "+", percent_text(arena, c->high));
}

static const char *time_of_level_text(struct tp_arena *arena, double level)
{
    return isnan(level) ? "–" : tp_text_of_time(arena, tp_round_to_integer(exp(level)));
}

static bool is_quantity_known(const struct tp_bench *b, int quantity)
{
    return b->changes[quantity].base_count >= 2;
}

/* ---- the verdict ---- */

static const char *headline_text(const struct tp_bench_report *t, struct tp_arena *arena)
{
    const struct tp_bench *b = t->bench;
    const struct tp_run_change *c = &b->changes[b->quantity];
    if (b->verdict == TP_BENCH_OPEN)
        return tp_text_printf(arena, "After %s of runs, it is unclear whether %s and %s differ by %s or more",
                              tp_text_of_counted_noun(arena, b->pair_count, "pair", "pairs"), t->names[0], t->names[1],
                              change_size_text(arena, b->goal->effect));
    if (b->verdict == TP_BENCH_SAME)
        return tp_text_printf(arena, "%s and %s do not differ by %s or more", t->names[0], t->names[1],
                              change_size_text(arena, fmax(b->goal->effect, c->detectable)));
    return tp_text_printf(arena, "%s takes %s %s than %s", t->names[1], change_size_text(arena, c->estimate),
                          b->verdict == TP_BENCH_SLOWER ? "longer" : "less time", t->names[0]);
}

static const char *limit_result_text(const struct tp_bench *b, struct tp_arena *arena)
{
    static const char *const words[] = {
        [TP_LIMIT_PASS] = "is kept", [TP_LIMIT_FAIL] = "is exceeded", [TP_LIMIT_UNCLEAR] = "cannot be decided yet"};
    if (!b->goal->has_limit)
        return "";
    return tp_text_printf(arena, " The limit of %s %s.", change_text(arena, b->goal->max_excess_ratio),
                          words[b->limit]);
}

static const char *reason_of_stop_text(const struct tp_bench_report *t, struct tp_arena *arena)
{
    const struct tp_bench *b = t->bench;
    const char *left = b->remaining_runs
                           ? tp_text_printf(arena, " About %s of each would be enough to decide.",
                                            tp_text_of_counted_noun(arena, b->remaining_runs, "more run", "more runs"))
                           : "";
    if (t->stop == TP_BENCH_STOP_DECIDED || b->is_goal_reached_by_runs)
        return "";
    return tp_text_printf(arena, " The measurement stopped because it reached the limit %s.%s",
                          t->stop == TP_BENCH_STOP_RUNS ? "--max-runs" : "--max-time", left);
}

static void put_verdict(struct tp_document *document, const struct tp_bench_report *t)
{
    static const char *const classes[] = {[TP_BENCH_OPEN] = "Unclear",
                                          [TP_BENCH_SLOWER] = "Slower",
                                          [TP_BENCH_FASTER] = "Faster",
                                          [TP_BENCH_SAME] = "No difference"};
    static const enum tp_tone tones[] = {[TP_BENCH_OPEN] = TP_TONE_UNSURE,
                                         [TP_BENCH_SLOWER] = TP_TONE_WARN,
                                         [TP_BENCH_FASTER] = TP_TONE_GOOD,
                                         [TP_BENCH_SAME] = TP_TONE_PLAIN};
    struct tp_arena *arena = document->arena;
    const struct tp_bench *b = t->bench;
    const struct tp_run_change *c = &b->changes[b->quantity];
    bool is_broken = b->goal->has_limit && b->limit == TP_LIMIT_FAIL;
    const char *text = "";
    if (is_quantity_known(b, b->quantity))
        text = tp_text_printf(arena,
                              "%s %s (99 %% interval %s) in %s of runs. This number of runs can detect a difference "
                              "of %s or more on this machine.%s%s",
                              titles[b->quantity], change_text(arena, c->estimate), interval_text(arena, c),
                              tp_text_of_counted_noun(arena, (int64_t)c->base_count, "pair", "pairs"),
                              change_size_text(arena, c->detectable), limit_result_text(b, arena),
                              reason_of_stop_text(t, arena));
    tp_document_add_verdict(document, &(struct tp_verdict_block){.tone = is_broken ? TP_TONE_BAD : tones[b->verdict],
                                                                 .class = classes[b->verdict],
                                                                 .headline = headline_text(t, arena),
                                                                 .text = text});
}

/* ---- tables ---- */

#define TEXT(name, title)                                                                                              \
    {                                                                                                                  \
        name, title, "", "", TP_COLUMN_TEXT                                                                            \
    }
#define SHOW(column)                                                                                                   \
    {                                                                                                                  \
        TP_SHOW_TEXT, column, NULL, 0, 0, false, 0                                                                     \
    }

/* Returns a table of texts whose first column has the names of the rows. */
static struct tp_shown_table *make_text_table(const struct tp_table *table, const struct tp_shown_column *columns,
                                              const char *name, const char *heading, struct tp_arena *arena)
{
    struct tp_shown_table *shown = tp_shown_table_new(arena, table, columns, table->column_count - 1, table->row_count);
    for (size_t i = 0; i < table->row_count; i++)
        shown->rows[i].name = tp_table_text(table, 0)[i];
    shown->name = name;
    shown->heading = heading;
    shown->caption = heading;
    shown->name_title = table->defs[0].title;
    return shown;
}

enum { Q_NAME, Q_A, Q_B, Q_CHANGE, Q_INTERVAL, Q_SEES, Q_PAIRS, Q_COLUMNS };

static void put_quantities(struct tp_document *document, const struct tp_bench_report *t)
{
    static const struct tp_column_def defs[Q_COLUMNS] = {TEXT("quantity", "Quantity"),
                                                         TEXT("a", "A"),
                                                         TEXT("b", "B"),
                                                         TEXT("change", "Change"),
                                                         TEXT("interval", "99 % interval"),
                                                         TEXT("sees", "Detectable from"),
                                                         TEXT("pairs", "Pairs of runs")};
    static const struct tp_shown_column columns[] = {SHOW(Q_A),        SHOW(Q_B),    SHOW(Q_CHANGE),
                                                     SHOW(Q_INTERVAL), SHOW(Q_SEES), SHOW(Q_PAIRS)};
    struct tp_arena *arena = document->arena;
    const struct tp_bench *b = t->bench;
    struct tp_table *table = tp_arena_alloc(arena, sizeof *table);
    size_t row = 0;
    tp_table_init(table, arena, "quantities", defs, Q_COLUMNS, TP_BENCH_QUANTITIES);
    for (int q = 0; q < TP_BENCH_QUANTITIES; q++) {
        const struct tp_run_change *c = &b->changes[q];
        if (!is_quantity_known(b, q))
            continue;
        const char *texts[Q_COLUMNS] = {titles[q],
                                        time_of_level_text(arena, b->level[q][TP_BENCH_A]),
                                        time_of_level_text(arena, b->level[q][TP_BENCH_B]),
                                        change_text(arena, c->estimate),
                                        interval_text(arena, c),
                                        change_size_text(arena, c->detectable),
                                        tp_text_printf(arena, "%zu", c->base_count)};
        for (unsigned i = 0; i < Q_COLUMNS; i++)
            tp_table_text(table, i)[row] = tp_str_of(texts[i]);
        row++;
    }
    table->row_count = row;
    if (row)
        tp_document_add_table(document,
                              make_text_table(table, columns, "quantities", "What changed from A to B", arena), NULL);
}

enum { C_NAME, C_KIND, C_A, C_B, C_COLUMNS };

static void put_counts(struct tp_document *document, const struct tp_bench_report *t)
{
    static const struct tp_column_def defs[C_COLUMNS] = {TEXT("name", "Calls per step"), TEXT("kind", "Kind"),
                                                         TEXT("a", "A"), TEXT("b", "B")};
    static const struct tp_shown_column columns[] = {SHOW(C_KIND), SHOW(C_A), SHOW(C_B)};
    struct tp_arena *arena = document->arena;
    const struct tp_bench *b = t->bench;
    size_t shown = b->changed_count < SHOWN_COUNTS ? b->changed_count : SHOWN_COUNTS;
    struct tp_table *table = tp_arena_alloc(arena, sizeof *table);
    tp_table_init(table, arena, "counts", defs, C_COLUMNS, shown);
    for (size_t i = 0; i < shown; i++) {
        const struct tp_bench_changed *changed = &b->changed[i];
        const struct tp_bench_count *any = changed->count[0] ? changed->count[0] : changed->count[1];
        tp_table_text(table, C_NAME)[i] = tp_text_shorten(arena, any->name, 60);
        tp_table_text(table, C_KIND)[i] = tp_str_of(name_of_row_kind(any->kind));
        for (int side = 0; side < TP_BENCH_SIDES; side++)
            tp_table_text(table, C_A + (unsigned)side)[i] = tp_str_of(
                tp_text_of_count(arena, changed->count[side] ? tp_round_to_integer(changed->count[side]->calls) : 0));
    }
    if (shown)
        tp_document_add_table(document, make_text_table(table, columns, "counts", "Counts that changed", arena), NULL);
    if (shown < b->changed_count)
        tp_document_add_note(document,
                             tp_text_printf(arena, "%s changed too. --json lists all changed counts.",
                                            tp_text_of_counted_noun(arena, (int64_t)(b->changed_count - shown),
                                                                    "more count", "more counts")));
}

enum { R_NUMBER, R_SIDE, R_VALUE, R_USUAL, R_NOTE, R_COLUMNS };

/* Adds the outlying runs to the document. The record contains all runs. */
static void put_runs(struct tp_document *document, const struct tp_bench_report *t)
{
    static const struct tp_column_def defs[R_COLUMNS] = {TEXT("run", "Run"), TEXT("of", "Command"),
                                                         TEXT("value", "Time"), TEXT("usual", "Median of the command"),
                                                         TEXT("note", "Reason")};
    static const struct tp_shown_column columns[] = {SHOW(R_SIDE), SHOW(R_VALUE), SHOW(R_USUAL), SHOW(R_NOTE)};
    struct tp_arena *arena = document->arena;
    const struct tp_bench *b = t->bench;
    struct tp_table *table = tp_arena_alloc(arena, sizeof *table);
    size_t row = 0;
    tp_table_init(table, arena, "runs", defs, R_COLUMNS, b->run_count);
    for (size_t i = 0; i < b->run_count; i++) {
        const struct tp_bench_run *run = &b->runs[i];
        if (!run->was_machine_busy && !run->is_outlier)
            continue;
        tp_table_text(table, R_NUMBER)[row] = tp_str_of(tp_text_printf(arena, "%zu", i + 1));
        tp_table_text(table, R_SIDE)[row] = tp_str_of(t->names[run->side]);
        tp_table_text(table, R_VALUE)[row] = tp_str_of(time_of_level_text(arena, run->level[b->quantity]));
        tp_table_text(table, R_USUAL)[row] = tp_str_of(time_of_level_text(arena, b->level[b->quantity][run->side]));
        tp_table_text(table, R_NOTE)[row++] =
            run->was_machine_busy ? TP_STR("the machine was loaded, so only the kernel time of this run is used")
                                  : TP_STR("outlier: far from the other runs of the command");
    }
    table->row_count = row;
    if (row)
        tp_document_add_table(document, make_text_table(table, columns, "runs", "Runs with unusual times", arena),
                              NULL);
}

/* ---- the record ---- */

static void add_quantities_to_record(struct tp_object *record, const struct tp_bench *b)
{
    struct tp_object *all = tp_object_add_object(record, "quantities");
    for (int q = 0; q < TP_BENCH_QUANTITIES; q++) {
        const struct tp_run_change *c = &b->changes[q];
        if (!is_quantity_known(b, q))
            continue;
        struct tp_object *one = tp_object_add_object(all, tp_bench_quantity_name((enum tp_bench_quantity)q));
        tp_object_add_real(one, "a_ns", exp(b->level[q][TP_BENCH_A]));
        tp_object_add_real(one, "b_ns", exp(b->level[q][TP_BENCH_B]));
        tp_object_add_real(one, "est", c->estimate);
        tp_object_add_real(one, "lo", c->low);
        tp_object_add_real(one, "hi", c->high);
        tp_object_add_real(one, "sees", c->detectable);
        tp_object_add_real(one, "sd", c->noise.sd);
        tp_object_add_real(one, "dof", c->noise.freedom);
        tp_object_add_int(one, "pairs", (int64_t)c->base_count);
    }
}

static void add_counts_to_record(struct tp_object *record, const struct tp_bench *b)
{
    struct tp_list *list = tp_object_add_list(record, "counts");
    for (size_t i = 0; i < b->changed_count; i++) {
        const struct tp_bench_changed *changed = &b->changed[i];
        const struct tp_bench_count *any = changed->count[0] ? changed->count[0] : changed->count[1];
        struct tp_object *one = tp_list_add_object(list);
        tp_object_add_text(one, "kind", name_of_row_kind(any->kind));
        tp_object_add_str(one, "name", any->name);
        tp_object_add_real(one, "a_per_step", changed->count[0] ? changed->count[0]->calls : 0);
        tp_object_add_real(one, "b_per_step", changed->count[1] ? changed->count[1]->calls : 0);
    }
}

static void add_runs_to_record(struct tp_object *record, const struct tp_bench *b)
{
    static const char *const keys[TP_BENCH_QUANTITIES] = {"step_ns", "kernels_ns", "host_ops_ns", "wall_ns", "cpu_ns"};
    struct tp_list *list = tp_object_add_list(record, "runs");
    for (size_t i = 0; i < b->run_count; i++) {
        struct tp_object *one = tp_list_add_object(list);
        tp_object_add_text(one, "side", b->runs[i].side == TP_BENCH_A ? "a" : "b");
        tp_object_add_int(one, "pair", b->runs[i].pair + 1);
        for (int q = 0; q < TP_BENCH_QUANTITIES; q++)
            tp_object_add_real(one, keys[q], exp(b->runs[i].level[q]));
        tp_object_add_bool(one, "loaded", b->runs[i].was_machine_busy);
        tp_object_add_bool(one, "outlier", b->runs[i].is_outlier);
    }
}

static void record(struct tp_object *record, const struct tp_bench_report *t)
{
    static const char *const verdicts[] = {[TP_BENCH_OPEN] = "unclear",
                                           [TP_BENCH_SLOWER] = "slower",
                                           [TP_BENCH_FASTER] = "faster",
                                           [TP_BENCH_SAME] = "same"};
    static const char *const limits[] = {
        [TP_LIMIT_PASS] = "pass", [TP_LIMIT_FAIL] = "fail", [TP_LIMIT_UNCLEAR] = "unclear"};
    static const char *const stops[] = {"decided", "max-runs", "max-time"};
    const struct tp_bench *b = t->bench;
    tp_object_add_text(record, "schema", "tracepress-bench");
    tp_object_add_int(record, "schema_version", 1);
    tp_object_add_text(record, "verdict", verdicts[b->verdict]);
    tp_object_add_text(record, "quantity", tp_bench_quantity_name((enum tp_bench_quantity)b->quantity));
    for (int side = 0; side < TP_BENCH_SIDES; side++) {
        struct tp_object *one = tp_object_add_object(record, side ? "b" : "a");
        tp_object_add_text(one, "name", t->names[side]);
        tp_object_add_text(one, "command", t->commands[side]);
    }
    tp_object_add_formatted(record, "seed", "%016llx", (unsigned long long)t->seed);
    tp_object_add_real(record, "effect", b->goal->effect);
    tp_object_add_real(record, "fail_above", b->goal->has_limit ? b->goal->max_excess_ratio : NAN);
    if (b->goal->has_limit)
        tp_object_add_text(record, "limit", limits[b->limit]);
    else
        tp_object_add_null(record, "limit");
    tp_object_add_text(record, "stopped_by", stops[t->stop]);
    tp_object_add_int(record, "runs_left", b->remaining_runs);
    add_quantities_to_record(record, b);
    add_counts_to_record(record, b);
    add_runs_to_record(record, b);
}

/* ---- the whole document ---- */

const char *tp_bench_progress_text(const struct tp_bench *b, struct tp_arena *arena)
{
    const struct tp_run_change *c = &b->changes[b->quantity];
    if (!is_quantity_known(b, b->quantity))
        return "";
    const char *left = b->remaining_runs ? tp_text_of_counted_noun(arena, b->remaining_runs, "more run", "more runs")
                                         : "many more runs";
    return tp_text_printf(arena, "%s %s (%s), %s of each", titles[b->quantity], change_text(arena, c->estimate),
                          interval_text(arena, c), left);
}

void tp_bench_document(struct tp_document *document, const struct tp_bench_report *report, struct tp_arena *arena)
{
    tp_document_init(document, "Benchmark", arena);
    record(document->record, report);
    put_verdict(document, report);
    for (int side = 0; side < TP_BENCH_SIDES; side++)
        tp_document_add_fact(document, side ? "B" : "A",
                             report->commands[side] == report->commands[!side] || *report->names[side] != "AB"[side]
                                 ? tp_text_printf(arena, "%s: %s", report->names[side], report->commands[side])
                                 : report->commands[side]);
    put_quantities(document, report);
    put_counts(document, report);
    put_runs(document, report);
}
