/* Runs a report: see report_session.h.
 *
 * Each profile is released after the receiver has used it. Only the receiver's data and a small summary of each rank,
 * for the comparison of ranks, remain. For a large trace, a second thread computes the advice while this thread builds
 * the views. Both threads only read the trace and the order of its events. */
#include "webreport/session/report_session.h"

#include <stdlib.h>

#include "webreport/compare/job/job_build.h"
#include "webreport/document/words/words.h"
#include "webreport/measure/program/program_steps.h"
#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/summary/summary_slots.h"
#include "webreport/session/comparison.h"
#include "webreport/session/inputs.h"
#include "webreport/session/joined_snapshot.h"
#include "webreport/session/run_programs.h"
#include "webreport/session/stored_history.h"
#include "webreport/session/trace_walk.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"
#include "writer/worker.h"

struct rank {
    uint64_t span;
    struct tp_rank_summary summary;
    struct tp_step_slots slots;
    int64_t number;   /* rank number; TP_NULL_INT if unknown */
    bool is_damaged;  /* true: the trace of the rank is damaged */
    uint32_t *labels; /* for each step in `slots`: id of the step's name in report->labels */
};

struct report {
    const struct tp_report_session *session;
    const struct tp_report_receiver *receiver;
    struct tp_trace_walk walk;
    struct tp_arena arena; /* memory for the whole report, such as runs and summaries of ranks */
    struct rank *ranks;    /* the ranks of the current run so far */
    size_t rank_count;
    struct tp_run_programs programs; /* programs of the current run, recorded from outside */
    size_t earlier_run_file_count;   /* number of files in the runs before the current one */
    bool has_several; /* true: the run has several files; they can be ranks of one job, so their steps are kept for the
                         replay */
    struct tp_strings labels;           /* names of the steps of all ranks in the current run */
    struct tp_comparison comparison;    /* comparison with the baseline */
    struct tp_joined_snapshot snapshot; /* memory snapshot of the same run */
    const char *line;                   /* line with the verdict if the report has only one profile; otherwise NULL */
    /* run and worker of the last profile whose trace is the main trace of its process; main_trace_run is NULL before
     * the first */
    const struct tp_run *main_trace_run;
    struct tp_str main_trace_worker;
};

/* ---- work on one profile ---- */

/* Context of start_received_profile: a profile and its report. */
struct received {
    const struct report *report;
    struct tp_profile profile;
};

static void start_received_profile(void *context)
{
    const struct received *received = context;
    const struct report *report = received->report;
    report->receiver->start_profile(report->session->context, &received->profile);
}

/* Prints the verdict of a profile on the console if the report has few profiles. The verdict of a single profile is
 * instead stored, to be printed at the end. */
static void print_verdict_of_profile(struct report *report, const struct tp_walked *walked,
                                     const struct tp_profile *profile)
{
    enum { PROFILES_WITH_PRINTED_VERDICT = 4 };
    if (report->walk.file_count > PROFILES_WITH_PRINTED_VERDICT ||
        (!walked->file->is_program && walked->file->is_helper))
        return;
    const char *line = report->receiver->line(report->session->context, profile, &walked->analysis->arena);
    if (report->walk.file_count == 1)
        report->line = tp_text_printf(&report->arena, "%s: %s", walked->file->base, line);
    else
        tp_console_notice(report->session->console, "%s: %s", walked->file->base, line);
}

/* Prints the last line: the verdict of a single profile, and the paths of the written outputs. */
static void print_run_totals(const struct report *report, bool is_written)
{
    const struct tp_report_session *session = report->session;
    size_t count = is_written ? session->output_count : 0;
    if (report->line)
        tp_console_print_line_and_written(session->console, report->line, session->outputs, count);
    else
        tp_console_print_written(session->console, session->outputs, count);
}

/* Stores the data that is needed to compare a rank with other ranks. */
static void add_rank(struct report *report, const struct tp_run_file *file, const struct tp_analysis *a)
{
    struct rank *rank = &report->ranks[report->rank_count++];
    rank->span = file->span;
    tp_rank_summary_build(&rank->summary, file->worker, &a->model, &a->views.overview, &report->arena);
    if (!report->has_several)
        return;
    rank->is_damaged = tp_evidence_unmet_needs(&a->trace.evidence) != 0;
    rank->number = tp_slots_build_from_trace(&rank->slots, &a->trace, &a->model, file->worker, &report->arena);
    rank->labels = tp_arena_array(&report->arena, rank->slots.step_count, sizeof *rank->labels);
    for (uint32_t s = 0; s < rank->slots.step_count; s++)
        rank->labels[s] = tp_strings_add(&report->labels, a->model.steps[rank->slots.steps[s]].name);
}

