/* The source that records nothing of interest: one range over the life of the process. It is there to be copied, and
 * for tests of all that stands around a source. */
#include "collector/sources.h"

#include "collector/tracepress.h"

static const char *probe(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static tracepress_name range;

static bool start(const struct tp_source_host *host, const char *setting)
{
    (void)host;
    range = tracepress_intern(*setting ? setting : "process");
    tracepress_begin(range);
    return true;
}

/* The range that was open before fork is the parent's. */
static void in_child(void)
{
    tracepress_begin(range);
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
    .in_child = in_child,
};
