/* Time of W that cannot be judged, because it says nothing about the steps of the program (section 13 of
 * docs/definitions.md). */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_UNJUDGED_H
#define TP_WEBREPORT_MEASURE_VERDICT_UNJUDGED_H

#include <stdint.h>

enum tp_unjudged_reason {
    TP_UNJUDGED_NOTHING,   /* at least half of W can be judged */
    TP_UNJUDGED_CAPTURE,   /* launches are captured into a graph and run nothing */
    TP_UNJUDGED_LITTLE,    /* R2: too little work to judge anything */
    TP_UNJUDGED_FIRST_USE, /* R3 */
    TP_UNJUDGED_EDGE,      /* R4 */
    TP_UNJUDGED_MISSING    /* R1, R4: the trace does not show what the device did */
};

struct tp_detail;

struct tp_unjudged {
    enum tp_unjudged_reason reason;
    int64_t ns;                      /* idle time of W that cannot be judged; 0 with TP_UNJUDGED_NOTHING */
    const struct tp_detail *details; /* of the rule that found it (rules/details.h); NULL: none */
};

#endif
