/* Lists, starts and stops the sources: see sources.h. */
#include "collector/sources.h"

#include <stdio.h>
#include <string.h>

extern const struct tp_source tp_source_cuda, tp_source_itt, tp_source_null, tp_source_nvtx, tp_source_sample,
    tp_source_torch, tp_source_memory, tp_source_locks, tp_source_io, tp_source_functions, tp_source_blas,
    tp_source_openmp, tp_source_mpi, tp_source_ggml;

const struct tp_source *const tp_sources[] = {
    &tp_source_torch,  &tp_source_cuda,  &tp_source_nvtx, &tp_source_itt,       &tp_source_sample,
    &tp_source_memory, &tp_source_locks, &tp_source_io,   &tp_source_functions, &tp_source_blas,
    &tp_source_openmp, &tp_source_mpi,   &tp_source_ggml, &tp_source_null,      NULL,
};

enum { MAX_SOURCES = 32, MAX_SETTING = 256 };

static const struct tp_source *started[MAX_SOURCES];
static unsigned started_count;

/* Returns whether the list `wanted` switches the source on; later entries override earlier ones. Copies the source's
 * setting to `setting`. */
static bool is_source_wanted(const struct tp_source *source, const char *wanted, char *setting, size_t size)
{
    bool is = false;
    *setting = '\0';
    for (wanted = wanted && *wanted ? wanted : "default"; *wanted;) {
        size_t n = strcspn(wanted, ","), len = strcspn(wanted, ",=");
        bool is_not = *wanted == '-';
        const char *name = wanted + is_not;
        if (len == strlen("default") && memcmp(wanted, "default", len) == 0)
            is |= source->is_default;
        len -= is_not;
        if (strlen(source->name) == len && memcmp(source->name, name, len) == 0) {
            is = !is_not;
            snprintf(setting, size, "%.*s", name[len] == '=' ? (int)(wanted + n - name - len - 1) : 0, name + len + 1);
        }
        wanted += n + (wanted[n] == ',');
    }
    return is;
}

void tp_sources_start(const struct tp_source_host *host, const char *wanted)
{
    char setting[MAX_SETTING];
    for (const struct tp_source *const *at = tp_sources; *at && started_count < MAX_SOURCES; at++)
        if (is_source_wanted(*at, wanted, setting, sizeof setting) && !(*at)->probe(host) &&
            (*at)->start(host, setting))
            started[started_count++] = *at;
        else if ((*at)->refuse)
            (*at)->refuse();
}

void tp_sources_disable_early(void)
{
    for (const struct tp_source *const *at = tp_sources; *at; at++)
        if ((*at)->refuse)
            (*at)->refuse();
}

void tp_sources_stop(void)
{
    while (started_count > 0) {
        const struct tp_source *source = started[--started_count];
        if (source->stop)
            source->stop();
    }
}

void tp_sources_notify_child(void)
{
    for (unsigned i = 0; i < started_count; i++)
        if (started[i]->in_child)
            started[i]->in_child();
}

void tp_sources_list(const struct tp_source_host *host, int fd)
{
    for (const struct tp_source *const *at = tp_sources; *at; at++) {
        const char *why_not = (*at)->probe(host);
        dprintf(fd, "%s\t%s\t%s\n", (*at)->name, why_not ? why_not : (*at)->is_default ? "on" : "off", (*at)->what);
    }
}
