/* Defines the table of collective kinds: see collective_kinds.h. */
#include "webreport/trace/collective_kinds.h"

#include <stddef.h>

static const struct tp_collective_kind kinds[] = {
    {"all_reduce", "all_reduce", 2, -2, true},
    {"allreduce", "all_reduce", 2, -2, true},
    {"all_gather", "all_gather", 1, -1, true},
    {"allgather", "all_gather", 1, -1, true},
    {"reduce_scatter", "reduce_scatter", 1, -1, true},
    {"reducescatter", "reduce_scatter", 1, -1, true},
    {"all_to_all", "all_to_all", 1, -1, true},
    {"alltoall", "all_to_all", 1, -1, true},
    {"broadcast", "broadcast", 1, 0, true},
    {"bcast", "broadcast", 1, 0, true},
    {"reduce", "reduce", 1, 0, true},
    {"send", "send", 1, 0, false},
    {"recv", "recv", 1, 0, false},
};

const struct tp_collective_kind *tp_collective_kind_by_name(struct tp_str name)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (tp_str_find_ignore_case(name, kinds[k].part) >= 0)
            return &kinds[k];
    return NULL;
}

double tp_bus_factor(const struct tp_collective_kind *kind, double n)
{
    return kind->b == 0 ? 1 : (kind->a * n + kind->b) / n;
}
