/* Runs `tracepress bench A B`: runs two commands alternately until the wanted effect can be detected, and prints the
 * result. */
#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/launch/run_folder.h"
#include "webreport/cli/bench_child.h"
#include "webreport/cli/bench_revisions.h"
#include "webreport/cli/cmd.h"
#include "webreport/document/commands/bench_document.h"
#include "webreport/session/bench_samples.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "writer/base/fs.h"
#include "writer/base/input.h"
#include "writer/text/format.h"

enum { A, B, SIDES, DEFAULT_RUNS = 30, MOST_RUNS = 1000, SHOWN_OUTPUT = 4096 };

struct options {
    struct tp_opt_common common;
    struct tp_opt_list revisions;
    const char *effect, *fail_above, *max_time, *setup, *traces, *out, *json, *markdown, *text;
    int64_t max_runs, warmup, seed;
    int quantity, inconclusive;
    bool no_record;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"rev", 0, TP_OPT_LIST, AT(revisions), NULL},
    {"setup", 0, TP_OPT_TEXT, AT(setup), NULL},
    {"effect", 0, TP_OPT_TEXT, AT(effect), NULL},
    {"fail-above", 0, TP_OPT_TEXT, AT(fail_above), NULL},
    {"quantity", 0, TP_OPT_CHOICE, AT(quantity), "auto|step|kernels|host_ops|wall|cpu"},
    {"inconclusive", 0, TP_OPT_CHOICE, AT(inconclusive), "pass|fail"},
    {"max-runs", 0, TP_OPT_INT, AT(max_runs), NULL},
    {"max-time", 0, TP_OPT_TEXT, AT(max_time), NULL},
    {"warmup", 0, TP_OPT_INT, AT(warmup), NULL},
    {"seed", 0, TP_OPT_INT, AT(seed), NULL},
    {"traces", 0, TP_OPT_PATH, AT(traces), NULL},
    {"no-record", 0, TP_OPT_FLAG, AT(no_record), NULL},
    {"keep", 0, TP_OPT_PATH, AT(out), NULL},
    {"output", 'o', TP_OPT_PATH, AT(text), NULL},
    {"json", 0, TP_OPT_PATH, AT(json), NULL},
    {"markdown", 0, TP_OPT_PATH, AT(markdown), NULL},
    TP_OPT_COMMON(struct options),
};

