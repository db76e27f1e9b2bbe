/* The source that records nothing of interest: one range over the life of the process. It is there to be copied, and
 * for tests of all that stands around a source. */
#include "collector/sources.h"

#include "collector/tracepress.h"

static const char *probe(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static bool start(const struct tp_source_host *host, const char *setting)
{
    (void)host;
    tracepress_begin(tracepress_intern(*setting ? setting : "process"));
    return true;
}

static void stop(void)
{
    tracepress_end();
}

const struct tp_source tp_source_null = {
    .name = "null",
    .what = "one range per process; an example, and for tests",
    .probe = probe,
    .start = start,
    .stop = stop,
};
