/* Names kinds of data that inputs cannot show: see input_facts.h. */
#include "webreport/trace/input_facts.h"

const char *tp_unknown_text(enum tp_unknown unknown)
{
    switch (unknown) {
    case TP_UNKNOWN_KERNELS:
        return "kernels";
    case TP_UNKNOWN_GRAPH_KERNELS:
        return "kernels of CUDA graphs";
    case TP_UNKNOWN_COPIES:
        return "copies";
    case TP_UNKNOWN_COPY_DIRECTION:
        return "directions of copies";
    case TP_UNKNOWN_COPY_MEMORY_KIND:
        return "memory kinds of copies";
    case TP_UNKNOWN_COPY_BYTES:
        return "bytes of copies";
    case TP_UNKNOWN_SETS:
        return "memory sets";
    case TP_UNKNOWN_RUNTIME_CALLS:
        return "calls of the runtime";
    case TP_UNKNOWN_OPERATORS:
        return "operators";
    case TP_UNKNOWN_SHAPES:
        return "shapes of operators";
    case TP_UNKNOWN_DTYPES:
        return "data types of operators";
    case TP_UNKNOWN_STACKS:
        return "Python stacks";
    case TP_UNKNOWN_ALLOCATOR:
        return "records of the memory allocator";
    case TP_UNKNOWN_OCCUPANCY:
        return "occupancy of kernels";
    case TP_UNKNOWN_GRID:
        return "grids and blocks of kernels";
    case TP_UNKNOWN_DEVICE_PROPERTIES:
        return "properties of the device";
    case TP_UNKNOWN_RANKS:
        return "ranks";
    case TP_UNKNOWN_STEPS:
        return "steps";
    case TP_UNKNOWN_FORWARD_LINKS:
        return "links between forward and backward operators";
    }
    return "";
}