struct job {
    const struct options *options;
    struct tp_console *console;
    char **operands;
    size_t operand_count;
    struct tp_bench_goal goal;
    int64_t max_ns; /* time limit for all runs, ns; 0: no limit */
    uint64_t seed;
    const char *names[SIDES], *commands[SIDES];
    /* self: path of this program. kept: folder in which traces are kept; "": traces are not kept */
    char self[PATH_MAX], kept[PATH_MAX];
    struct tp_bench_folders folders;
    struct tp_bench_run *runs;
    size_t run_count;
    unsigned number; /* number of commands that were run, without warm-ups */
    int64_t started_ns;
    struct tp_bench bench;
    enum tp_bench_stop stop;
    int exit_code; /* exit code if the work is stopped before its end */
    struct tp_cmd_work work;
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- one command ---- */

/* Prints the last part of the output that a failed command wrote. */
static void print_output_of_failed_command(const struct job *job)
{
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_input_read_all(&text, job->folders.log, TP_INPUT_FILE, NULL);
    size_t shown = text.size < SHOWN_OUTPUT ? text.size : SHOWN_OUTPUT;
    if (shown < text.size)
        fputs("...\n", stderr);
    fwrite(text.data + text.size - shown, 1, shown, stderr);
    if (shown && text.data[text.size - 1] != '\n')
        fputc('\n', stderr);
    tp_buf_release(&text);
}

/* Sets the exit code and the error after a signal or a failure of the command. Returns a negative status, so that the
 * caller stops. */
static int set_error_of_early_stop(struct job *job, const struct tp_bench_child *child, const char *name)
{
    if (child->stop_signal) {
        job->exit_code = 128 + child->stop_signal;
        return tp_error_set(&job->work.err, TP_EIO, 0, "interrupted after %u runs", job->number);
    }
    job->exit_code = TP_EXIT_NO_INPUT;
    if (child->start_error)
        return tp_error_set(&job->work.err, TP_EIO, 0, "%s: %s", name, strerror(child->start_error));
    tp_console_progress_end(job->console);
    print_output_of_failed_command(job);
    return tp_error_set(&job->work.err, TP_EIO, 0, "%s failed with exit code %d; its output is above", name,
                        child->exit_code);
}

static int run_child(struct job *job, struct tp_bench_child *child, const char *name)
{
    child->output = job->folders.log;
    child->stop_signal = tp_bench_child_pending_signal();
    if (!child->stop_signal)
        tp_bench_child_run(child);
    bool is_good = !child->stop_signal && !child->start_error && child->exit_code == 0;
    return is_good ? TP_OK : set_error_of_early_stop(job, child, name);
}

/* Returns the argument list of a side's command, in the arena. If the command is recorded into `folder`, the list
 * begins with the `record` command. */
static char *const *make_command_words(struct job *job, int side, const char *folder)
{
    const char *const record[] = {job->self, "record", "--quiet", "--no-tfevents", "-o", folder, "--"};
    const char *const shell[] = {"/bin/sh", "-c", job->commands[side]};
    bool is_shell = job->options->revisions.count == 0;
    size_t own = is_shell ? 3 : job->operand_count, count = 0;
    const char **words = tp_arena_array(&job->work.arena, sizeof record / sizeof *record + own + 1, sizeof *words);
    for (size_t i = 0; folder && i < sizeof record / sizeof *record; i++)
        words[count++] = record[i];
    for (size_t i = 0; i < own; i++)
        words[count++] = is_shell ? shell[i] : job->operands[i];
    words[count] = NULL;
    return (char *const *)words;
}

/* ---- results of a command ---- */

/* Replaces the times of the command by those of the program that the command ran, if `record` has stored these times in
 * `folder`. */
static void read_times(const char *folder, int64_t *wall_ns, int64_t *cpu_ns)
{
    struct tp_run_folder run = {.lock = -1};
    struct tp_run_note note = {0};
    DIR *stream = opendir(folder);
    for (struct dirent *entry = stream ? readdir(stream) : NULL; entry; entry = readdir(stream)) {
        int n = snprintf(run.home, sizeof run.home, "%s/%s", folder, entry->d_name);
        if (*entry->d_name == '.' || n < 0 || (size_t)n >= sizeof run.home || !tp_run_folder_read_note(&run, &note) ||
            note.ended_ns <= note.started_ns)
            continue;
        *wall_ns = note.ended_ns - note.started_ns;
        *cpu_ns = note.cpu_us * 1000;
    }
    if (stream)
        closedir(stream);
}

static const char *find_traces_of_run(struct job *job, int side, const char *recorded)
{
    const char *traces = job->options->traces, *work = job->folders.work[side];
    if (!traces || *traces == '/' || !*work)
        return traces ? traces : recorded;
    return tp_text_printf(&job->work.arena, "%s/%s", work, traces);
}

static int store_run(struct job *job, int side, const struct tp_bench_child *child, const char *recorded,
                     int64_t since_ns)
{
    struct tp_bench_run *run = &job->runs[job->run_count];
    int64_t wall_ns = child->wall_ns, cpu_ns = child->cpu_ns;
    const char *traces = find_traces_of_run(job, side, recorded);
    const struct tp_bench_source source = {traces, job->options->traces ? since_ns : 0, job->console};
    size_t trace_count = 0;
    int code = TP_OK;
    *run = (struct tp_bench_run){.side = side, .pair = (unsigned)(job->run_count / 2)};
    for (int q = 0; q < TP_BENCH_QUANTITIES; q++)
        run->level[q] = NAN;
    if (traces)
        code = tp_bench_samples_load(run, &trace_count, &source, &job->work.arena, &job->work.err);
    if (code == TP_OK && job->options->traces && !trace_count) {
        job->exit_code = TP_EXIT_NO_INPUT;
        return tp_error_set(&job->work.err, TP_ENOTFOUND, 0, "%s wrote no trace to %.200s", job->names[side], traces);
    }
    if (recorded)
        read_times(recorded, &wall_ns, &cpu_ns);
    run->level[TP_BENCH_WALL] = wall_ns > 0 ? log((double)wall_ns) : NAN;
    run->level[TP_BENCH_CPU] = cpu_ns > 0 ? log((double)cpu_ns) : NAN;
    run->busy = wall_ns > 0 ? (double)cpu_ns / (double)wall_ns : NAN;
    job->run_count++;
    return code;
}

/* Runs a side once. Ignores the results if the run is a warm-up. */
static int run_side_once(struct job *job, int side, bool is_warmup)
{
    bool is_recorded = !job->options->no_record && !job->options->traces;
    bool is_kept = *job->kept && !is_warmup;
    const char *folder = NULL;
    if (is_recorded)
        folder = is_kept ? tp_text_printf(&job->work.arena, "%s/%c/%03u", job->kept, "AB"[side], job -> number / 2 + 1)
                         : tp_text_printf(&job->work.arena, "%s/run", job->folders.temporary);
    struct tp_bench_child child = {.argv = make_command_words(job, side, folder),
                                   .folder = *job->folders.work[side] ? job->folders.work[side] : NULL,
                                   .side = side == A ? "A" : "B",
                                   .number = is_warmup ? 0 : job->number + 1};
    /* reads the clock of the file system, because the time is compared with times of files */
    int64_t since_ns = clock_ns(CLOCK_REALTIME_COARSE);
    int code = run_child(job, &child, job->names[side]);
    if (code == TP_OK && !is_warmup) {
        job->number++;
        code = store_run(job, side, &child, folder, since_ns);
    }
    if (folder && !is_kept)
        tp_bench_remove_folder(folder);
    return code;
}

/* ---- all runs ---- */

static void judge_pairs(struct job *job)
{
    tp_bench_judge(&job->bench, job->runs, job->run_count, &job->goal, &job->work.arena);
}

static void show_progress(struct job *job, int side)
{
    const char *known = job->run_count >= 4 ? tp_bench_progress_text(&job->bench, &job->work.arena) : "";
    tp_console_progress(job->console, "run %u: %s%s%s", job->number + 1, job->names[side], *known ? "; " : "", known);
}

/* Returns whether another pair of runs would exceed --max-time if it took as long as the mean of the previous pairs. */
static bool is_time_over(const struct job *job, unsigned pairs)
{
    int64_t used_ns = clock_ns(CLOCK_MONOTONIC) - job->started_ns;
    return job->max_ns && pairs && used_ns + used_ns / pairs > job->max_ns;
}

static int run_pairs(struct job *job)
{
    struct tp_bench_checks checks = {0};
    int code = TP_OK;
    job->stop = TP_BENCH_STOP_RUNS;
    for (unsigned pair = 0; pair < job->goal.max_runs && code == TP_OK; pair++) {
        int first = tp_bench_first_side(job->seed, pair);
        if (is_time_over(job, pair)) {
            job->stop = TP_BENCH_STOP_TIME;
            break;
        }
        for (int i = 0; i < SIDES && code == TP_OK; i++) {
            show_progress(job, first ^ i);
            code = run_side_once(job, first ^ i, false);
        }
        if (code == TP_OK)
            judge_pairs(job);
        if (code == TP_OK && tp_bench_is_finished(&checks, &job->bench)) {
            job->stop = TP_BENCH_STOP_DECIDED;
            break;
        }
    }
    return code;
}

static int prepare_revision_of_side(struct job *job, int side)
{
    const struct options *o = job->options;
    const char *const shell[] = {"/bin/sh", "-c", o->setup, NULL};
    int code = TP_OK;
    if (o->revisions.count)
        code = tp_bench_folders_add(&job->folders, side, o->revisions.items[side], &job->work.err);
    if (code == TP_OK && o->setup) {
        struct tp_bench_child child = {.argv = (char *const *)(uintptr_t)shell,
                                       .folder = *job->folders.work[side] ? job->folders.work[side] : NULL,
                                       .side = side == A ? "A" : "B"};
        tp_console_progress(job->console, "setup of %s", job->names[side]);
        code = run_child(job, &child, "--setup");
    }
    return code;
}

static int prepare_sides(struct job *job)
{
    const char *keep = job->options->out;
    int code = tp_bench_folders_open(&job->folders, &job->work.err);
    if (code == TP_OK && keep && (code = tp_folder_make(keep, &job->work.err)) == TP_OK && !realpath(keep, job->kept))
        code = tp_error_set(&job->work.err, TP_EIO, 0, "%.200s cannot be found", keep);
    for (int side = 0; side < SIDES && code == TP_OK; side++)
        code = prepare_revision_of_side(job, side);
    for (int64_t i = 0; i < job->options->warmup * SIDES && code == TP_OK; i++) {
        tp_console_progress(job->console, "warm-up of %s", job->names[i % SIDES]);
        code = run_side_once(job, (int)(i % SIDES), true);
    }
    return code;
}

static int print_result(struct job *job)
{
    const struct options *o = job->options;
    bool is_taken = tp_is_stdout_path(o->text) || tp_is_stdout_path(o->json) || tp_is_stdout_path(o->markdown);
    const struct tp_cmd_output outputs[] = {{o->text    ? o->text
                                             : is_taken ? NULL
                                                        : "-",
                                             tp_print_text},
                                            {o->json, tp_print_json},
                                            {o->markdown, tp_print_markdown}};
    const struct tp_bench_report report = {.bench = &job->bench,
                                           .names = {job->names[A], job->names[B]},
                                           .commands = {job->commands[A], job->commands[B]},
                                           .stop = job->stop,
                                           .seed = job->seed};
    struct tp_document document;
    const int64_t all_rows = -1;
    tp_bench_document(&document, &report, &job->work.arena);
    return tp_cmd_write_outputs(&job->work, &document, outputs, sizeof outputs / sizeof *outputs,
                                &(struct tp_print_options){.row_limit = &all_rows});
}

static int run(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err; /* the parameter is unused, because errors are reported through job->work.err */
    job->runs = tp_arena_array(&job->work.arena, 2 * (size_t)job->goal.max_runs, sizeof *job->runs);
    int code = prepare_sides(job);
    job->started_ns = clock_ns(CLOCK_MONOTONIC);
    code = code < 0 ? code : run_pairs(job);
    tp_console_progress_end(job->console);
    tp_bench_folders_close(&job->folders);
    tp_bench_child_unblock_signals();
    return code < 0 ? code : print_result(job);
}

static int exit_code(const struct job *job, int code)
{
    if (job->exit_code)
        return job->exit_code;
    if (code < 0)
        return code == TP_EUSAGE ? TP_EXIT_USAGE : tp_inputs_exit_code(code);
    bool is_unclear = job->goal.has_limit ? job->bench.limit == TP_LIMIT_UNCLEAR : job->bench.verdict == TP_BENCH_OPEN;
    bool is_bad =
        (job->goal.has_limit && job->bench.limit == TP_LIMIT_FAIL) || (is_unclear && job->options->inconclusive == 1);
    return is_bad ? TP_EXIT_FOUND : TP_EXIT_DONE;
}

/* ---- options ---- */

/* Parses a time such as "90", "90s", "10m" or "1h", and sets *ns. Returns false for other texts. */
static bool read_time(int64_t *ns, const char *text)
{
    static const struct {
        const char *unit;
        double s;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
    char *end;
    *ns = 0;
    if (!text)
        return true;
    double value = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end != text && value > 0 && value < 1e6 && strcmp(end, units[i].unit) == 0) {
            *ns = (int64_t)(value * units[i].s * 1e9);
            return true;
        }
    return false;
}

/* Joins the words of a command to a text for people. */
static const char *join_words(struct tp_buf *text, char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tp_buf_printf(text, "%s%s", i ? " " : "", words[i]);
    tp_buf_putc(text, '\0');
    return text->failed ? "" : text->data;
}

/* Returns the FNV-1a hash of both commands, which seeds the random order. Equal calls therefore use the same order. */
static uint64_t choose_seed(const struct job *job)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int side = 0; side < SIDES; side++)
        for (const char *texts[] = {job->names[side], job->commands[side], NULL}, **text = texts; *text; text++)
            for (const char *at = *text;; at++) {
                hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
                if (!*at)
                    break;
            }
    return hash;
}

