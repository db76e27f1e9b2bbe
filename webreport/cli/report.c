/* The report job: see report.h.
 *
 * One profile is in memory at a time: read, ordered, viewed, written as JSON and rendered, dropped. What must outlive
 * it is a small summary per rank (for the comparison over ranks) and the page's finished fragments. The advice is
 * computed on a second thread beside the views when the trace is large: both only read the trace and its order. */
#include "webreport/cli/report.h"

#include <pthread.h>
#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/model/model.h"
#include "webreport/model/order.h"
#include "webreport/trace/rundir.h"
#include "webreport/views/advice.h"
#include "webreport/views/distributed.h"
#include "webreport/views/views.h"
#include "writer/base/fs.h"

enum { THREAD_FROM_EVENTS = 20000 };

struct job {
    const struct tp_report_job *options;
    struct tp_console *console;
    struct tp_arena arena; /* of the whole job: runs, rank summaries */
    struct tp_runs runs;
    struct tp_outfile *json_file;
    struct tp_buf json_text;
    struct tp_json json;
    size_t usable_count, done_count, file_count;
    bool hit_limit;
    int code; /* exit code once something stops the job */
};

/* One profile while it is in memory. */
struct profile {
    struct tp_arena arena, advice_arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_views views;
    struct tp_advice advice;
    const struct tp_rule_overrides *rules;
    int advice_code;
};

static int stop(struct job *job, int exit_code, const char *what)
{
    tp_console_error(job->console, "%s", what);
    job->code = exit_code;
    return exit_code;
}

/* ---- one profile --------------------------------------------------------------------------------------------------
 */

static void *build_advice(void *argument)
{
    struct profile *p = argument;
    if (setjmp(p->advice_arena.guard)) {
        p->advice_code = p->advice_arena.code;
        return NULL;
    }
    tp_advice_build(&p->advice, &p->trace, &p->order, p->rules, &p->advice_arena);
    return NULL;
}

/* Views here, advice beside them or after them. Leaves through the arena's guard only when no thread is left running.
 */
static void build_views(struct profile *p)
{
    pthread_t thread;
    jmp_buf outer;
    bool has_thread = p->trace.event_count >= THREAD_FROM_EVENTS && pthread_create(&thread, NULL, build_advice, p) == 0;
    memcpy(&outer, &p->arena.guard, sizeof outer);
    if (setjmp(p->arena.guard) == 0) {
        tp_model_build(&p->model, &p->trace, &p->order, &p->arena);
        tp_views_build(&p->views, &p->trace, &p->model, &p->arena);
    }
    memcpy(&p->arena.guard, &outer, sizeof outer);
    if (has_thread)
        pthread_join(thread, NULL);
    else if (p->arena.code == 0)
        build_advice(p);
    if (p->arena.code || p->advice_code)
        tp_arena_fail(&p->arena, p->arena.code ? p->arena.code : p->advice_code);
}

static void begin_profile_json(struct job *job, const struct tp_run_file *file, const char *status)
{
    tp_json_object(&job->json);
    tp_json_member_str(&job->json, "worker", file->worker);
    if (file->span)
        tp_json_member_int(&job->json, "span", (int64_t)file->span);
    else
        tp_json_member_null(&job->json, "span");
    tp_json_member_text(&job->json, "file", file->base);
    tp_json_member_text(&job->json, "status", status);
}

/* Hands the JSON text so far to its file. */
static int flush_json(struct job *job)
{
    struct tp_error err = {0};
    if (!job->json_file)
        return TP_OK;
    int code = job->json_text.failed ? tp_error_set(&err, job->json_text.failed, 0, "out of memory")
                                     : tp_outfile_write(job->json_file, job->json_text.data, job->json_text.size, &err);
    tp_buf_clear(&job->json_text);
    return code < 0 ? stop(job, code == TP_EIO ? TP_EXIT_NO_OUTPUT : TP_EXIT_LIMIT, err.text) : TP_OK;
}