/* Returns the process id in a worker name of the form "HOST_PID_inside"; -1 if it has none. */
static int64_t pid_of_file(const struct tp_run_file *file)
{
    size_t end = file->worker.len - (sizeof TP_WORKER_INSIDE - 1), begin = end;
    while (begin && file->worker.ptr[begin - 1] >= '0' && file->worker.ptr[begin - 1] <= '9')
        begin--;
    return begin < end && end - begin < 12 ? atoll(file->worker.ptr + begin) : -1;
}

/* Returns the index of a trace that was recorded inside one of the program's processes. Of several such traces, chooses
 * the process with the highest peak memory. Returns `own` if none exists. */
static size_t find_largest_inner_trace(const struct tp_run *run, const struct tp_program_view *program, size_t own)
{
    size_t found = own;
    int64_t most = -1;
    for (size_t i = 0; i < run->file_count; i++) {
        int64_t pid = run->files[i].is_silent ? pid_of_file(&run->files[i]) : -1;
        for (uint32_t p = 0; pid >= 0 && p < program->tree.process_count; p++) {
            const struct tp_tree_process *process = &program->tree.processes[p];
            if (process->pid != pid || process->peak_bytes <= most)
                continue;
            found = i;
            most = process->peak_bytes;
        }
    }
    return found;
}

/* Returns the index of the trace of a program that was recorded from outside, for the trace `own` from inside one of
 * its processes. This is the first file before `own` that is not of a helper process; `own` if none exists. */
static size_t find_program_recorded_from_outside(const struct tp_run *run, size_t own)
{
    for (size_t i = 0; i < own; i++)
        if (!run->files[i].is_helper)
            return i;
    return own;
}

/* Adds the data of a program that was recorded from outside to the profile of one of its processes, for each step. Also
 * links both profiles to each other. */
static void add_program_data_to_profile(struct report *report, const struct tp_walked *walked,
                                        struct tp_profile *profile)
{
    size_t own = report->walk.done_count - report->earlier_run_file_count, other = own;
    struct tp_analysis *a = walked->analysis;
    if (walked->file->is_program)
        other = tp_run_programs_find_first_file(&report->programs, own);
    else if (walked->file->is_silent && !report->programs.count)
        other = find_program_recorded_from_outside(walked->run, own);
    else if (a->advice.program.is_present && !walked->file->is_helper)
        other = find_largest_inner_trace(walked->run, &a->advice.program, own);
    else if (!walked->file->is_helper)
        profile->steps = tp_run_programs_find_steps(&report->programs, own, &a->model, &other, &a->arena);
    profile->linked = (int)other - (int)own;
    if (!profile->steps)
        return;
    a->advice.verdict.ready_percent = tp_program_steps_ready_percent(profile->steps);
    tp_fill_verdict_texts(&a->advice.verdict, &a->advice.program, &a->model, &a->arena);
}

static int report_trace(void *context, const struct tp_walked *walked, struct tp_error *err)
{
    struct report *report = context;
    const struct tp_report_session *session = report->session;
    const struct tp_run_file *file = walked->file;
    struct tp_analysis *a = walked->analysis;
    struct received received = {report, tp_walked_profile(walked)};
    bool is_accompanying = file->main_worker.len && report->main_trace_run == walked->run &&
                           tp_str_equal(report->main_trace_worker, file->main_worker);
    int code = TP_OK;
    /* a trace of tracepress becomes the main trace if PyTorch's own trace of the same process was unusable */
    if (!is_accompanying) {
        received.profile.main_worker = TP_STR("");
        report->main_trace_run = walked->run;
        report->main_trace_worker = file->worker;
    }
    tp_analysis_build(a, start_received_profile, &received);
    if (file->is_silent || is_accompanying) {
        tp_advice_remove_verdict(&a->advice);
        tp_fill_verdict_texts(&a->advice.verdict, &a->advice.program, &a->model, &a->arena);
    }
    if (session->baseline && !file->is_helper)
        code = tp_comparison_add(&report->comparison, file, a, err);
    if (code < 0)
        return code;
    if (session->snapshot && !file->is_helper && !file->is_silent)
        tp_joined_snapshot_add(&report->snapshot, file->worker, &a->model, &report->arena);
    add_program_data_to_profile(report, walked, &received.profile);
    if (!file->is_silent)
        tp_inputs_print_notices(session->console, file->path, &a->trace);
    tp_inputs_print_joined(session->console, file->path, &a->model, &a->arena);
    print_verdict_of_profile(report, walked, &received.profile);
    if (!file->is_helper) /* helper processes are not ranks */
        add_rank(report, file, a);
    return report->receiver->profile(session->context, &received.profile, err);
}