/* Returns what is wrong with the combination of options; NULL if the options are valid. */
static const char *find_wrong_option(struct job *job)
{
    const struct options *o = job->options;
    bool has_revisions = o->revisions.count > 0;
    if (has_revisions && o->revisions.count != SIDES)
        return "name two revisions: --rev A --rev B -- COMMAND";
    if (has_revisions && !job->operand_count)
        return "name the command that runs in both revisions: --rev A --rev B -- COMMAND";
    if (!has_revisions && job->operand_count != SIDES)
        return "name two commands, each as one word for the shell: bench 'python a.py' 'python b.py'";
    if (!tp_cmd_parse_percent(&job->goal.effect, o->effect ? o->effect : "2%") || !(job->goal.effect > 0))
        return "--effect wants per cent above 0: --effect 2%";
    if (!tp_cmd_parse_percent(&job->goal.max_excess_ratio, o->fail_above))
        return "--fail-above wants per cent from 0 on: --fail-above 3%";
    if (!read_time(&job->max_ns, o->max_time))
        return "--max-time wants seconds, or 90s, 10m, 1h";
    if (o->max_runs < 2 || o->max_runs > MOST_RUNS)
        return "--max-runs wants 2 to 1000";
    if (o->warmup < 0 || o->warmup > MOST_RUNS)
        return "--warmup wants 0 to 1000";
    if (o->traces && o->no_record)
        return "--traces and --no-record exclude each other";
    if (o->out && (o->traces || o->no_record))
        return "--keep needs recordings; remove --traces or --no-record";
    const char *const outputs[] = {o->text, o->json, o->markdown};
    return tp_inputs_find_conflict(&(struct tp_named_files){.outputs = outputs, .output_count = 3});
}

