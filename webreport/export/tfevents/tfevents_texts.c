/* Adds the Text tab as Markdown: findings, overview, costliest operators and kernels, and the source of the trace. Text
 * of the trace is escaped. */
#include "webreport/export/tfevents/tfevents_run.h"

#include <math.h>

#include "webreport/document/charts/chart.h"
#include "webreport/document/name_text.h"
#include "webreport/document/report/sections.h"
#include "writer/text/format.h"
#include "writer/text/markdown_escape.h"

enum { ROWS = 20, NAME_BYTES = 120, US_TO_NS = 1000 };

static void write_markdown_name(const struct tp_tf_run *run, struct tp_str name)
{
    tp_markdown_escape(run->text, tp_text_shorten(run->export->arena, name, NAME_BYTES));
}

static void write_markdown_cell(const struct tp_tf_run *run, struct tp_str text)
{
    tp_markdown_cell(run->text, tp_text_shorten(run->export->arena, text, NAME_BYTES));
}

static void finish_text(const struct tp_tf_run *run, const char *tag, const char *description)
{
    if (!run->text->failed && run->text->data)
        tp_tfevents_put_text(run->events, run->last, tag, description,
                             (struct tp_str){run->text->data, run->text->size});
}

static void start_text(const struct tp_tf_run *run)
{
    if (!run->text->failed)
        tp_buf_clear(run->text);
}

/* ---- findings ---- */

static void put_finding(const struct tp_tf_run *run, const struct tp_finding *finding)
{
    struct tp_arena *arena = run->export->arena;
    tp_buf_printf(run->text, "\n### %s: %s\n\n%s, confidence %s", finding->rule->id, finding->shown_title,
                  tp_severity_text(finding->severity), tp_confidence_text(finding->confidence));
    if (!isnan(finding->ceiling_us_per_step))
        tp_buf_printf(run->text, ", estimate %s to %s of %s per step", tp_text_of_fixed(arena, finding->low_percent, 1),
                      tp_text_of_percent(arena, finding->high_percent),
                      tp_text_of_time(arena, (int64_t)llround(finding->ceiling_us_per_step * US_TO_NS)));
    tp_buf_printf(run->text, ". %s\n\n", finding->shown_advice);
    if (finding->detail.len) {
        tp_markdown_escape(run->text, finding->detail);
        tp_buf_puts(run->text, "\n\n");
    }
    for (unsigned i = 0; i < finding->evidence_count; i++) {
        const struct tp_evidence *evidence = &finding->evidence[i];
        tp_buf_printf(run->text, "- event %u at %s: ", evidence->ordinal, tp_text_of_time(arena, evidence->ts_ns));
        write_markdown_name(run, tp_kernel_short_name(arena, evidence->name));
        if (evidence->file_line.len) {
            tp_buf_puts(run->text, " in ");
            write_markdown_name(run, evidence->file_line);
        }
        tp_buf_putc(run->text, '\n');
    }
}

static void add_recommendations(const struct tp_tf_run *run)
{
    const struct tp_profile *profile = run->export->profile;
    const struct tp_recommendations *found = &profile->advice->recommendations;
    struct tp_naming naming = {.arena = run->export->arena};
    struct tp_verdict_block words = tp_section_verdict_block(&naming, profile);
    start_text(run);
    tp_buf_printf(run->text, "**%s.** ", words.class);
    tp_markdown_escape(run->text, tp_str_of(words.headline));
    tp_buf_putc(run->text, ' ');
    tp_markdown_escape(run->text, tp_str_of(words.text));
    tp_buf_putc(run->text, '\n');
    for (uint32_t i = 0; i < found->finding_count; i++)
        put_finding(run, &found->findings[i]);
    if (!found->finding_count)
        tp_buf_puts(run->text, "\nNo finding.\n");
    finish_text(run, "profile/1_recommendations",
                "What to change, severest first. \"At most\" is a bound, not a promise.");
}

/* ---- overview ---- */