static int report_failed_trace(void *context, const struct tp_walked *walked, const char *why, struct tp_error *err)
{
    const struct report *report = context;
    struct tp_profile named = tp_walked_profile(walked);
    return report->receiver->failed(report->session->context, &named, why, err);
}

/* ---- work on one run ---- */

static int compare_by_span(const void *x, const void *y, const void *context)
{
    const struct rank *a = x, *b = y;
    (void)context;
    return (a->span > b->span) - (a->span < b->span);
}

static int compare_by_number(const void *x, const void *y, const void *context)
{
    const struct tp_graph_source *a = x, *b = y;
    (void)context;
    return (a->number > b->number) - (a->number < b->number);
}

/* Returns the undamaged ranks, sorted by rank number. If a number is unknown or occurs twice, all ranks get their
 * positions as numbers. *count: on entry, number of ranks; on return, number of undamaged ranks. */
static struct tp_graph_source *order_ranks(struct report *report, const struct rank *ranks, uint32_t *count)
{
    struct tp_graph_source *sources = tp_arena_array(&report->arena, *count, sizeof *sources);
    uint32_t whole = 0, *places = tp_arena_array(&report->arena, *count, sizeof *places);
    bool has_rank_numbers = true;
    for (uint32_t r = 0; r < *count; r++) {
        if (ranks[r].is_damaged)
            continue;
        places[whole] = r;
        sources[whole++] =
            (struct tp_graph_source){&ranks[r].slots, ranks[r].labels, ranks[r].number, 0, ranks[r].slots.host};
        has_rank_numbers &= ranks[r].number >= 0;
    }
    tp_merge_sort(&report->arena, sources, whole, sizeof *sources, compare_by_number, NULL);
    for (uint32_t r = 1; r < whole; r++)
        has_rank_numbers &= sources[r - 1].number != sources[r].number;
    for (uint32_t r = 0; r < whole && !has_rank_numbers; r++) {
        const struct rank *rank = &ranks[places[r]];
        sources[r] = (struct tp_graph_source){&rank->slots, rank->labels, places[r], 0, rank->slots.host};
    }
    *count = whole;
    return sources;
}

/* Replays the steps of the ranks, as for a job. Sets view->job and view->is_cause_of_loss if the replay is valid. span:
 * array of rank summaries, to which view->ranks points. */
static void replay_ranks(struct report *report, struct tp_distributed *view, const struct rank *ranks, uint32_t count,
                         const struct tp_rank_summary *span)
{
    struct tp_job *job = tp_arena_alloc(&report->arena, sizeof *job);
    uint32_t whole = count;
    const struct tp_graph_source *sources = order_ranks(report, ranks, &whole);
    if (whole < 2)
        return;
    tp_job_init(job, &report->arena, TP_STR(""), TP_NULL_INT);
    tp_job_replay_add_steps(job, sources, whole, &report->labels, view);
    if (job->what_if.why_not)
        return;
    bool *is_cause_of_loss = tp_arena_array(&report->arena, count, sizeof *is_cause_of_loss);
    view->is_cause_of_loss = tp_arena_array(&report->arena, view->rank_count, sizeof *view->is_cause_of_loss);
    view->job = job;
    for (size_t i = 0; i < job->what_if.causes.count; i++) {
        const struct tp_cause *cause = TP_AT(&job->what_if.causes, struct tp_cause, i);
        bool is_own = cause->kind < TP_CAUSE_SEQUENCE || cause->kind >= TP_CAUSE_UNEQUAL;
        for (uint32_t r = 0; r < cause->rank_count && is_own; r++)
            for (uint32_t k = 0; k < count; k++)
                is_cause_of_loss[k] |= sources[cause->ranks[r]].slots == &ranks[k].slots;
    }
    for (uint32_t r = 0; r < view->rank_count; r++)
        view->is_cause_of_loss[r] = is_cause_of_loss[view->ranks[r] - span];
}

/* Compares the ranks of each recording of a run, and passes the results to the receiver. */
static int compare_ranks(struct report *report, const struct tp_run *run, struct tp_error *err)
{
    struct rank *ranks = report->ranks;
    size_t count = report->rank_count;
    struct tp_rank_summary *span = tp_arena_array(&report->arena, count, sizeof *span);
    int code = TP_OK;
    /* the sort is stable, so that workers keep their order within each recording */
    tp_merge_sort(&report->arena, ranks, count, sizeof *ranks, compare_by_span, NULL);
    for (size_t first = 0, end; first < count && code == TP_OK; first = end) {
        struct tp_distributed view;
        for (end = first; end < count && ranks[end].span == ranks[first].span; end++)
            span[end - first] = ranks[end].summary;
        int64_t number = ranks[first].span ? (int64_t)ranks[first].span : TP_NULL_INT;
        tp_distributed_build(&view, number, span, (uint32_t)(end - first), &report->arena);
        view.peaks_file = report->session->rules.peaks;
        replay_ranks(report, &view, ranks + first, (uint32_t)(end - first), span);
        code = report->receiver->distributed(report->session->context, run->name, &view, err);
    }
    return code;
}

