/* Records only one range, which lasts for the life of the process. This source is an example to copy, and tests of the
 * code around sources use it. */
#include "collector/sources.h"

#include "collector/tracepress.h"

static const char *probe_source(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static tracepress_name range;

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)host;
    range = tracepress_intern(*setting ? setting : "process");
    tracepress_begin(range);
    return true;
}

/* Begins a new range, because the range that was open at the fork belongs to the parent. */
static void in_child(void)
{
    tracepress_begin(range);
}

static void stop_source(void)
{
    tracepress_end();
}

const struct tp_source tp_source_null = {
    .name = "null",
    .what = "one range per process; an example for tests",
    .probe = probe_source,
    .start = start_source,
    .stop = stop_source,
    .in_child = in_child,
};