static void write_gpus(const struct tp_tf_run *run)
{
    const struct tp_table *gpus = &run->export->profile->views->overview.gpu_summary;
    struct tp_arena *arena = run->export->arena;
    /* true: the trace has only the name and the busy time of each device */
    bool is_own = tp_has_only_devices_of_program(run->export->profile->model);
    if (gpus->row_count == 0)
        return;
    if (is_own)
        tp_buf_puts(run->text, "\n| Device | name | utilization | kernels | busy |\n|---:|---|---:|---:|---:|\n");
    else
        tp_buf_puts(run->text,
                    "\n| GPU | name | utilization | SM efficiency | occupancy | tensor cores | kernels | busy "
                    "|\n|---:|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < gpus->row_count; i++) {
        tp_buf_printf(run->text, "| %lld | ", (long long)tp_table_int(gpus, TP_GPU_ID)[i]);
        write_markdown_cell(run, tp_table_text(gpus, TP_GPU_NAME)[i]);
        tp_buf_printf(run->text, " | %s", tp_text_of_percent(arena, 100 * tp_table_real(gpus, TP_GPU_UTILIZATION)[i]));
        if (!is_own)
            tp_buf_printf(run->text, " | %s | %s | %s",
                          tp_text_of_percent(arena, 100 * tp_table_real(gpus, TP_GPU_SM_EFFICIENCY)[i]),
                          tp_text_of_percent(arena, tp_table_real(gpus, TP_GPU_OCCUPANCY)[i]),
                          tp_text_of_percent(arena, 100 * tp_table_real(gpus, TP_GPU_TENSOR_CORE)[i]));
        tp_buf_printf(run->text, " | %s | %s |\n", tp_text_of_count(arena, tp_table_int(gpus, TP_GPU_KERNEL_COUNT)[i]),
                      tp_text_of_time(arena, tp_table_int(gpus, TP_GPU_BUSY)[i]));
    }
}

static void add_overview(const struct tp_tf_run *run)
{
    const struct tp_overview *overview = &run->export->profile->views->overview;
    struct tp_arena *arena = run->export->arena;
    double total = overview->average_us[TP_AVERAGE_TOTAL];
    start_text(run);
    tp_buf_printf(run->text,
                  "Step: **%s** on average over %s.\n\n| category | time per step | share |\n|---|---:|---:|\n",
                  tp_text_of_time(arena, (int64_t)llround(total * US_TO_NS)),
                  tp_text_of_counted_noun(arena, overview->used_count, "step", "steps"));
    for (enum tp_chart_kind kind = 0; kind < TP_CHART_KINDS; kind++) {
        double us = overview->average_us[tp_chart_average_index_of_kind(kind)];
        tp_buf_printf(
            run->text, "| %s | %s | %s |\n",
            tp_chart_label(kind, overview->gpu_summary.row_count > 0, run->export->profile->model, run->export->arena),
            tp_text_of_time(arena, (int64_t)llround(us * US_TO_NS)),
            tp_text_of_percent(arena, total > 0 ? 100 * us / total : 0));
    }
    write_gpus(run);
    finish_text(run, "profile/2_overview",
                "Where a step's time goes, each instant counted once; what each device did.");
}

/* ---- tables ---- */

/* Writes four columns of a table: name, number of calls, the time that the rows are sorted by, and another time.
 * columns: indexes of these four columns in the table. */
static void write_table_rows(const struct tp_tf_run *run, const struct tp_table *table, const unsigned columns[4],
                             bool is_kernel)
{
    struct tp_arena *arena = run->export->arena;
    const int64_t *times = tp_table_int(table, columns[2]);
    double sum = 0;
    for (size_t i = 0; i < table->row_count; i++)
        sum += (double)times[i];
    for (size_t i = 0; i < table->row_count && i < ROWS; i++) {
        struct tp_str name = tp_table_text(table, columns[0])[i];
        tp_buf_puts(run->text, "| ");
        write_markdown_cell(run, is_kernel ? tp_kernel_short_name(arena, name) : name);
        tp_buf_printf(run->text, " | %s | %s | %s | ", tp_text_of_count(arena, tp_table_int(table, columns[1])[i]),
                      tp_text_of_time(arena, times[i]),
                      tp_text_of_percent(arena, sum > 0 ? 100 * (double)times[i] / sum : 0));
        if (table->defs[columns[3]].type == TP_COLUMN_REAL)
            tp_buf_puts(run->text,
                        tp_text_of_time(arena, (int64_t)llround(tp_table_real(table, columns[3])[i] * US_TO_NS)));
        else
            tp_buf_puts(run->text, tp_text_of_time(arena, tp_table_int(table, columns[3])[i]));
        tp_buf_puts(run->text, " |\n");
    }
    if (table->row_count > ROWS)
        tp_buf_printf(run->text, "\n%s more.\n", tp_text_of_count(arena, (int64_t)(table->row_count - ROWS)));
}

