/* Recognizes names of regions: see regions.h. */
#include "webreport/trace/regions.h"

/* Returns true for the name ProfilerStep# and a number, with or without a line end, as in the regular expression of
 * the reference implementation. */
static bool is_numbered(struct tp_str name)
{
    size_t i = 13, end = name.len;
    if (!tp_str_starts(name, "ProfilerStep#"))
        return false;
    if (end > 14 && name.ptr[end - 1] == '\n')
        end--;
    for (; i < end; i++)
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return false;
    return end > 13;
}

unsigned tp_regions_by_name(struct tp_str name)
{
    static const struct {
        const char *text;
        unsigned bits;
    } prefixes[] = {
        {"ProfilerStep#", TP_REGION_PROFILER_STEP},
        {"step[", TP_REGION_STEP_BRACKET},
        {"Optimizer.", TP_REGION_OPTIMIZER},
        {"Optimizer.step#", TP_REGION_OPTIMIZER_STEP},
        {"Optimizer.zero_grad#", TP_REGION_ZERO_GRAD},
        {"enumerate(DataPipe)#", TP_REGION_DATA_PIPE},
        {"[pl][", TP_REGION_LIGHTNING},
    };
    unsigned bits = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (tp_str_starts(name, prefixes[i].text))
            bits |= prefixes[i].bits;
    if (bits & TP_REGION_PROFILER_STEP && is_numbered(name))
        bits |= TP_REGION_NUMBERED_STEP;
    if (tp_str_starts(name, "execute_") && tp_str_find(name, "context_") >= 0)
        bits |= TP_REGION_EXECUTE_CONTEXT;
    if (tp_str_starts(name, "enumerate(DataLoader)#") && tp_str_ends(name, ".__next__"))
        bits |= TP_REGION_DATA_LOADER;
    if (tp_str_equal(name, TP_STR("DataParallel.forward")) ||
        tp_str_equal(name, TP_STR("DistributedDataParallel.forward")))
        bits |= TP_REGION_DATA_PARALLEL;
    return bits;
}