static void say_notices(struct job *job, const struct tp_run_file *file, const struct tp_reading *reading)
{
    for (int i = 0; i < TP_NOTICE_COUNT; i++)
        if (reading->notices[i])
            tp_console_notice(job->console, "%s: %s (%llu, first at byte %llu)", file->path,
                              tp_notice_text((enum tp_notice)i), (unsigned long long)reading->notices[i],
                              (unsigned long long)reading->notice_offset[i]);
}

/* An input that cannot be used: said, listed, and not fatal. */
static void fail_profile(struct job *job, const struct tp_run_file *file, const struct tp_error *err)
{
    tp_console_error(job->console, "%s: %s", file->path, err->text);
    job->hit_limit |= err->code == TP_ELIMIT;
    if (!job->json_file)
        return;
    begin_profile_json(job, file, "failed");
    tp_json_member_text(&job->json, "error", err->text);
    tp_json_object_end(&job->json);
}

static void write_profile_json(struct job *job, const struct tp_run_file *file, const struct profile *p)
{
    if (!job->json_file)
        return;
    begin_profile_json(job, file, "ok");
    tp_views_json(&p->views, &job->json);
    tp_advice_json(&p->advice, &job->json);
    tp_json_object_end(&job->json);
}

/* Reads, analyses and writes one input. rank: its summary for the comparison over ranks. 0 used, 1 failed, <0 job
 * stopped. */
static int run_profile(struct job *job, const struct tp_run_file *file, struct tp_rank_summary *rank)
{
    struct profile p = {.rules = &job->options->rules};
    struct tp_error err = {0};
    struct profile *volatile kept = &p;
    volatile int result = 1;
    tp_arena_init(&p.arena, 0);
    tp_arena_init(&p.advice_arena, 0);
    tp_console_progress(job->console, "reading %zu of %zu: %s", job->done_count + 1, job->file_count, file->base);
    if (setjmp(p.arena.guard) == 0) {
        int code = tp_trace_read(&kept->trace, &kept->arena, file->path, &job->options->read, &err);
        if (code < 0) {
            fail_profile(job, file, &err);
        } else {
            say_notices(job, file, &kept->trace.reading);
            tp_order_build(&kept->order, &kept->trace, &kept->arena);
            build_views(kept);
            write_profile_json(job, file, kept);
            tp_rank_summary_build(rank, file->worker, &kept->model, &kept->views.overview, &job->arena);
            result = 0;
        }
    } else {
        stop(job, TP_EXIT_LIMIT, kept->arena.code == TP_ELIMIT ? "a limit was reached" : "out of memory");
        result = -1;
    }
    tp_arena_release(&kept->advice_arena);
    tp_arena_release(&kept->arena);
    return result;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------
 */

struct rank {
    uint64_t span;
    struct tp_rank_summary summary;
};

/* Stable: ranks of a span stay in the order of their workers. */
static void sort_by_span(struct rank *ranks, size_t count, struct tp_arena *arena)
{
    struct rank *from = ranks, *to = tp_arena_array(arena, count, sizeof *to), *scratch = to;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t lo = 0; lo < count; lo += 2 * width) {
            size_t mid = lo + width < count ? lo + width : count, hi = mid + width < count ? mid + width : count;
            for (size_t i = lo, j = mid, k = lo; k < hi; k++)
                to[k] = i < mid && (j >= hi || from[i].span <= from[j].span) ? from[i++] : from[j++];
        }
        struct rank *swap = from;
        from = to;
        to = swap;
    }
    if (from != ranks)
        memcpy(ranks, from, count * sizeof *ranks);
    tp_arena_drop(arena, scratch, count * sizeof *scratch);
}

/* The comparison of each span's ranks. */
static void write_distributed(struct job *job, struct rank *ranks, size_t count)
{
    struct tp_rank_summary *span = tp_arena_array(&job->arena, count, sizeof *span);
    sort_by_span(ranks, count, &job->arena);
    for (size_t first = 0, end; first < count; first = end) {
        struct tp_distributed view;
        for (end = first; end < count && ranks[end].span == ranks[first].span; end++)
            span[end - first] = ranks[end].summary;
        int64_t number = ranks[first].span ? (int64_t)ranks[first].span : TP_NULL_INT;
        tp_distributed_build(&view, number, span, (uint32_t)(end - first), &job->arena);
        if (view.is_present && job->json_file)
            tp_distributed_json(&view, &job->json);
    }
}

