/* Reads the variables of launchers: see launcher.h. */
#include "collector/launch/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "writer/base/buf.h"
#include "writer/base/environment.h"
#include "writer/base/input.h"
#include "writer/base/str.h"
#include "writer/rank.h"

enum { MOST_WORDS = 4, READABLE_BYTES = 40, MOST_KEY_BYTES = 1 << 16, MOST_BLOCK_BYTES = 8 << 20, MOST_SHELLS = 32 };

/* Launchers and their variables. If the first variable of `job` is not set or has no meaning, the process of the
 * launcher identifies the job. */
static const struct launcher {
    const char *name;
    const char *job[MOST_WORDS]; /* variables that identify the job */
    const char *nothing;         /* value of the first variable in `job` that means "no job" */
    bool needs_first_variable;   /* true if only the first variable in `job` identifies the launcher */
    bool has_readable_job_name;  /* true if the first two variables in `job` form the job name that users know */
} launchers[TP_RANK_LAUNCHERS] = {
    [TP_RANK_TORCH] = {"torchrun",
                       {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_ADDR", "MASTER_PORT"},
                       .nothing = "none",
                       .needs_first_variable = true},
    [TP_RANK_OPENMPI] = {"openmpi", {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports"}},
    [TP_RANK_MPICH] = {"mpich", {"SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_RESTART_COUNT"}},
    [TP_RANK_SLURM] = {"slurm",
                       {"SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_RESTART_COUNT", "SLURM_CLUSTER_NAME"},
                       .needs_first_variable = true,
                       .has_readable_job_name = true},
    [TP_RANK_FLUX] = {"flux", {"FLUX_JOB_ID", "FLUX_URI"}, .needs_first_variable = true},
};

static const char *variable_value(const char *variable)
{
    const char *text = variable ? tp_environment(variable) : NULL;
    return text ? text : "";
}

/* Reads the file `name` of /proc/PID and adds a NUL. Returns false if the file cannot be read. */
static bool load_text_of_proc_file(struct tp_buf *text, pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    tp_buf_clear(text);
    bool is_read = tp_input_read_all(text, path, TP_INPUT_FILE, NULL) == 0;
    tp_buf_putc(text, '\0');
    return is_read && !text->failed;
}

/* Returns the text from field `number` (at least 3) of /proc/PID/stat on, or NULL if there is no such field. */
static const char *find_stat_field(const struct tp_buf *stat, int number)
{
    const char *at = strrchr(stat->data, ')');
    for (int field = 2; at && field < number; field++)
        at = strchr(at + 1, ' ');
    return at ? at + 1 : NULL;
}

static bool has_variable(const struct tp_buf *block, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = block->data, *end = at + block->size; at < end; at += strlen(at) + 1)
        if (strncmp(at, name, n) == 0 && at[n] == '=')
            return true;
    return false;
}

/* Adds host, process id and start time of the launcher to the key. The launcher is the nearest ancestor without a rank;
 * there can be shells between the launcher and this process. */
static void add_parent_process(struct tp_buf *key, const char *rank)
{
    char host[256] = "";
    struct tp_buf text;
    pid_t pid = getppid();
    gethostname(host, sizeof host - 1);
    tp_buf_init(&text, MOST_BLOCK_BYTES);
    for (int i = 0;
         i < MOST_SHELLS && pid > 1 && load_text_of_proc_file(&text, pid, "environ") && has_variable(&text, rank);
         i++) {
        const char *parent = load_text_of_proc_file(&text, pid, "stat") ? find_stat_field(&text, 4) : NULL;
        pid = parent ? (pid_t)strtol(parent, NULL, 10) : 0;
    }
    const char *began = load_text_of_proc_file(&text, pid, "stat") ? find_stat_field(&text, 22) : NULL;
    tp_buf_printf(key, "\n%s/%d/%.*s", host, (int)pid, began ? (int)strcspn(began, " ") : 0, began ? began : "");
    tp_buf_release(&text);
}

/* Adds to the key all values that distinguish the job from other jobs: its variables and its size. */
static void add_job_facts(struct tp_buf *key, const struct launcher *launcher, uint32_t size)
{
    char number[16];
    snprintf(number, sizeof number, "%u", (unsigned)size);
    tp_buf_puts(key, number);
    for (int i = 0; i < MOST_WORDS; i++) {
        tp_buf_putc(key, '\n');
        tp_buf_puts(key, variable_value(launcher->job[i]));
    }
}

/* Writes the name of the job, which consists of the launcher, the job name that users know (only in Slurm, "4711.0"),
 * and a hash of the key. */
static void write_job_name(struct tp_launcher *found, const struct launcher *launcher, const struct tp_buf *key)
{
    int n = snprintf(found->job, sizeof found->job, "%s-", launcher->name);
    if (launcher->has_readable_job_name && *variable_value(launcher->job[1]))
        n += snprintf(found->job + n, sizeof found->job - (size_t)n, "%.*s.%.*s-", READABLE_BYTES / 2,
                      variable_value(launcher->job[1]), READABLE_BYTES / 2, variable_value(launcher->job[0]));
    snprintf(found->job + n, sizeof found->job - (size_t)n, "%08x", (unsigned)tp_hash_bytes(key->data, key->size));
    for (char *c = found->job; *c; c++)
        if (!((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '.'))
            *c = '-';
}

static bool read_launcher(struct tp_launcher *found, enum tp_rank_launcher giver)
{
    const struct launcher *launcher = &launchers[giver];
    const char *first = variable_value(launcher->job[0]);
    struct tp_buf key;
    struct tp_rank rank;
    if (!tp_rank_read(&rank, giver) || rank.size < 2 || (launcher->needs_first_variable && !*first))
        return false;
    *found = (struct tp_launcher){.name = launcher->name, .rank = rank.rank, .size = rank.size};
    tp_buf_init(&key, MOST_KEY_BYTES);
    add_job_facts(&key, launcher, rank.size);
    if (!*first || (launcher->nothing && strcmp(first, launcher->nothing) == 0))
        add_parent_process(&key, tp_rank_variable(giver));
    bool is_whole = !key.failed;
    if (is_whole)
        write_job_name(found, launcher, &key);
    tp_buf_release(&key);
    return is_whole;
}

bool tp_launcher_find(struct tp_launcher *launcher)
{
    for (int giver = 0; giver < TP_RANK_LAUNCHERS; giver++)
        if (read_launcher(launcher, (enum tp_rank_launcher)giver))
            return true;
    return false;
}