static void add_operators(const struct tp_tf_run *run)
{
    const struct tp_operator_view *view = &run->export->profile->views->operators;
    if (view->by_name.row_count == 0)
        return;
    start_text(run);
    tp_buf_printf(run->text, "| operator | calls | %s self | share | %s |\n|---|---:|---:|---:|---:|\n",
                  view->sorted_by_device ? "GPU" : "CPU", view->sorted_by_device ? "CPU self" : "CPU total");
    write_table_rows(run, &view->by_name,
                     view->sorted_by_device
                         ? (const unsigned[]){TP_OP_NAME, TP_OP_CALLS, TP_OP_DEVICE_SELF, TP_OP_HOST_SELF}
                         : (const unsigned[]){TP_OP_NAME, TP_OP_CALLS, TP_OP_HOST_SELF, TP_OP_HOST_TOTAL},
                     false);
    finish_text(run, "profile/3_top_operators", "Operators by their own time, of the whole trace.");
}

static void add_kernels(const struct tp_tf_run *run)
{
    const struct tp_kernel_view *view = &run->export->profile->views->kernels;
    if (!view->is_present || view->by_name.row_count == 0)
        return;
    start_text(run);
    tp_buf_puts(run->text, "| kernel | calls | total | share | longest |\n|---|---:|---:|---:|---:|\n");
    write_table_rows(run, &view->by_name,
                     (const unsigned[]){TP_KERNEL_NAME, TP_KERNEL_CALLS, TP_KERNEL_TOTAL, TP_KERNEL_MAX}, true);
    finish_text(run, "profile/4_top_kernels", "Kernels by their time, of the whole trace.");
}

/* ---- environment ---- */

static void write_fact(const struct tp_tf_run *run, const char *term, struct tp_str fact)
{
    tp_buf_printf(run->text, "| %s | ", term);
    write_markdown_cell(run, fact);
    tp_buf_puts(run->text, " |\n");
}

static void add_environment(const struct tp_tf_run *run)
{
    const struct tp_profile *profile = run->export->profile;
    struct tp_arena *arena = run->export->arena;
    const struct tp_quality *quality = &profile->advice->quality;
    start_text(run);
    tp_buf_puts(run->text, "| | |\n|---|---|\n");
    write_fact(run, "trace", profile->file);
    write_fact(run, "worker", profile->worker);
    write_fact(run, "SHA-256", profile->sha256);
    write_fact(run, "events", tp_str_of(tp_text_of_count(arena, quality->events_total)));
    write_fact(run, "repaired or skipped", tp_str_of(tp_text_of_count(arena, quality->repaired)));
    write_fact(run, "steps from", tp_str_of(profile->views->facts.step_marker));
    write_fact(run, "distributed", tp_trace_header(profile->trace, "distributedInfo"));
    write_fact(run, "written by", tp_str_of("tracepress " TP_VERSION));
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++)
        if (quality->flags[i].is_raised)
            write_fact(run, quality->flags[i].id, tp_str_of(quality->flags[i].text));
    finish_text(run, "profile/5_environment", "The trace, and flags on its quality.");
}

void tp_tf_add_texts(const struct tp_tf_run *run)
{
    add_recommendations(run);
    add_overview(run);
    add_operators(run);
    add_kernels(run);
    add_environment(run);
}
