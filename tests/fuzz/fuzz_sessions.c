/* Reads a baseline and new files, compares and checks them as `diff` and `check` do, and writes the page, JSON and
 * every report.
 *
 * Input: a byte with the kinds of the files; the sizes of the baseline, the budget and run.json, two bytes each; then
 * the baseline, the budget, run.json and the new file. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/scratch_files.h"
#include "webreport/document/commands/check_document.h"
#include "webreport/document/commands/compare_document.h"
#include "webreport/print/print.h"
#include "webreport/session/check_session.h"
#include "webreport/session/comparison.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bits of the first byte. The baseline and the new input are each a trace or a summary, in a file or a folder. */
enum {
    BASE_IS_SUMMARY = 1,
    NEW_IS_SUMMARY = 2,
    ARE_FOLDERS = 4,
    HAS_BUDGET = 8,
    HAS_BASELINE = 16,
    HAS_RUN_FILE = 32,
    UPDATES = 64
};
enum { MOST = 192 << 20, PATH = 128 };

struct job {
    char folder[SCRATCH_PATH], base[PATH], run[PATH], budget[PATH];
    struct tp_comparison comparison;
    struct tp_check_session check;
    struct tp_console console;
    struct tp_arena arena;
};

static void make_file(const char *path, struct taken *from, size_t wanted)
{
    size_t size = take_size_from_input(from, wanted);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    abort_unless(fd >= 0 && write(fd, from->at, size) == (ssize_t)size && close(fd) == 0);
    from->at += size;
}

/* Writes the baseline or the new input into its own folder. Sets `path` to the argument for the command. */
static void write_file_of_side(char path[PATH], const struct job *job, const char *name, bool is_summary)
{
    snprintf(path, PATH, "%s/%s", job->folder, name);
    abort_unless(mkdir(path, 0700) == 0);
    strcat(path, is_summary ? "/w.tps" : "/w.pt.trace.json");
}

static void print_document(tp_print *print, const struct tp_document *document)
{
    const struct tp_print_options options = {.max_bytes = 400000};
    struct tp_buf out;
    tp_buf_init(&out, 0);
    int code = print(&out, document, &options, NULL);
    /* TP_ENOTFOUND is allowed, because this program has no embedded templates */
    abort_unless(code == 0 || code == TP_ELIMIT || code == TP_ENOTFOUND);
    if (code == 0 && !out.failed && (print == tp_print_json || print == tp_print_sarif))
        abort_unless(is_strict_json(out.data, out.size));
    if (code == 0 && print == tp_print_html)
        abort_unless(tp_str_find((struct tp_str){out.data, out.size}, "<script>alert") < 0);
    tp_buf_release(&out);
}

static int run_diff(void *context, struct tp_error *err)
{
    struct job *job = context;
    const struct tp_naming naming = {.arena = &job->arena};
    const struct tp_diff_read how = {.console = &job->console, .has_trees = true, .read.single_thread = true};
    struct tp_document document;
    const char *const paths[TP_SIDES] = {job->base, job->run};
    int code = tp_comparison_open(&job->comparison, paths, &how, err);
    if (code < 0)
        return code;
    tp_comparison_build(&job->comparison, &(struct tp_compare_options){0}, &job->arena);
    tp_compare_document(
        &document, &(struct tp_compare_shown){.compare = &job->comparison.compare, .naming = &naming, .max_rows = 300});
    print_document(tp_print_html, &document);
    print_document(tp_print_json, &document);
    return TP_OK;
}

static int check(void *context, struct tp_error *err)
{
    static tp_print *const printers[] = {tp_print_text, tp_print_json, tp_print_junit, tp_print_sarif};
    struct job *job = context;
    struct tp_document document;
    int code = tp_check_session_run(&job->check, &job->arena, err);
    if (code < 0)
        return code;
    abort_unless(!(job->check.check.is_damaged && job->check.check.verdict == TP_CHECK_FAIL));
    tp_check_document(&document, &job->check.check, &job->arena);
    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++)
        print_document(printers[i], &document);
    return tp_check_session_store(&job->check, &job->arena, err);
}

static void run_diff_or_check(struct job *job, uint64_t what)
{
    const char *inputs[] = {job->run};
    struct tp_error err = {0};
    tp_arena_init(&job->arena, MOST);
    tp_arena_run(&job->arena, run_diff, job, &err);
    tp_comparison_close(&job->comparison);
    tp_arena_release(&job->arena);
    job->check = (struct tp_check_session){.inputs = inputs,
                                           .input_count = 1,
                                           .budget = what & HAS_BUDGET ? job->budget : NULL,
                                           .baseline = what & (HAS_BASELINE | UPDATES) ? job->base : NULL,
                                           .updates_baseline = what & UPDATES,
                                           .read.single_thread = true,
                                           .console = &job->console};
    tp_arena_init(&job->arena, MOST);
    tp_arena_run(&job->arena, check, job, &err);
    tp_arena_release(&job->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct taken from = {data, data + size};
    struct job job = {.console = {.is_quiet = true}};
    uint64_t what = take_number_from_input(&from, 1);
    size_t base = take_number_from_input(&from, 2), budget = take_number_from_input(&from, 2),
           run_file = take_number_from_input(&from, 2);
    make_scratch_folder(job.folder);
    write_file_of_side(job.base, &job, "base", what & BASE_IS_SUMMARY);
    write_file_of_side(job.run, &job, "run", what & NEW_IS_SUMMARY);
    snprintf(job.budget, PATH, "%s/budget", job.folder);
    make_file(job.base, &from, base);
    make_file(job.budget, &from, budget);
    if (what & HAS_RUN_FILE) {
        char path[PATH];
        snprintf(path, PATH, "%s/run/run.json", job.folder);
        make_file(path, &from, run_file);
    }
    make_file(job.run, &from, size);
    if (what & ARE_FOLDERS)
        *strrchr(job.base, '/') = *strrchr(job.run, '/') = '\0';
    run_diff_or_check(&job, what);
    remove_scratch_folder(job.folder);
    return 0;
}
