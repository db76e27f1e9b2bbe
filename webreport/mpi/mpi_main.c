/* Runs `summarize` over the processes of an MPI job: the program tracepress-mpi.
 *
 * Every process summarizes its share of the inputs. One MPI_Reduce with a custom operation joins the packed summaries
 * in a tree, and the first process writes the file. Joining is associative and commutative, so the file equals byte for
 * byte the file that `tracepress summarize` writes for the same inputs. This is the only program that needs MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/session/exit.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "webreport/session/summarize.h"
#include "writer/base/fs.h"
#include "writer/text/assets.h"

struct options {
    struct tp_opt_common common;
    struct tp_trace_options read;
    const char *out, *files_from, *job;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, AT(out), NULL},
    {"files-from", 0, TP_OPT_PATH, AT(files_from), NULL},
    {"job", 0, TP_OPT_TEXT, AT(job), NULL},
    TP_OPT_READING(struct options),
    TP_OPT_COMMON(struct options),
};

/* Size of the MPI type `block`, bytes. A message has the size of a packed set of summaries, followed by the bytes of
 * the set. Each buffer has room for the sets of all processes, because the joined set can need it. */
enum { BLOCK_BYTES = 4096 };
static const uint64_t FAILED = UINT64_MAX; /* sent instead of the size if joining failed in a process */

static int process_number, process_count;
static uint64_t block_count;

/* ---- joining summaries ---- */

static uint64_t summary_size(const char *buffer)
{
    uint64_t size;
    memcpy(&size, buffer, sizeof size);
    return size;
}

struct joining {
    const char *buffers[2];
    struct tp_buf out;
    struct tp_arena arena;
};

static int join_in_guard(void *context, struct tp_error *err)
{
    struct joining *joining = context;
    struct tp_summary_set set;
    tp_summary_set_init(&set, &joining->arena);
    for (int i = 0; i < 2; i++) {
        uint64_t size = summary_size(joining->buffers[i]);
        int code = size == FAILED ? TP_EFORMAT
                   : size         ? tp_summary_set_read(&set, joining->buffers[i] + sizeof size, (size_t)size, err)
                                  : TP_OK;
        if (code < 0)
            return code;
    }
    return tp_summary_set_write(&set, &joining->out, err);
}

/* Joins the sets in two buffers; an MPI_User_function. A whole buffer is one element of the MPI type. */
static void join_packed_summaries(void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct joining joining = {.buffers = {in, inout}};
    (void)count;
    (void)type;
    tp_arena_init(&joining.arena, 0);
    tp_buf_init(&joining.out, block_count * BLOCK_BYTES - sizeof(uint64_t));
    int code = tp_arena_run(&joining.arena, join_in_guard, &joining, NULL);
    uint64_t size = code < 0 || joining.out.failed ? FAILED : joining.out.size;
    memcpy(inout, &size, sizeof size);
    if (size != FAILED)
        memcpy((char *)inout + sizeof size, joining.out.data, joining.out.size);
    tp_buf_release(&joining.out);
    tp_arena_release(&joining.arena);
}

/* Joins the sets of summaries of all processes. bytes: the packed set of this process. *joined: the joined set on the
 * first process, NULL on all others. Returns 0 or a tp_status. */
