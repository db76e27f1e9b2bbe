/* The arguments of a finding's title: an id and values from the trace, such as a line of code or a number of calls. The
 * comment of each id lists the arguments. webreport/document/words/title_words.c contains the titles. */
#ifndef TP_WEBREPORT_MEASURE_RULES_TITLES_H
#define TP_WEBREPORT_MEASURE_RULES_TITLES_H

#include "webreport/measure/rules/details.h"

enum tp_title_id {
    TP_TITLE_OF_RULE,           /* no arguments; the title in the rule's row */
    TP_TITLE_REPEATED_LAUNCHES, /* argument: number of launches that every step repeats */
    TP_TITLE_WAIT,              /* arguments: line of the costliest wait, idle time of the device after this wait, ns */
    TP_TITLE_VALUE_READ,        /* argument: line that reads a value of the device */
    TP_TITLE_DATA_SIZE,         /* arguments: operator whose output size depends on data, line that calls it */
    TP_TITLE_ALLOCATION,        /* argument: name of the first call of the allocator */
    TP_TITLE_HOST_CODE,         /* argument: frame or annotation with the longest time */
    TP_TITLE_SMALL_COPIES,      /* argument: number of copies per step */
    TP_TITLE_SLOW_PRODUCT,      /* arguments: operands, TFLOP/s of this product, TFLOP/s of the median product */
    TP_TITLE_LAYOUT,            /* argument: time of the conversions per step, ns */
    TP_TITLE_GROWTH,            /* argument: growth in bytes per step */
    TP_TITLE_OVERLAP,           /* arguments as for TP_DETAIL_OVERLAP */
    TP_TITLE_COMMUNICATE_LESS,  /* no arguments; computation cannot hide communication */
    TP_TITLE_COLLECTIVES,       /* arguments: calls per step, kind of collective */
    TP_TITLE_COLLECTIVES_OF_WRAPPER, /* arguments as for TP_TITLE_COLLECTIVES */
    TP_TITLE_OPTIMIZER,              /* argument: class of the optimizer */
    TP_TITLE_LOOP,                   /* argument: line of the loop */
    TP_TITLE_UPDATES,                /* argument: line of the first update */
    TP_TITLE_COMPILATION,            /* argument: time of compilation in all steps, ns */
    TP_TITLE_PYTHON_CODE,            /* argument: frame or annotation with the longest time */
    TP_TITLE_LOADING_IN_PROCESS,     /* no arguments; the training process loads the data */
    TP_TITLE_SLOW_WORKERS,           /* no arguments; worker processes load the data */
    TP_TITLE_RECORDED_CAPTURE,       /* no arguments; the recording shows the capture of graphs */
    TP_TITLE_STRAGGLER,              /* arguments: name of the slow rank, time per step that the other ranks wait, ns */
    TP_TITLE_COUNT
};

enum { TP_TITLE_ARGUMENTS = 3 };

struct tp_title {
    enum tp_title_id id;
    struct tp_detail_argument arguments[TP_TITLE_ARGUMENTS]; /* empty texts are unknown arguments */
};

/* Returns a title as a value. Example: TP_TITLE(TP_TITLE_GROWTH, TP_OF_BYTES(least)). */
#define TP_TITLE(id, ...)                                                                                              \
    (struct tp_title)                                                                                                  \
    {                                                                                                                  \
        (id),                                                                                                          \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

#endif
