/* Implements ITT: tasks, frames, counters and names from Intel's instrumentation library.
 *
 * Each part of the program that was built with ITT contains a static part of that library. At its first call, the
 * static part loads the library in INTEL_LIBITTNOTIFY64, calls __itt_api_init there, and passes its table of
 * functions. The entries of this table have names. This file writes our functions into the table. Functions that are
 * unknown here behave as without a tool. The declarations repeat layouts of ITT 3, which are stable. PyTorch
 * (emit_itt), oneDNN, OpenVINO, oneTBB and LLVM's OpenMP use ITT. */
#include "collector/sources.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "collector/source/itt_calls.h"
#include "writer/base/environment.h"

static const char variable[] = "INTEL_LIBITTNOTIFY64";

/* ---- structures of ITT 3 ---- */

struct api {
    const char *name;
    void **slot;
    void *before, *without; /* before: value of *slot before the static part's first call; without: value that *slot
                             * gets if there is no tool */
    int group;
};

/* First members of the struct in which ITT describes a static part. */
struct global {
    unsigned char magic[8];
    unsigned long major, minor, build;
    volatile long is_initialized, has_mutex, counter;
    pthread_mutex_t mutex;
    void *library, *error_handler;
    const char **path;
    struct api *functions; /* table of functions; its last entry has a NULL name */
};

static const unsigned char magic[8] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};

/* ---- binding ---- */

static tp_itt_call find_interface_function(const char *name)
{
    static const char prefix[] = "__itt_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return NULL;
    for (const struct tp_itt_function *f = tp_itt_functions; f->name; f++)
        if (strcmp(f->name, name + sizeof prefix - 1) == 0)
            return f->call;
    return NULL;
}

/* Sets our functions in the table of a static part. The static part calls this function under a lock of its own, so
 * this function must not call ITT. groups: unused; all known functions are set. */
__attribute__((visibility("default"))) void __itt_api_init(struct global *global, int groups);

void __itt_api_init(struct global *global, int groups)
{
    (void)groups;
    if (!global || memcmp(global->magic, magic, sizeof magic) != 0)
        return;
    for (struct api *api = global->functions; api && api->name; api++) {
        tp_itt_call ours = find_interface_function(api->name);
        if (!api->slot)
            continue;
        *api->slot = api->without;
        if (ours)
            memcpy(api->slot, &ours, sizeof ours);
    }
}

/* ---- the source ---- */

static const char *probe_source(const struct tp_source_host *host)
{
    const char *now = tp_environment(variable);
    return now && *now && strcmp(now, host->library) != 0 ? "INTEL_LIBITTNOTIFY64 names another tool" : NULL;
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)setting;
    return setenv(variable, host->library, 1) == 0;
}

const struct tp_source tp_source_itt = {
    .name = "itt",
    .what = "ITT: tasks, frames and counters of the program and its libraries",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
};
