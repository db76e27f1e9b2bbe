/* The verdict: what limits the steps, from the same parts as overview, idle view and findings (section 13).
 * It is made once per trace, for page, JSON, digest, summaries and text. If the window does not allow a verdict, class
 * and headline state it. Memory comes from the arena given or belongs to the model, which must outlive the verdict;
 * read-only afterwards. */
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
    TP_CLASS_NOT_SHOWN, /* the trace does not show why the device was idle */
    TP_CLASS_STALL,     /* one gap is half of the window, so the steps are not typical */
    TP_CLASS_COMMUNICATION_BOUND,
    TP_CLASS_COPY_BOUND,
    TP_CLASS_INPUT_BOUND,
    TP_CLASS_SYNC_BOUND,
    TP_CLASS_LAUNCH_BOUND,
    TP_CLASS_CPU, /* no device; loading and communication take less than a fifth each */
    TP_CLASS_DEVICE_MISSING,
    TP_CLASS_OTHER_DEVICE,
    TP_CLASS_SAMPLES, /* only samples of threads were recorded */
    TP_CLASS_EMPTY,
    TP_CLASS_TOO_LITTLE, /* a fragment (fragment.h), or R2 */
    TP_CLASS_CAPTURE,    /* the capture of a graph */
    TP_CLASS_FIRST_USE,  /* first use of the device */
    TP_CLASS_PROGRAM,    /* this and later classes: by enum tp_program_rule, for programs recorded from outside */
    TP_CLASS_COUNT = TP_CLASS_PROGRAM + TP_PROGRAM_RULES
};

/* Kinds of time. For the device of the verdict, the first nine add up to W exactly. A program without a device has
 * input, communication, operators and between, which may overlap. */
enum tp_time_cause {
    TP_TIME_COMPUTE,
    TP_TIME_COMMUNICATION, /* exposed */
    TP_TIME_COPY,          /* exposed */
    TP_TIME_INPUT,         /* starved while the main thread loads data */
    TP_TIME_SYNC,          /* starved after the host had waited for the device */
    TP_TIME_LAUNCH,        /* starved otherwise */
    TP_TIME_QUEUE,         /* the idle parts with these names */
    TP_TIME_OUTSIDE,
    TP_TIME_UNKNOWN,
    TP_TIME_DEVICE_COUNT,
    TP_TIME_OPERATORS = TP_TIME_DEVICE_COUNT, /* operators of the main thread */
    TP_TIME_BETWEEN,                          /* no event on the main thread, and no other thread works */
    TP_TIME_COUNT,
    TP_TIME_NONE = TP_TIME_COUNT
};

/* The longest gap of the device in W, and the line (fold of the stack) that ran for most of it. */
struct tp_verdict_gap {
    int64_t start_ns, total_ns; /* start: since the start of the profile */
    double percent;             /* share of W */
    int64_t part_ns[TP_IDLE_PARTS];
    const char *kind;
    struct tp_str line;
    struct tp_str call; /* runtime call that fills half of it or more, or "" */
    int64_t call_ns;
};

struct tp_trace_verdict {
    enum tp_verdict_class class;
    enum tp_time_cause cause; /* deciding cause; TP_TIME_NONE without times */
    /* share of W of the cause's group; NaN without cause; for communication including awaited_communication_ns */
    double percent;
    bool has_device, has_gap;
    int64_t device; /* id of the device that is busy longest */
    bool has_cause[TP_TIME_COUNT];
    int64_t cause_ns[TP_TIME_COUNT];
    /* queue time in which a collective was called but had not begun; counts as communication */
    int64_t awaited_communication_ns;
    /* unknown time in which the host waited for the device, whose work is not recorded */
    int64_t unrecorded_wait_ns;
    int64_t one_collective_ns;          /* exposed time of the longest collective if it is half of W or more, else 0 */
    struct tp_str one_collective;       /* its name */
    struct tp_verdict_gap gap;
    struct tp_str headline; /* one sentence, or two */
    double step_us;         /* |W| / steps_used */
    struct tp_left_out_part left_out; /* part of the recording outside W; all 0 without shares */
    struct tp_unjudged unjudged;      /* time that cannot be judged, if it is more than half of W */
    uint32_t steps_used, step_count;
    const struct tp_step *steps; /* all steps, with the reason why a step is left out */
};

/* Words in a headline before the line of code that ran for most of the longest gap. */
#define TP_HEADLINE_AT ", most of it at "
#define TP_HEADLINE_RAN " (the host ran "

/* Return "compute-bound", "not-shown" ..; "compute", "between" .. Static. */
const char *tp_verdict_class_text(enum tp_verdict_class verdict_class);
const char *tp_time_cause_text(enum tp_time_cause cause);

/* Adds a sentence before the headline, or after it if a device works; an empty sentence changes nothing. Allocates from
 * `arena`. */
void tp_verdict_add(struct tp_trace_verdict *v, struct tp_str sentence, struct tp_arena *arena);

/* Removes the verdict of a trace that does not show the work of its process (tp_advice_withhold). */
void tp_verdict_withhold(struct tp_trace_verdict *verdict);

/* Makes the verdict of a model. is_fragment: from the trace quality. */
void tp_verdict_build(struct tp_trace_verdict *verdict, const struct tp_model *model, bool is_fragment,
                      struct tp_arena *arena);

/* Changes the verdict if more than half of W cannot be judged. unjudged: result of the rules. */
void tp_verdict_leave_out(struct tp_trace_verdict *verdict, const struct tp_unjudged *unjudged,
                          const struct tp_model *model, struct tp_arena *arena);

/* Adds a sentence to the headline if the host is the limit and recording takes a tenth of W. found: result of the
 * rules. */
struct tp_recommendations;
void tp_verdict_add_recording(struct tp_trace_verdict *verdict, const struct tp_recommendations *found,
                              const struct tp_model *model, struct tp_arena *arena);

/* Takes class and words from the view of a program recorded from outside, if the trace has nothing else. */
void tp_verdict_of_program(struct tp_trace_verdict *verdict, const struct tp_program_view *program);

/* Fills class, cause and percent from the shares of W in percent (the nine kinds of a device by enum tp_time_cause) and
 * the share of the longest gap; for tp_verdict_build and its tests. */
void tp_verdict_decide(struct tp_trace_verdict *verdict, const double shares[TP_TIME_DEVICE_COUNT], double gap_percent);

extern const struct tp_fields tp_verdict_fields;

#endif
