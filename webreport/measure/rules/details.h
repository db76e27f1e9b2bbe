/* The detail of a finding: an id with arguments. webreport/document/words/detail_words.c has the sentence of each id.
 */
#ifndef TP_WEBREPORT_MEASURE_RULES_DETAILS_H
#define TP_WEBREPORT_MEASURE_RULES_DETAILS_H

#include <stdint.h>

#include "writer/base/str.h"

enum tp_detail_id {
    TP_DETAIL_DEVICE_MISSING,
    TP_DETAIL_OTHER_DEVICE,
    TP_DETAIL_LINE,         /* a line of code, its share of the time */
    TP_DETAIL_LINE_OF_STEP, /* a line of code, its share of the step */
    TP_DETAIL_SLOW_LINE,    /* the first line of slow calls, its share of the step */
    TP_DETAIL_PAUSES,       /* share of the time */
    TP_DETAIL_FEW_GAPS,     /* number of gaps, their share */
    TP_DETAIL_REPLAY,       /* launches that repeat */
    TP_DETAIL_BLOCKERS,     /* number of blockers, steps */
    TP_DETAIL_GRAPH,        /* launches per step, blockers */
    TP_DETAIL_MALLOCS,      /* allocations, frees, steps */
    TP_DETAIL_CAPTURE,      /* share of the recording */
    TP_DETAIL_LITTLE,       /* operations, length of the step, share of device work */
    TP_DETAIL_FIRST_USE,    /* time of waits, judged time */
    TP_DETAIL_HUGE_GAPS,    /* the same */
    TP_DETAIL_EDGE,         /* share of the window */
    TP_DETAIL_EDGE_REST,    /* follows it if shares of findings are of the rest */
    TP_DETAIL_LEAD,         /* time from the call to the start of the first operation */
    TP_DETAIL_QUEUE,        /* share of the time, number of operations */
    TP_DETAIL_BUSY,         /* share of the time, share of kernel time, kind of work */
    TP_DETAIL_WAITS,        /* share of the time */
    TP_DETAIL_RESERVED,     /* share of device memory */
    TP_DETAIL_FRAGMENTED,   /* share of the reserved bytes */
    TP_DETAIL_GROWTH,       /* bytes per step */
    TP_DETAIL_OVERLAP,      /* exposed share of the step, share that compute could hide */
    TP_DETAIL_OVERLAP_REST, /* follows it if compute cannot hide everything */
    TP_DETAIL_OVERLAP_LATE, /* share of the step */
    TP_DETAIL_COLLECTIVES,  /* calls per step, kind, bytes, and the fixed time of one call */
    TP_DETAIL_COLLECTIVES_OF_WRAPPER,
    TP_DETAIL_LARGE_COLLECTIVES, /* calls per step, kind, bytes, and the time of one call */
    TP_DETAIL_LARGE_COLLECTIVES_OF_WRAPPER,
    TP_DETAIL_BARE_GATHERS,    /* number of bare ones, of all, share of the step */
    TP_DETAIL_ONE_PROCESS,     /* devices, share of the step */
    TP_DETAIL_MICRO_BATCHES,   /* number per step, share of the step */
    TP_DETAIL_STAGES,          /* ranks, their group, share */
    TP_DETAIL_MICRO_STEPS,     /* number, milliseconds of all, of a micro-step, of the last one */
    TP_DETAIL_MICRO_STEPS_MIN, /* the same; the number is a least value */
    TP_DETAIL_REDUCTIONS,      /* number of reductions that no step follows, of backward passes */
    TP_DETAIL_ONE_RANK,        /* gradient copies, reductions, per step */
    TP_DETAIL_BROADCASTS,      /* per step */
    TP_DETAIL_ATTENTION,       /* times, steps, size of the scores, share of the step */
    TP_DETAIL_CHAINS,          /* times, steps, share of the step */
    TP_DETAIL_LAYOUT,          /* kernels, steps, share of the step */
    TP_DETAIL_SLOW_PRODUCT,    /* name, operands, calls, steps, TFLOP/s: own, median of the others, best */
    TP_DETAIL_FEW_ROWS,        /* share of the step */
    TP_DETAIL_SHARE,           /* share of the step */
    TP_DETAIL_HALF_PRODUCTS,   /* share of the step */
    TP_DETAIL_SHORT_KERNELS,   /* number of short kernels, of all, limit */
    TP_DETAIL_ONE_REQUEST,     /* number of steps, of all */
    TP_DETAIL_SINGLE_SAMPLES,  /* number of steps, of all, operator, its input */
    TP_DETAIL_ALWAYS_SINGLE,   /* number of steps, operator, its input */
    TP_DETAIL_WEIGHTS,         /* follows one of these: megabytes per step */
    TP_DETAIL_IN_PROCESS,
    TP_DETAIL_COLLATION,       /* share of loading, share of putting batches together */
    TP_DETAIL_SMALL_OPERATORS, /* number of short calls, of all, limit in us */
    TP_DETAIL_OPTIMIZER,       /* calls per optimizer step, number of names */
    TP_DETAIL_OUTLIER,         /* step, its length by the median, share of calls that only it makes */
    TP_DETAIL_SINGLE_CALLS,    /* calls per step */
    TP_DETAIL_FEW_SAMPLES,     /* rows of the products, usual batch */
    TP_DETAIL_UNEQUAL,         /* ratio of elements */
    TP_DETAIL_HOOKS,           /* calls per step */
    TP_DETAIL_ZEROED,
    TP_DETAIL_COUNT
};

enum tp_detail_type {
    TP_ARGUMENT_NONE,
    TP_ARGUMENT_TEXT,   /* a name, or sizes of an array */
    TP_ARGUMENT_NUMBER, /* a number of things */
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

/* A part of a detail. */
struct tp_detail {
    enum tp_detail_id id;
    struct tp_detail_argument arguments[TP_DETAIL_ARGUMENTS];
    const struct tp_detail *next; /* the part that follows; NULL: none */
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