static const char *find_program_and_revisions(struct job *job, struct tp_buf *text)
{
    const struct options *o = job->options;
    ssize_t n = readlink("/proc/self/exe", job->self, sizeof job->self - 1);
    for (int side = 0; side < SIDES; side++) {
        job->names[side] = o->revisions.count ? o->revisions.items[side] : side == A ? "A" : "B";
        job->commands[side] = job->operands[side % (int)job->operand_count];
    }
    if (o->revisions.count)
        job->commands[A] = job->commands[B] = join_words(text, job->operands, job->operand_count);
    job->goal.has_limit = o->fail_above != NULL;
    job->goal.quantity = o->quantity - 1;
    job->goal.max_runs = (unsigned)o->max_runs;
    job->seed = o->seed >= 0 ? (uint64_t)o->seed : choose_seed(job);
    return n > 0 ? NULL : "cannot find the path of tracepress in /proc";
}

int tp_cmd_bench(int argc, char **argv)
{
    struct options o = {.max_runs = DEFAULT_RUNS, .warmup = 1, .seed = -1};
    struct tp_console console;
    struct job job = {.options = &o, .console = &console, .operands = argv, .work = {.console = &console}};
    struct tp_buf text;
    int code =
        tp_cmd_parse_command_line(&console, &(struct tp_cmd){"bench", table}, &o, argc, argv, &job.operand_count);
    if (code != TP_CMD_CONTINUES)
        return code;
    tp_buf_init(&text, 0);
    const char *wrong = find_wrong_option(&job);
    wrong = wrong ? wrong : find_program_and_revisions(&job, &text);
    if (wrong) {
        code = tp_cmd_print_usage_error(&console, "bench", wrong);
    } else {
        tp_bench_child_block_signals();
        code = exit_code(&job, tp_cmd_run_in_arena(&job.work, run, &job));
        tp_bench_folders_close(&job.folders); /* called even if memory ran out */
        tp_cmd_release(&job.work);
    }
    tp_buf_release(&text);
    return code;
}