static int begin_run(void *context, const struct tp_run *run, struct tp_error *err)
{
    struct report *report = context;
    (void)err;
    report->ranks = tp_arena_array(&report->arena, run->file_count, sizeof *report->ranks);
    report->rank_count = 0;
    report->has_several = run->file_count > 1;
    report->earlier_run_file_count = report->walk.done_count;
    tp_run_programs_close(&report->programs);
    tp_run_programs_open(&report->programs, run, &report->walk.read, &report->arena);
    tp_strings_init(&report->labels, &report->arena, 0);
    report->receiver->begin_run(report->session->context, run->name);
    return TP_OK;
}

static int end_run(void *context, const struct tp_run *run, struct tp_error *err)
{
    struct report *report = context;
    report->receiver->end_profiles(report->session->context);
    int code = compare_ranks(report, run, err);
    return code < 0 ? code : report->receiver->end_run(report->session->context, err);
}

/* ---- the whole report ---- */

static int add_history(struct report *report, struct tp_error *err)
{
    const struct tp_report_session *session = report->session;
    struct tp_stored_history history;
    int code = tp_stored_history_load(&history, session->history, &report->arena, session->console, err);
    return code < 0 ? code : report->receiver->history(session->context, history.runs, history.count, err);
}

static int open_baseline(struct report *report, struct tp_error *err)
{
    const struct tp_report_session *session = report->session;
    struct tp_diff_read how = {
        .read = session->read, .rules = &session->rules, .console = session->console, .has_trees = true};
    const char *name = tp_inputs_last_path_part(&report->arena, session->inputs[0]);
    report->receiver->reserve(session->context);
    return tp_comparison_open_base(&report->comparison, session->baseline, name, &how, err);
}

static size_t count_without_communication(const struct tp_runs *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++)
        for (size_t k = 0; k < runs->items[i].file_count; k++)
            count += runs->items[i].files[k].is_silent;
    return count;
}

static int open_report(void *context, struct tp_error *err)
{
    struct report *report = context;
    const struct tp_report_session *session = report->session;
    size_t count = report->walk.file_count;
    int code =
        report->receiver->open(session->context, count, count - count_without_communication(&report->walk.runs), err);
    if (code == TP_OK && session->history)
        code = add_history(report, err);
    if (code == TP_OK && session->baseline)
        code = open_baseline(report, err);
    if (code == TP_OK && session->snapshot) {
        report->receiver->reserve(session->context);
        code = tp_joined_snapshot_read(&report->snapshot, session->snapshot, &session->read, session->console,
                                       &report->arena, err);
    }
    return code;
}

static int run_report(void *context, struct tp_error *err)
{
    struct report *report = context;
    const struct tp_report_session *session = report->session;
    int code = tp_trace_walk(&report->walk, err);
    if (code == TP_OK && session->baseline) {
        tp_comparison_build(&report->comparison, &(struct tp_compare_options){0}, &report->arena);
        code = report->receiver->comparison(session->context, &report->comparison.compare, err);
    }
    if (code == TP_OK && session->snapshot)
        code = report->receiver->snapshot(session->context, &report->snapshot, err);
    code = code < 0 ? code : report->receiver->commit(session->context, err);
    print_run_totals(report, code == TP_OK);
    return code;
}

int tp_report_session_run(const struct tp_report_session *session, struct tp_error *err)
{
    static const struct tp_walk_user user = {open_report, begin_run, report_trace, report_failed_trace, end_run};
    struct report report = {.session = session, .receiver = session->receiver};
    report.walk = (struct tp_trace_walk){.inputs = session->inputs,
                                         .input_count = session->input_count,
                                         .read = session->read,
                                         .rules = &session->rules,
                                         .console = session->console,
                                         .arena = &report.arena,
                                         .user = &user,
                                         .context = &report};
    report.walk.read.wants_arguments = true;
    tp_arena_init(&report.arena, 0);
    int code = tp_arena_run(&report.arena, run_report, &report, err);
    tp_console_progress_end(session->console);
    tp_comparison_close(&report.comparison);
    tp_run_programs_close(&report.programs);
    tp_arena_release(&report.arena);
    return code;
}
