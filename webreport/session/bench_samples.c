/* Reads the measurements and call counts of a `bench` run from its traces: see bench_samples.h. Summaries are made in a
 * separate arena, so that only the numbers of each run stay in memory. */
#include "webreport/session/bench_samples.h"

#include <math.h>
#include <sys/stat.h>

#include "webreport/session/summaries.h"
#include "webreport/trace/rundir.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

struct load {
    struct tp_bench_run *run;
    size_t *trace_count;
    const struct tp_bench_source *source;
    struct tp_arena scratch, *kept;
};

/* ---- traces of a run ---- */

static bool is_trace_new(const char *path, int64_t since_ns)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec >= since_ns;
}

/* Sets *paths to the traces of the run that are not older than since_ns. Returns the number of paths; 0 also if the
 * folder cannot be searched. */
static size_t find_traces(const char ***paths, struct load *load, struct tp_error *err)
{
    const struct tp_run_search search = {.paths = &load->source->folder, .path_count = 1};
    struct tp_runs runs = {0};
    size_t count = 0;
    *paths = NULL;
    if (tp_rundir_find(&runs, &load->scratch, &search, err) < 0)
        return 0;
    for (size_t r = 0; r < runs.count; r++)
        count += runs.items[r].file_count;
    *paths = tp_arena_array(&load->scratch, count + 1, sizeof **paths);
    count = 0;
    for (size_t r = 0; r < runs.count; r++)
        for (size_t f = 0; f < runs.items[r].file_count; f++) {
            const struct tp_run_file *file = &runs.items[r].files[f];
            if (!file->is_helper && is_trace_new(file->path, load->source->since_ns))
                (*paths)[count++] = file->path;
        }
    return count;
}

/* ---- counts of calls ---- */

static bool is_counted_kind(enum tp_summary_kind kind)
{
    return kind == TP_SUMMARY_OPERATOR_HOST || kind == TP_SUMMARY_KERNEL || kind == TP_SUMMARY_COPY ||
           kind == TP_SUMMARY_SYNC;
}

static int compare_by_kind_and_name(const void *x, const void *y, const void *context)
{
    const struct tp_bench_count *a = x, *b = y;
    (void)context;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return tp_str_compare(a->name, b->name);
}

/* Returns the number of calls in each analysed step; NaN if fewer than three steps are used or if the steps have
 * different numbers. One step is allowed to differ from all others, because the first step often does. */
static double calls_per_step(const struct tp_summary *summary, const struct tp_summary_row *row, struct tp_arena *arena)
{
    double *calls = tp_arena_array(arena, summary->step_count, sizeof *calls);
    size_t count = 0, same = 0;
    for (uint32_t s = 0; s < summary->step_count && row->by_step_count; s++)
        if (!summary->steps[s].is_left_out)
            calls[count++] = (double)row->by_step_count[s];
    for (size_t i = 0; i < count; i++)
        same += calls[i] == calls[count - 1];
    return count >= 3 && same + 1 >= count ? calls[count - 1] : NAN;
}

static size_t add_counts_of_summary(struct tp_bench_count *counts, size_t count, const struct tp_summary *summary,
                                    struct tp_arena *arena)
{
    for (uint32_t r = 0; r < summary->row_count; r++)
        if (is_counted_kind(summary->rows[r].kind))
            counts[count++] = (struct tp_bench_count){summary->rows[r].kind, summary->rows[r].name,
                                                      calls_per_step(summary, &summary->rows[r], arena)};
    return count;
}

/* Returns whether the summary has a row for every name that was called. A kind with the maximum number of rows may lack
 * names. */
static bool has_all_names(const struct tp_summary *summary)
{
    size_t counts[TP_SUMMARY_KIND_COUNT] = {0};
    for (uint32_t r = 0; r < summary->row_count; r++)
        if (++counts[summary->rows[r].kind] >= TP_MAX_SUMMARY_ROWS && is_counted_kind(summary->rows[r].kind))
            return false;
    return true;
}

