/* The detail of a finding: an id and its arguments. The comment of each id lists the arguments.
 * webreport/document/words/detail_words.c contains the sentence for each id. */
#ifndef TP_WEBREPORT_MEASURE_RULES_DETAILS_H
#define TP_WEBREPORT_MEASURE_RULES_DETAILS_H

#include <stdint.h>

#include "writer/base/str.h"

enum tp_detail_id {
    TP_DETAIL_DEVICE_MISSING,
    TP_DETAIL_OTHER_DEVICE,
    TP_DETAIL_LINE,         /* arguments: line of code, percent of the analysed time */
    TP_DETAIL_NO_EVENT,     /* argument: percent of the analysed time in which no host event was recorded */
    TP_DETAIL_LINE_OF_STEP, /* arguments: line of code, percent of the step */
    TP_DETAIL_SLOW_LINE, /* arguments: line of code whose calls are slow, percent of the step that these calls take */
    TP_DETAIL_PAUSES,    /* argument: percent of the finding's time in which the thread did not run */
    TP_DETAIL_FEW_GAPS,  /* arguments: number of gaps, percent of the idle time */
    TP_DETAIL_REPLAY,    /* argument: number of launches that every step repeats */
    TP_DETAIL_BLOCKERS,  /* arguments: number of calls that prevent a capture, number of steps */
    TP_DETAIL_GRAPH,     /* arguments: number of launches per step, number of calls that prevent a capture */
    TP_DETAIL_MALLOCS,   /* arguments: number of allocations, number of frees, number of steps */
    TP_DETAIL_CAPTURE,   /* argument: percent of the step time in which launches are captured into a graph */
    /* arguments: number of device operations, length of the step, percent of the step with device work */
    TP_DETAIL_LITTLE,
    TP_DETAIL_FIRST_USE, /* arguments: idle time while the device is set up, remaining analysed time */
    TP_DETAIL_HUGE_GAPS, /* arguments: idle time in gaps of 100 ms or more, remaining analysed time */
    TP_DETAIL_EDGE,      /* argument: percent of the window of analysed steps in which the device's state is unknown */
    /* no arguments; added after TP_DETAIL_EDGE if the shares of findings refer to the time that is left */
    TP_DETAIL_EDGE_REST,
    TP_DETAIL_LEAD,  /* argument: time from the call of the first operation to the start of this operation */
    TP_DETAIL_QUEUE, /* arguments: percent of the time in which queued operations wait, number of recorded operations */
    /* arguments: percent of the time with compute, percent of the kernel time that one kind of work takes, name of this
     * kind */
    TP_DETAIL_BUSY,
    TP_DETAIL_WAITS,      /* argument: percent of the time in which the host waits for unrecorded work */
    TP_DETAIL_RESERVED,   /* argument: percent of the device memory that is reserved */
    TP_DETAIL_FRAGMENTED, /* argument: percent of the reserved bytes that is unused */
    TP_DETAIL_GROWTH,     /* argument: growth in bytes per step */
    TP_DETAIL_OVERLAP,    /* arguments: percent of the step with exposed communication, percent of the step that compute
                             could hide */
    TP_DETAIL_OVERLAP_REST, /* no arguments; follows TP_DETAIL_OVERLAP if compute cannot hide all communication */
    TP_DETAIL_OVERLAP_LATE, /* argument: percent of the step with communication whose hiding saves no time */
    TP_DETAIL_COLLECTIVES,  /* arguments: calls per step, kind of collective, mean bytes, fixed time of one call */
    TP_DETAIL_COLLECTIVES_OF_WRAPPER,
    TP_DETAIL_LARGE_COLLECTIVES, /* arguments: calls per step, kind of collective, mean bytes, time of one call */
    TP_DETAIL_LARGE_COLLECTIVES_OF_WRAPPER,
    /* arguments: number of all-gathers without overlap, number of all all-gathers, percent of the step */
    TP_DETAIL_BARE_GATHERS,
    TP_DETAIL_ONE_PROCESS,   /* arguments: number of devices, percent of the step */
    TP_DETAIL_MICRO_BATCHES, /* arguments: number of micro-batches per step, percent of the step without compute */
    TP_DETAIL_STAGES,        /* arguments: number of ranks, name of their group, percent of idle time */
    /* arguments: number of micro-steps; length in ms of all micro-steps, of a usual micro-step, of the micro-step with
     * the update */
    TP_DETAIL_MICRO_STEPS,
    /* arguments as for TP_DETAIL_MICRO_STEPS; here the number of micro-steps is a lower bound */
    TP_DETAIL_MICRO_STEPS_MIN,
    TP_DETAIL_REDUCTIONS, /* arguments: number of reductions without a following optimizer step, number of backward
                             passes */
    TP_DETAIL_ONE_RANK,   /* arguments: number of gradient copies per step, number of reductions per step */
    TP_DETAIL_BROADCASTS, /* argument: number of broadcasts per step */
    TP_DETAIL_ATTENTION,  /* arguments: number of attention computations, number of steps, shape of the scores, percent
                             of the step */
    TP_DETAIL_CHAINS,     /* arguments: number of chains, number of steps, percent of the step */
    TP_DETAIL_LAYOUT,     /* arguments: number of kernels, number of steps, percent of the step */
    /* arguments: name, operands, number of calls, number of steps; TFLOP/s of this product, of the median product, of
     * the best product */
    TP_DETAIL_SLOW_PRODUCT,
    TP_DETAIL_FEW_ROWS,       /* argument: percent of the step for products with few rows */
    TP_DETAIL_CAPTURED_TYPES, /* argument: number of kernels whose types and shapes come from a capture trace */
    TP_DETAIL_SHARE,          /* argument: percent of the step that the finding covers */
    TP_DETAIL_HALF_PRODUCTS, /* argument: percent of the step for half-precision products that are limited by compute */
    TP_DETAIL_SHORT_KERNELS, /* arguments: number of short kernels, number of all kernels, length limit for short
                                kernels */
    TP_DETAIL_ONE_REQUEST,   /* arguments: number of steps with one request, number of all steps */
    TP_DETAIL_SINGLE_SAMPLES, /* arguments: steps with one sample, all steps, operator, shape of the operator's input */
    TP_DETAIL_ALWAYS_SINGLE,  /* arguments: number of steps, operator, shape of the operator's input */
    TP_DETAIL_WEIGHTS, /* argument: megabytes per step; follows a detail about one request or about single samples */
    TP_DETAIL_IN_PROCESS,
    TP_DETAIL_COLLATION,  /* arguments: percent of the steps for loading, percent of the steps for collating batches */
    TP_DETAIL_TRANSFORMS, /* arguments: percent of the steps for loading, percent of the steps for transforms */
    TP_DETAIL_SMALL_OPERATORS, /* arguments: number of short calls, number of all calls, limit in us */
    TP_DETAIL_OPTIMIZER,       /* arguments: number of calls per optimizer step, number of different names */
    /* arguments: number of the step; its length / median length; percent of all steps for calls that other steps do not
     * make */
    TP_DETAIL_OUTLIER,
    TP_DETAIL_SINGLE_CALLS, /* argument: number of calls of the model per step */
    TP_DETAIL_FEW_SAMPLES,  /* arguments: number of rows in the products, usual number of rows */
    /* argument: elements of the largest product in the largest step / elements of this product in the smallest step */
    TP_DETAIL_UNEQUAL,
    TP_DETAIL_HOOKS, /* argument: number of hook calls per step */
    TP_DETAIL_ZEROED,
    /* arguments: percent of the step time with a low clock; the low and the highest clock, MHz; the power, W, or the
     * temperature, degrees Celsius */
    TP_DETAIL_CLOCK_POWER,
    TP_DETAIL_CLOCK_HEAT,
    TP_DETAIL_COUNT
};

