/* Runs `tracepress summarize INPUT... -o F.tps`: checks the options, and runs the job of summarize.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/session/opt.h"
#include "webreport/session/snapshot_session.h"
#include "webreport/session/summarize.h"
#include "writer/base/environment.h"

enum { AS_TPS, AS_JSON };

struct options {
    struct tp_opt_common common;
    struct tp_trace_options read;
    const char *out, *files_from, *shard, *job;
    int64_t rank;
    struct tp_opt_list rules;
    const char *peaks;
    int format;
    bool auto_rank, skip_existing;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, AT(out), NULL},
    {"files-from", 0, TP_OPT_PATH, AT(files_from), NULL},
    {"shard", 0, TP_OPT_TEXT, AT(shard), NULL},
    {"job", 0, TP_OPT_TEXT, AT(job), NULL},
    {"rank", 0, TP_OPT_INT, AT(rank), NULL},
    {"auto-rank", 0, TP_OPT_FLAG, AT(auto_rank), NULL},
    {"skip-existing", 0, TP_OPT_FLAG, AT(skip_existing), NULL},
    {"format", 0, TP_OPT_CHOICE, AT(format), "tps|json"},
    {"rule", 0, TP_OPT_LIST, AT(rules), NULL},
    {"peaks", 0, TP_OPT_TEXT, AT(peaks), NULL},
    TP_OPT_READING(struct options),
    TP_OPT_PARTS(struct options),
    TP_OPT_COMMON(struct options),
};

/* Parses a number of digits, at most 2^62, up to the character `stop`. *end: the rest of the text. Returns false for
 * other texts. */
static bool read_number(const char *text, char stop, uint64_t *value, const char **end)
{
    char *after;
    errno = 0;
    *value = strtoull(text, &after, 10);
    *end = after;
    return *text >= '0' && *text <= '9' && !errno && *value <= UINT64_C(1) << 62 && *after == stop;
}

/* Parses the value of --shard, such as "2/8" for the second of eight shards. */
static bool read_shard(const char *text, struct tp_summarize_job *job)
{
    uint64_t at, count;
    const char *end;
    if (!read_number(text, '/', &at, &end) || !read_number(end + 1, '\0', &count, &end) || at < 1 || at > count)
        return false;
    job->shard = at - 1;
    job->shard_count = count;
    return true;
}

/* Finds the rank of this process in the environment variables of launchers, most specific variable first. Returns
 * false if no such variable is set. */
static bool find_rank(int64_t *rank)
{
    static const char *const names[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                        "PMI_RANK", "SLURM_PROCID",         "JOB_COMPLETION_INDEX"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = tp_environment(names[i]), *end;
        uint64_t value;
        if (text && read_number(text, '\0', &value, &end)) {
            *rank = (int64_t)value;
            return true;
        }
    }
    return false;
}

/* Returns what is wrong with the options; NULL if they are valid. */
static const char *find_wrong_option(const struct options *o, size_t inputs, struct tp_summarize_job *job)
{
    if (inputs == 0 && !o->files_from)
        return "name a trace file, a folder to search for *.pt.trace.json[.gz], or a list with --files-from";
    if (!job->out)
        return "name the summary to write: -o FILE.tps, or a folder for one of each input";
    if (o->shard && !read_shard(o->shard, job))
        return "--shard takes i/n, such as 1/8 to 8/8";
    if (o->rank != TP_NULL_INT && (o->auto_rank || o->rank < 0))
        return o->auto_rank ? "--rank and --auto-rank exclude each other" : "--rank takes 0 or more";
    if (o->auto_rank && !find_rank(&job->load.rank))
        return "--auto-rank: none of RANK, OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, SLURM_PROCID, "
               "JOB_COMPLETION_INDEX is a number";
    return NULL;
}

int tp_cmd_summarize(int argc, char **argv)
{
    struct options o = {.rank = TP_NULL_INT};
    struct tp_peaks_file peaks;
    struct tp_error err = {0};
    struct tp_console console;
    struct tp_rule_overrides rules = {0};
    struct tp_summarize_job job = {.load = TP_SUMMARIES_OPTIONS, .shard_count = 1};
    size_t inputs;
    int code = tp_cmd_parse_command_line(&console, &(struct tp_cmd){"summarize", table}, &o, argc, argv, &inputs);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (tp_opt_parse_rules(&rules, &o.rules, &err) < 0 || tp_opt_parse_peaks(&rules, &peaks, o.peaks, &err) < 0)
        return tp_cmd_print_usage_error(&console, "summarize", err.text);
    job.printer = o.format == AS_JSON ? &tp_cmd_summaries_json : NULL;
    job.out = o.out ? o.out : job.printer ? "-" : NULL;
    job.load.rank = o.rank;
    const char *what = find_wrong_option(&o, inputs, &job);
    if (what)
        return tp_cmd_print_usage_error(&console, "summarize", what);
    if (!o.files_from && tp_snapshot_refuse_inputs((const char *const *)argv, inputs,
                                                   "a memory snapshot has no summary, because it has no operations: "
                                                   "report, diff and check read snapshots themselves",
                                                   &console))
        return TP_EXIT_NO_INPUT;
    job.load.paths = (const char *const *)argv;
    job.load.path_count = inputs;
    job.load.console = &console;
    job.load.rules = &rules;
    job.load.job = o.job ? tp_str_of(o.job) : TP_STR("");
    job.load.read = o.read;
    job.files_from = o.files_from;
    job.skips_existing = o.skip_existing;
    return tp_summarize_run(&job);
}