static int reduce_summaries(char **joined, const struct tp_buf *bytes)
{
    unsigned long long own = bytes->size, all = 0;
    MPI_Datatype block, type;
    MPI_Op op;
    MPI_Allreduce(&own, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    block_count = (all + sizeof(uint64_t) + BLOCK_BYTES - 1) / BLOCK_BYTES;
    char *from = calloc(block_count, BLOCK_BYTES), *to = calloc(block_count, BLOCK_BYTES);
    int has_memory = from && to && block_count <= INT32_MAX, all_have = 0;
    MPI_Allreduce(&has_memory, &all_have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all_have && from && to) {
        uint64_t size = bytes->size;
        memcpy(from, &size, sizeof size);
        memcpy(from + sizeof size, bytes->data ? bytes->data : "", bytes->size);
        MPI_Type_contiguous(BLOCK_BYTES, MPI_BYTE, &block);
        MPI_Type_contiguous((int)block_count, block, &type);
        MPI_Type_commit(&type);
        MPI_Op_create(join_packed_summaries, 1, &op);
        MPI_Reduce(from, to, 1, type, op, 0, MPI_COMM_WORLD);
        MPI_Op_free(&op);
        MPI_Type_free(&type);
        MPI_Type_free(&block);
    }
    free(from);
    *joined = process_number == 0 ? to : NULL;
    if (process_number)
        free(to);
    return all_have ? TP_OK : TP_ENOMEM;
}

/* ---- one process ---- */

static int write_joined(const char *joined, const char *path, struct tp_error *err)
{
    struct tp_outfile *file = NULL;
    uint64_t size = summary_size(joined);
    if (size == FAILED)
        return tp_error_set(err, TP_ENOMEM, 0, "the summaries could not be joined: out of memory");
    int code = tp_outfile_open(&file, path, err);
    code = code < 0 ? code : tp_outfile_write(file, joined + sizeof size, (size_t)size, err);
    code = code < 0 ? code : tp_outfile_commit(&file, err);
    tp_outfile_discard(&file);
    return code;
}

/* The share of inputs that this process summarizes, and the result as a packed set. */
struct share {
    struct tp_buf *bytes;
    const struct tp_summarize_job *job;
    struct tp_summarize_counts *counts;
    struct tp_arena arena;
};

static int pack_summaries_of_share(void *context, struct tp_error *err)
{
    struct share *share = context;
    struct tp_summary_set set;
    tp_summary_set_init(&set, &share->arena);
    int code = tp_summarize_collect(&set, share->job, share->counts, err);
    return code == TP_OK && set.count ? tp_summary_set_write(&set, share->bytes, err) : code;
}

static int summarize_share(struct tp_buf *bytes, const struct tp_summarize_job *job, struct tp_summarize_counts *counts,
                           struct tp_error *err)
{
    struct share share = {.bytes = bytes, .job = job, .counts = counts};
    tp_arena_init(&share.arena, 0);
    int code = tp_arena_run(&share.arena, pack_summaries_of_share, &share, err);
    tp_arena_release(&share.arena);
    return code;
}

/* Returns the worst status of all processes and adds up their counts, so that either all processes continue or all
 * stop. */
static int combine_status(int code, struct tp_summarize_counts *counts)
{
    unsigned long long own[2] = {counts->usable, counts->failed}, all[2];
    int worst = TP_OK;
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(own, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    *counts = (struct tp_summarize_counts){all[0], all[1]};
    return worst;
}

static int run_job(const struct tp_summarize_job *job, struct tp_error *err)
{
    struct tp_summarize_counts counts = {0, 0};
    struct tp_buf bytes;
    char *joined = NULL;
    tp_buf_init(&bytes, 0);
    int own = summarize_share(&bytes, job, &counts, err), code = combine_status(own, &counts);
    if (code < 0 && own == TP_OK)
        tp_error_set(err, code, 0, "another process failed");
    if (code == TP_OK && counts.usable == 0)
        code = tp_error_set(err, TP_ENOTFOUND, 0, "no usable input");
    if (code == TP_OK && job->load.read.is_strict && counts.failed)
        code = tp_error_set(err, TP_ENOTFOUND, 0, "--strict: %zu inputs could not be used", counts.failed);
    if (code == TP_OK)
        code = reduce_summaries(&joined, &bytes);
    if (code == TP_OK && joined)
        code = write_joined(joined, job->out, err);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(joined);
    tp_buf_release(&bytes);
    return code;
}

static int print_help(void)
{
    struct tp_assets assets = {0}; /* zeroed, because built-in texts need no arena */
    struct tp_str text;
    if (tp_assets_get(&assets, TP_STR("help/tracepress-mpi.txt"), &text, NULL) == 0)
        fwrite(text.ptr, 1, text.len, stdout);
    return fflush(stdout) ? TP_EXIT_NO_OUTPUT : TP_EXIT_DONE;
}

/* Prints a text on one process only, because all processes have the same text. */
static void print_on_first_process(struct tp_console *console, const char *text)
{
    if (process_number == 0)
        tp_console_error(console, "%s", text);
}

static int run_mpi_summary(int argc, char **argv)
{
    struct options o = {0};
    struct tp_error err = {0};
    struct tp_console console;
    struct tp_summarize_job job = {.load = TP_SUMMARIES_OPTIONS};
    size_t inputs;
    int code = tp_opt_parse(table, &o, argc, argv, &inputs, &err);
    tp_console_init(&console, o.common.quiet || process_number > 0, o.common.color);
    if (o.common.help)
        return process_number ? TP_EXIT_DONE : print_help();
    if (code < 0 || (inputs == 0 && !o.files_from) || !o.out) {
        print_on_first_process(&console, code < 0 ? err.text : "name inputs and -o FILE.tps; --help lists the options");
        return TP_EXIT_USAGE;
    }
    job.load.paths = (const char *const *)argv;
    job.load.path_count = inputs;
    job.load.console = &console;
    job.load.read = o.read;
    job.load.job = o.job ? tp_str_of(o.job) : TP_STR("");
    job.files_from = o.files_from;
    job.out = o.out;
    job.shard = (uint64_t)process_number;
    job.shard_count = (uint64_t)process_count;
    code = run_job(&job, &err);
    if (code < 0)
        print_on_first_process(&console, err.text[0] ? err.text : "out of memory");
    return tp_inputs_exit_code(code);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &process_number);
    MPI_Comm_size(MPI_COMM_WORLD, &process_count);
    int code = run_mpi_summary(argc - 1, argv + 1);
    MPI_Finalize();
    return code;
}
