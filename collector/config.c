/* Merges options and environment: see config.h. */
#include "collector/config.h"

#include "collector/clock.h"
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "writer/base/environment.h"
#include "writer/rank.h"

static char *copy_text_or_default(const char *given, const char *otherwise)
{
    return strdup(given && *given ? given : otherwise);
}

/* Returns the folder as an absolute path, because the program may later change its working directory. */
static char *copy_absolute_folder(const char *given)
{
    char here[PATH_MAX], *whole;
    bool is_here = strcmp(given, ".") == 0;
    if (*given == '/' || !getcwd(here, sizeof here))
        return strdup(given);
    return asprintf(&whole, "%s%s%s", here, is_here ? "" : "/", is_here ? "" : given) < 0 ? NULL : whole;
}

bool tp_config_copy_sized_struct(void *own, size_t own_size, const void *given, size_t least)
{
    uint32_t size;
    memcpy(&size, given, sizeof size);
    if (!tp_config_is_known_struct_size(size, least))
        return false;
    memset(own, 0, own_size);
    memcpy(own, given, size < own_size ? size : own_size);
    return true;
}

static bool copy_options(struct tracepress_options *own, const struct tracepress_options *given)
{
    static const struct tracepress_options defaults = TRACEPRESS_OPTIONS;
    return tp_config_copy_sized_struct(own, sizeof *own, given ? given : &defaults,
                                       offsetof(struct tracepress_options, sample_rate) + sizeof own->sample_rate);
}

const char *tp_config_invalid_options_text(const struct tracepress_options *given)
{
    struct tracepress_options options;
    if (!copy_options(&options, given))
        return "the options have no size; initialize them: struct tracepress_options options = TRACEPRESS_OPTIONS";
    bool has_folder = options.directory && *options.directory;
    if (!has_folder && tp_environment_is_ignored())
        return "a program with more rights than its caller must set options.directory";
    return NULL;
}

bool tp_config_replace_options(struct tracepress_options *kept, const struct tracepress_options *given)
{
    char host[128] = "host", worker[160];
    const char *directory = tp_environment("TRACEPRESS_DIR");
    free((char *)(uintptr_t)kept->directory);
    free((char *)(uintptr_t)kept->worker);
    if (!copy_options(kept, given))
        memset(kept, 0, sizeof *kept);
    gethostname(host, sizeof host - 1);
    snprintf(worker, sizeof worker, "%s_%d", host, (int)getpid());
    directory = directory && *directory ? directory : ".";
    kept->directory = copy_absolute_folder(kept->directory && *kept->directory ? kept->directory : directory);
    kept->worker = copy_text_or_default(kept->worker, worker);
    for (char *c = (char *)(uintptr_t)kept->worker; c && *c; c++)
        *c = *c == '/' ? '_' : *c; /* '/' is replaced, because the worker becomes part of a file name */
    return kept->directory && kept->worker;
}

uint64_t tp_config_ring_bytes(const struct tracepress_options *options)
{
    const char *text = tp_environment("TRACEPRESS_RING_MB");
    char *end;
    unsigned long megabytes = options->ring_mb;
    if (!megabytes && text && *text) {
        megabytes = strtoul(text, &end, 10);
        megabytes = *end == '\0' ? megabytes : 0;
    }
    uint64_t bytes = (uint64_t)megabytes << 20;
    return bytes < TP_CONFIG_SPOOL_BYTES ? bytes : 0;
}

uint32_t tp_config_read_number(const char *variable)
{
    const char *text = tp_environment(variable);
    char *end;
    unsigned long value = text && *text ? strtoul(text, &end, 10) : UINT32_MAX;
    return text && *text && *end == '\0' && value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

uint32_t tp_config_rank(void)
{
    static const char *const names[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                        "PMI_RANK", "SLURM_PROCID",         "JOB_COMPLETION_INDEX"};
    uint32_t rank = UINT32_MAX;
    for (unsigned i = 0; i < sizeof names / sizeof *names && rank == UINT32_MAX; i++)
        rank = tp_config_read_number(names[i]);
    return rank;
}

bool tp_config_is_variable_on(const char *variable)
{
    const char *text = tp_environment(variable);
    return text && *text && strcmp(text, "0") != 0;
}

bool tp_config_has_sampling(const struct tracepress_options *options)
{
    return options->size >= offsetof(struct tracepress_options, sample_rate) + sizeof options->sample_rate &&
           options->sample_rate;
}

bool tp_config_records_activity(const struct tracepress_options *options, enum tracepress_activity activity)
{
    return !options->activities || options->activities & activity;
}

struct tp_spool_head tp_config_make_spool_head(const struct tracepress_options *o, const struct tp_spool_clock *now)
{
    const struct tp_rank rank = tp_rank_find();
    struct tp_spool_head head = {
        .magic = TP_SPOOL_MAGIC,
        .version = TP_SPOOL_VERSION,
        .is_tsc = tp_clock_is_tsc,
        .pid = (uint64_t)getpid(),
        .start_realtime_ns = (uint64_t)now->realtime_ns,
        .flags = (o->record_shapes ? TP_SPOOL_SHAPES : 0u) | (o->profile_memory ? TP_SPOOL_MEMORY : 0u) |
                 (o->with_stack ? TP_SPOOL_STACKS : 0u) | (o->with_flops ? TP_SPOOL_FLOPS : 0u) |
                 (o->with_modules ? TP_SPOOL_MODULES : 0u) | (tp_config_ring_bytes(o) ? TP_SPOOL_RING : 0u) |
                 (tp_config_records_activity(o, TRACEPRESS_ACTIVITY_CPU) ? 0u : TP_SPOOL_NO_CPU),
        .rank = rank.rank,
        .world_size = rank.size,
        .local_rank = rank.local};
    snprintf(head.program, sizeof head.program, "%s", program_invocation_short_name);
    return head;
}