enum tp_detail_type {
    TP_ARGUMENT_NONE,
    TP_ARGUMENT_TEXT,   /* a name, or the sizes of an array */
    TP_ARGUMENT_NUMBER, /* a number without a unit */
    TP_ARGUMENT_NS,
    TP_ARGUMENT_BYTES,
    TP_ARGUMENT_PERCENT,
    TP_ARGUMENT_REAL
};

struct tp_detail_argument {
    enum tp_detail_type type;
    struct tp_str text;
    int64_t number;
    double real;
};

enum { TP_DETAIL_ARGUMENTS = 7 };

/* a detail, or one part of a detail with several parts */
struct tp_detail {
    enum tp_detail_id id;
    struct tp_detail_argument arguments[TP_DETAIL_ARGUMENTS];
    const struct tp_detail *next; /* next part of the detail; NULL for the last part */
};

#define TP_NO_ARGUMENT                                                                                                 \
    {                                                                                                                  \
        .type = TP_ARGUMENT_NONE                                                                                       \
    }
#define TP_OF_TEXT(value)                                                                                              \
    {                                                                                                                  \
        .type = TP_ARGUMENT_TEXT, .text = (value)                                                                      \
    }
#define TP_OF_NUMBER(value)                                                                                            \
    {                                                                                                                  \
        .type = TP_ARGUMENT_NUMBER, .number = (int64_t)(value)                                                         \
    }
#define TP_OF_NS(value)                                                                                                \
    {                                                                                                                  \
        .type = TP_ARGUMENT_NS, .number = (value)                                                                      \
    }
#define TP_OF_BYTES(value)                                                                                             \
    {                                                                                                                  \
        .type = TP_ARGUMENT_BYTES, .number = (value)                                                                   \
    }
#define TP_OF_PERCENT(value)                                                                                           \
    {                                                                                                                  \
        .type = TP_ARGUMENT_PERCENT, .real = (value)                                                                   \
    }
#define TP_OF_REAL(value)                                                                                              \
    {                                                                                                                  \
        .type = TP_ARGUMENT_REAL, .real = (value)                                                                      \
    }

#endif
