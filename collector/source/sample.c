/* Samples the stacks of running threads (sampler.h). The setting of this source is the number of samples per second. */
#include <dlfcn.h>
#include <stdlib.h>

#include "collector/session.h"
#include "collector/sources.h"
#include "writer/worker.h"

static unsigned rate;

static const char *probe_source(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)host;
    if (!*setting && dlsym(RTLD_DEFAULT, "Py_AddPendingCall"))
        return false; /* samples a Python program only with a given rate, because native stacks show only the
                       * interpreter */
    unsigned long wanted = strtoul(setting, NULL, 10);
    rate = wanted > 0 && wanted <= 10000 ? (unsigned)wanted : TP_WORKER_SAMPLES;
    return tp_session_start_sampling(rate);
}

/* Starts sampling in the child, which has no sampling thread yet. */
static void in_child(void)
{
    tp_session_start_sampling(rate);
}

extern const struct tp_source tp_source_sample;
const struct tp_source tp_source_sample = {
    .name = "sample",
    .what = "where threads use the CPU: samples of their stacks (sample=RATE per second)",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
    .in_child = in_child,
};
