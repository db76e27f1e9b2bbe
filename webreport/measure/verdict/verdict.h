/* The verdict: what bounds the steps, from the same parts that overview, idle view and findings show (section 13).
 *
 * One object, made once per trace; page, JSON, digest, summaries and text take it from here. Where the window cannot
 * tell, the class says so, and the headline has the words. Everything lives in the arena given or borrows from the
 * model, which must stay; read-only afterwards. */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_VERDICT_H
#define TP_WEBREPORT_MEASURE_VERDICT_VERDICT_H

#include "webreport/measure/program/program_view.h"
#include "webreport/measure/verdict/unjudged.h"
#include "webreport/measure/views/outside_window.h"
#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_verdict_class {
    TP_CLASS_COMPUTE_BOUND,
    TP_CLASS_BALANCED,
    TP_CLASS_NOT_SHOWN, /* the trace does not show why the device did nothing */
    TP_CLASS_STALL,     /* one gap is half of the window: no property of the steps */
    TP_CLASS_COMMUNICATION_BOUND,
    TP_CLASS_COPY_BOUND,
    TP_CLASS_INPUT_BOUND,
    TP_CLASS_SYNC_BOUND,
    TP_CLASS_LAUNCH_BOUND,
    TP_CLASS_CPU, /* no device, and neither loading nor communication takes a fifth */
    TP_CLASS_DEVICE_MISSING,
    TP_CLASS_OTHER_DEVICE,
    TP_CLASS_SAMPLES, /* samples of its threads alone */
    TP_CLASS_EMPTY,
    TP_CLASS_TOO_LITTLE, /* a fragment (fragment.h), or R2 */
    TP_CLASS_CAPTURE,    /* the capture of a graph */
    TP_CLASS_FIRST_USE,  /* first use of the device */
    TP_CLASS_PROGRAM,    /* from here on: by enum tp_program_rule, of a program recorded from outside */
    TP_CLASS_COUNT = TP_CLASS_PROGRAM + TP_PROGRAM_RULES
};

/* Kinds of time. The first nine fill W exactly for the device of the verdict; a program without a device has input,
 * communication, operators and between, which may overlap. */
enum tp_time_cause {
    TP_TIME_COMPUTE,
    TP_TIME_COMMUNICATION, /* exposed */
    TP_TIME_COPY,          /* exposed */
    TP_TIME_INPUT,         /* starved while the main thread loads data */
    TP_TIME_SYNC,          /* starved because the host had waited for the device */
    TP_TIME_LAUNCH,        /* starved otherwise */
    TP_TIME_QUEUE,         /* the idle parts of these names */
    TP_TIME_OUTSIDE,
    TP_TIME_UNKNOWN,
    TP_TIME_DEVICE_COUNT,
    TP_TIME_OPERATORS = TP_TIME_DEVICE_COUNT, /* of the main thread */
    TP_TIME_BETWEEN,                          /* nothing recorded on the main thread, no other thread works */
    TP_TIME_COUNT,
    TP_TIME_NONE = TP_TIME_COUNT
};

/* The longest idle stretch of the device in W, and the line (fold of the stack) that ran for most of it. */
struct tp_verdict_gap {
    int64_t start_ns, total_ns; /* start: from the start of the profile */
    double percent;             /* of W */
    int64_t part_ns[TP_IDLE_PARTS];
    const char *kind;
    struct tp_str line;
    struct tp_str call; /* the call of the runtime that fills half of it or more; "": none does */
    int64_t call_ns;
};

struct tp_trace_verdict {
    enum tp_verdict_class class;
    enum tp_time_cause cause; /* that decides; TP_TIME_NONE: no times */
    double percent;           /* of W: the group of the cause; NaN without cause. Communication: awaited_.. with it */
    bool has_device, has_gap;
    int64_t device; /* its id: the one that is busy longest */
    bool has_cause[TP_TIME_COUNT];
    int64_t cause_ns[TP_TIME_COUNT];
    int64_t awaited_communication_ns; /* of queue: a collective had been called and did not begin; counts for the
                                         group of communication */
    int64_t unrecorded_wait_ns;         /* of unknown: the host waited for the device, whose work is not recorded */
    int64_t one_collective_ns;          /* exposed time of the longest collective, where it is half of W or more; 0: none */
    struct tp_str one_collective;       /* its name */
    struct tp_verdict_gap gap;
    struct tp_str headline; /* one sentence, or two */
    double step_us;         /* |W| / steps_used */
    struct tp_left_out_part left_out; /* of the recording, by W; all 0 without shares */
    struct tp_unjudged unjudged;      /* of W, where it is more than half */
    uint32_t steps_used, step_count;
    const struct tp_step *steps; /* all, with the reason why one is left out */
};

/* What stands in a headline before the line of code that ran for most of the longest gap, where it names one. */
#define TP_HEADLINE_AT ", most of it at "
#define TP_HEADLINE_RAN " (the host ran "

/* "compute-bound", "not-shown" ..; "compute", "between" .. Static. */
const char *tp_verdict_class_text(enum tp_verdict_class verdict_class);
const char *tp_time_cause_text(enum tp_time_cause cause);

/* Puts a sentence before the headline, behind it where a device works; an empty one changes nothing. In `arena`. */
void tp_verdict_add(struct tp_trace_verdict *v, struct tp_str sentence, struct tp_arena *arena);

/* Of a trace that is not about what its process did: see tp_advice_withhold. */
void tp_verdict_withhold(struct tp_trace_verdict *verdict);

/* is_fragment: as the quality of the trace has it. */
void tp_verdict_build(struct tp_trace_verdict *verdict, const struct tp_model *model, bool is_fragment,
                      struct tp_arena *arena);

/* Makes time that nobody can judge the verdict, where it is more than half of W. unjudged: what the rules found. */
void tp_verdict_leave_out(struct tp_trace_verdict *verdict, const struct tp_unjudged *unjudged,
                          const struct tp_model *model, struct tp_arena *arena);

/* Adds a sentence to the headline where the host is the limit and recording takes a tenth of W. found: of the rules. */
struct tp_recommendations;
void tp_verdict_add_recording(struct tp_trace_verdict *verdict, const struct tp_recommendations *found,
                              const struct tp_model *model, struct tp_arena *arena);

/* Of a program recorded from outside, with nothing else in the trace: the class and the words of its view. */
void tp_verdict_of_program(struct tp_trace_verdict *verdict, const struct tp_program_view *program);

/* Decides from shares of W in percent (by enum tp_time_cause, the device's nine) and the longest gap's; for
 * tp_verdict_build and its tests. Fills class, cause and percent. */
void tp_verdict_decide(struct tp_trace_verdict *verdict, const double shares[TP_TIME_DEVICE_COUNT], double gap_percent);

extern const struct tp_fields tp_verdict_fields;

#endif