/* Sets the counts of the run, one per kind and name; rows that differ only in shape, type or owner are added up. Copies
 * the names, because the counts outlive the summaries. */
static void store_counts(struct load *load, struct tp_bench_count *all, size_t count)
{
    struct tp_bench_run *run = load->run;
    tp_merge_sort(&load->scratch, all, count, sizeof *all, compare_by_kind_and_name, NULL);
    run->counts = tp_arena_array(load->kept, count, sizeof *run->counts);
    for (size_t i = 0; i < count; i++) {
        struct tp_bench_count *last = run->exact_count_count ? &run->counts[run->exact_count_count - 1] : NULL;
        if (last && compare_by_kind_and_name(last, &all[i], NULL) == 0) {
            last->calls += all[i].calls;
            continue;
        }
        const char *name = tp_arena_copy(load->kept, all[i].name.ptr, all[i].name.len);
        run->counts[run->exact_count_count++] =
            (struct tp_bench_count){all[i].kind, {name, all[i].name.len}, all[i].calls};
    }
}

/* ---- loading of one run ---- */

static void average_levels_of_traces(struct load *load, const struct tp_summaries *summaries)
{
    for (int q = 0; q <= TP_BENCH_HOST_OPS; q++) {
        double sum = 0;
        size_t count = 0;
        for (size_t i = 0; i < summaries->count; i++) {
            double level = tp_bench_level(&summaries->items[i], (enum tp_bench_quantity)q, &load->scratch);
            sum += isnan(level) ? 0 : level;
            count += !isnan(level);
        }
        load->run->level[q] = count ? sum / (double)count : NAN;
    }
}

static void add_all_counts(struct load *load, const struct tp_summaries *summaries)
{
    size_t count = 0;
    load->run->has_all_counts = summaries->count > 0;
    for (size_t i = 0; i < summaries->count; i++) {
        count += summaries->items[i].row_count;
        load->run->has_all_counts &= has_all_names(&summaries->items[i]);
    }
    struct tp_bench_count *all = tp_arena_array(&load->scratch, count, sizeof *all);
    count = 0;
    for (size_t i = 0; i < summaries->count; i++)
        count = add_counts_of_summary(all, count, &summaries->items[i], &load->scratch);
    store_counts(load, all, count);
}

static int load_samples_in_guard(void *context, struct tp_error *err)
{
    struct load *load = context;
    struct tp_summaries_options how = TP_SUMMARIES_OPTIONS;
    struct tp_summaries summaries = {0};
    struct tp_error none = {0};
    struct tp_console quiet = *load->source->console; /* without notices, because every run would repeat them */
    quiet.is_quiet = true;
    how.path_count = find_traces((const char ***)(uintptr_t)&how.paths, load, &none);
    how.console = &quiet;
    how.extent = TP_SUMMARY_WHOLE; /* summaries of less data (smaller extents) have no kernels */
    how.read.skips_hash = true;
    int code = how.path_count ? tp_summaries_load(&summaries, &load->scratch, &how, err) : TP_OK;
    if (code == TP_ENOTFOUND)
        code = TP_OK; /* unusable traces do not stop `bench`; the reason for each is already printed */
    if (code < 0)
        return code;
    *load->trace_count = summaries.count;
    average_levels_of_traces(load, &summaries);
    add_all_counts(load, &summaries);
    return TP_OK;
}

int tp_bench_samples_load(struct tp_bench_run *run, size_t *trace_count, const struct tp_bench_source *source,
                          struct tp_arena *arena, struct tp_error *err)
{
    struct load load = {.run = run, .trace_count = trace_count, .source = source, .kept = arena};
    *trace_count = 0;
    for (int q = 0; q <= TP_BENCH_HOST_OPS; q++)
        run->level[q] = NAN;
    tp_arena_init(&load.scratch, 0);
    int code = tp_arena_run_both(&load.scratch, arena, load_samples_in_guard, &load, err);
    tp_arena_release(&load.scratch);
    return code;
}
