/* What the rules of CPU programs share: the main thread's events with their place in the tree. */
#ifndef TP_WEBREPORT_MEASURE_RULES_CPU_H
#define TP_WEBREPORT_MEASURE_RULES_CPU_H

#include "webreport/measure/rules_eval.h"

enum {
    TP_CPU_IN_WINDOW = 1,
    TP_CPU_HAS_OPS = 2,    /* is the owner of operators */
    TP_CPU_UNDER_OP = 4,   /* an operator is among its ancestors */
    TP_CPU_UNDER_COPY = 8, /* an operator of the copy set is */
    TP_CPU_IN_LOADER = 16  /* starts while the loader runs */
};

struct tp_cpu_program {
    const uint32_t *list; /* events of the main thread, in key order */
    uint32_t count;
    uint8_t *bits;               /* TP_CPU_*, by event */
    uint32_t *owner;             /* by event: nearest ancestor that is no Python frame, TP_NO_ID for none */
    struct tp_intervals loading; /* the loader's time within the windows */
    uint32_t op_count;           /* operators in the windows */
};

/* Length of a set within the windows, in percent of them. */
double tp_set_percent(const struct tp_advisor *a, struct tp_intervals set);

#endif
