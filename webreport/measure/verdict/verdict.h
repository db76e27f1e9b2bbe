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

/* What the headline says. webreport/document/words/verdict_words.c has the sentences; their numbers and names are
 * members of the verdict. */
enum tp_headline {
    TP_HEADLINE_EMPTY,
    TP_HEADLINE_FRAGMENT,       /* too little to judge */
    TP_HEADLINE_DEVICE_MISSING, /* device_missing.h */
    TP_HEADLINE_OTHER_DEVICE,
    TP_HEADLINE_SAMPLES,       /* number and processor time of the samples */
    TP_HEADLINE_DEVICE,        /* what the device does for most of the steps: `cause` and `next` */
    TP_HEADLINE_GAP,           /* the device waits for the host in one long gap: `gap` */
    TP_HEADLINE_COLLECTIVE,    /* one collective takes half of the steps: `one_collective_ns` */
    TP_HEADLINE_INPUT,         /* this and the next six: no device */
    TP_HEADLINE_COMMUNICATION, /* that no recorded work hides */
    TP_HEADLINE_COPY,          /* largest: the range of copies with most time */
    TP_HEADLINE_WAIT,          /* largest: the range of waits with most time */
    TP_HEADLINE_RANGES,        /* ranges that compute; largest: one of them with a fifth of the steps */
    TP_HEADLINE_NO_RANGE,      /* no call was recorded, and no range states its kind */
    TP_HEADLINE_CALLS,         /* recorded calls; largest: the call with most self time on the main thread */
    TP_HEADLINE_CAPTURE,       /* this and the next three: by enum tp_unjudged_reason */
    TP_HEADLINE_LITTLE,
    TP_HEADLINE_FIRST_USE,
    TP_HEADLINE_EDGE,
    TP_HEADLINE_PROGRAM, /* the headline of the view of a program recorded from outside */
    TP_HEADLINE_INSIDE   /* recorded inside of a process whose work another trace shows */
};

#define TP_BOUND_PERCENT 66.0 /* share of compute in W from which on the device is the limit */

/* The time that shares in the headline are of. */
enum tp_verdict_period {
    TP_PERIOD_STEP,
    TP_PERIOD_STEPS,
    TP_PERIOD_RECORDING,
    TP_PERIOD_FROM_DEVICE /* from the first device operation to the end of the recording */
};

/* The range or call with most time of a kind. */
struct tp_verdict_largest {
    struct tp_str name; /* ptr NULL: none */
    double percent;     /* share of W; of a call: of the time in calls of the main thread; 0 for copies and waits */
};

struct tp_trace_verdict {
    enum tp_verdict_class class;
    enum tp_headline headline_id;
    enum tp_verdict_period period;
    enum tp_time_cause cause; /* deciding cause; TP_TIME_NONE without times */
    enum tp_time_cause next;  /* second cause that the headline names; TP_TIME_NONE: no other takes a tenth of W */
    /* share of W of the cause's group; NaN without cause; for communication including awaited_communication_ns */
    double percent;
    bool has_device, has_gap;
    bool is_own_device; /* the program itself registered the device and describes its work */
    int64_t device;     /* id of the device that is busy longest */
    bool has_cause[TP_TIME_COUNT];
    int64_t cause_ns[TP_TIME_COUNT];
    /* queue time in which a collective was called but had not begun; counts as communication */
    int64_t awaited_communication_ns;
    /* unknown time in which the host waited for the device, whose work is not recorded */
    int64_t unrecorded_wait_ns;
    int64_t one_collective_ns;    /* exposed time of the longest collective if it is half of W or more, else 0 */
    struct tp_str one_collective; /* its name */
    struct tp_verdict_gap gap;
    struct tp_verdict_largest largest; /* by headline_id */
    uint64_t sample_count;             /* with TP_HEADLINE_SAMPLES: number of samples .. */
    int64_t samples_ns;                /* .. and their processor time */
    double recording_percent;          /* cost of recording, share of W; 0: less than a tenth, or not on the host */
    bool is_recording_of_stacks;       /* most of that cost is from stacks; false: from shapes and memory */
    double ready_percent; /* share of the steps in which the main thread had no CPU (program_steps.h); 0: unknown or
                             small */
    /* The verdict as sentences: reserved for webreport/document/words, which fills it (tp_word_verdict). Measure does
     * not read it, except that a summary keeps a copy. */
    struct tp_str headline;
    double step_us;                  /* |W| / steps_used */
    struct tp_outside_part left_out; /* part of the recording outside W; all 0 without shares */
    struct tp_unjudged unjudged;     /* time that cannot be judged, if it is more than half of W */
    uint32_t steps_used, step_count;
    const struct tp_step *steps; /* all steps, with the reason why a step is left out */
};

/* Return "compute-bound", "not-shown" ..; "compute", "between" .. Static. */
const char *tp_verdict_class_text(enum tp_verdict_class verdict_class);
const char *tp_time_cause_text(enum tp_time_cause cause);

/* Returns the time that the headline gives a cause, ns: without the wait for communication, which the headline names
 * separately. */
int64_t tp_verdict_cause_ns(const struct tp_trace_verdict *verdict, enum tp_time_cause cause);

/* Removes the verdict of a trace that does not show the work of its process (tp_advice_withhold). */
void tp_verdict_withhold(struct tp_trace_verdict *verdict);

/* Makes the verdict of a model without its sentences. is_fragment: from the trace quality. */
void tp_verdict_build(struct tp_trace_verdict *verdict, const struct tp_model *model, bool is_fragment,
                      struct tp_arena *arena);

/* Changes the verdict if more than half of W cannot be judged. unjudged: result of the rules. */
void tp_verdict_leave_out(struct tp_trace_verdict *verdict, const struct tp_unjudged *unjudged,
                          const struct tp_model *model);

/* Adds the cost of recording if the host is the limit and recording takes a tenth of W. found: result of the rules. */
struct tp_recommendations;
void tp_verdict_add_recording(struct tp_trace_verdict *verdict, const struct tp_recommendations *found,
                              const struct tp_model *model);

/* Takes the class from the view of a program recorded from outside, if the trace has nothing else. */
void tp_verdict_of_program(struct tp_trace_verdict *verdict, const struct tp_program_view *program);

/* Fills class, cause and percent from the shares of W in percent (the nine kinds of a device by enum tp_time_cause) and
 * the share of the longest gap; for tp_verdict_build and its tests. */
void tp_verdict_decide(struct tp_trace_verdict *verdict, const double shares[TP_TIME_DEVICE_COUNT], double gap_percent);

extern const struct tp_fields tp_verdict_fields;

#endif
