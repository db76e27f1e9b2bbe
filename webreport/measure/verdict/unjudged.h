/* Describes time of the analysed steps that cannot be analysed, because it does not show how the program's steps run
 * (docs/definitions.md, section 13). */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_UNJUDGED_H
#define TP_WEBREPORT_MEASURE_VERDICT_UNJUDGED_H

#include <stdint.h>

enum tp_unjudged_reason {
    TP_UNJUDGED_NOTHING,         /* at least half of the step time can be analysed */
    TP_UNJUDGED_CAPTURE,         /* launches are captured into a device graph and run nothing */
    TP_UNJUDGED_TOO_LITTLE_WORK, /* rule R2: the recording has too little work */
    TP_UNJUDGED_FIRST_USE,       /* rule R3: the program uses the device for the first time */
    TP_UNJUDGED_EDGE,            /* rule R4: edge of the recording */
    TP_UNJUDGED_MISSING          /* rules R1, R4: the trace does not show the device's work */
};

struct tp_detail;

struct tp_unjudged {
    enum tp_unjudged_reason reason;
    int64_t ns; /* idle time of the analysed steps that cannot be analysed, ns; 0 with TP_UNJUDGED_NOTHING */
    /* details of the rule that found the time (rules/details.h); NULL without a rule */
    const struct tp_detail *details;
};

#endif