static int run_run(struct job *job, const struct tp_run *run)
{
    struct rank *ranks = tp_arena_array(&job->arena, run->file_count, sizeof *ranks);
    size_t count = 0;
    tp_json_object(&job->json);
    tp_json_member_str(&job->json, "run_name", run->name);
    tp_json_key(&job->json, "profiles");
    tp_json_array(&job->json);
    for (size_t i = 0; i < run->file_count; i++) {
        int result = run_profile(job, &run->files[i], &ranks[count].summary);
        job->done_count++;
        if (result < 0 || flush_json(job))
            return job->code;
        if (result == 0)
            ranks[count++].span = run->files[i].span;
    }
    job->usable_count += count;
    tp_json_array_end(&job->json);
    tp_json_key(&job->json, "distributed");
    tp_json_array(&job->json);
    write_distributed(job, ranks, count);
    tp_json_array_end(&job->json);
    tp_json_object_end(&job->json);
    return flush_json(job);
}

static int run_all(struct job *job)
{
    tp_json_object(&job->json);
    tp_json_member_text(&job->json, "schema", "tracepress-views");
    tp_json_member_int(&job->json, "schema_version", 1);
    tp_json_key(&job->json, "runs");
    tp_json_array(&job->json);
    for (size_t i = 0; i < job->runs.count; i++)
        if (run_run(job, &job->runs.items[i]))
            return job->code;
    tp_json_array_end(&job->json);
    tp_json_object_end(&job->json);
    tp_buf_putc(&job->json_text, '\n');
    if (job->usable_count == 0)
        return job->hit_limit ? TP_EXIT_LIMIT : TP_EXIT_NO_INPUT;
    return flush_json(job);
}

/* ---- outputs ------------------------------------------------------------------------------------------------------
 */

static int open_outputs(struct job *job)
{
    struct tp_error err = {0};
    int code = TP_OK;
    if (job->options->json)
        code = tp_outfile_open(&job->json_file, job->options->json, &err);
    if (code < 0)
        return stop(job, code == TP_EIO ? TP_EXIT_NO_OUTPUT : TP_EXIT_LIMIT, err.text);
    return TP_OK;
}

static int commit_outputs(struct job *job)
{
    struct tp_error err = {0};
    if (job->json_file && tp_outfile_commit(&job->json_file, &err) < 0)
        return stop(job, TP_EXIT_NO_OUTPUT, err.text);
    return TP_OK;
}

static int find_inputs(struct job *job)
{
    struct tp_error err = {0};
    int code = tp_rundir_find(&job->runs, &job->arena, job->options->inputs, job->options->input_count, &err);
    if (code < 0)
        return stop(job, code == TP_ELIMIT ? TP_EXIT_LIMIT : TP_EXIT_NO_INPUT, err.text);
    for (size_t i = 0; i < job->runs.count; i++)
        job->file_count += job->runs.items[i].file_count;
    if (job->file_count == 0)
        return stop(job, TP_EXIT_NO_INPUT,
                    "no *.pt.trace.json[.gz] found; name the trace file itself if it is called otherwise");
    return TP_OK;
}

int tp_report_run(const struct tp_report_job *options)
{
    struct job state = {.options = options, .console = options->console};
    struct job *volatile job = &state;
    volatile int code;
    tp_arena_init(&state.arena, 0);
    tp_buf_init(&state.json_text, 0);
    tp_json_init(&state.json, &state.json_text);
    if (setjmp(state.arena.guard) == 0) {
        code = find_inputs(job);
        code = code ? code : open_outputs(job);
        code = code ? code : run_all(job);
        code = code ? code : commit_outputs(job);
    } else {
        code = stop(job, TP_EXIT_LIMIT, "out of memory");
    }
    tp_outfile_discard(&job->json_file);
    tp_console_progress_end(job->console);
    tp_buf_release(&job->json_text);
    tp_arena_release(&job->arena);
    return code;
}
