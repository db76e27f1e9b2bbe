/* The verdict: what limits the steps, computed from the same parts as overview, idle view and findings
 * (docs/definitions.md, section 13). One verdict per trace serves page, JSON, digest, summaries and text. If the used
 * steps do not allow a verdict, class and headline say so. All memory is in the given arena or in the model, which must
 * outlive the verdict. A finished verdict does not change. */
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
    TP_CLASS_STALL,     /* one gap is at least half of the step time, so the steps are not typical */
    TP_CLASS_COMMUNICATION_BOUND,
    TP_CLASS_COPY_BOUND,
    TP_CLASS_INPUT_BOUND,
    TP_CLASS_SYNC_BOUND,
    TP_CLASS_LAUNCH_BOUND,
    /* no device was used; loading takes less than a fifth of the step time, and so does communication */
    TP_CLASS_CPU,
    TP_CLASS_DEVICE_MISSING,
    TP_CLASS_OTHER_DEVICE,
    TP_CLASS_SAMPLES, /* the trace has only samples of threads */
    TP_CLASS_EMPTY,
    TP_CLASS_TOO_LITTLE, /* the trace is a fragment (fragment.h), or rule R2 fired */
    TP_CLASS_CAPTURE,    /* the recording is mostly the capture of a device graph */
    TP_CLASS_FIRST_USE,  /* the recording is mostly the first use of the device */
    TP_CLASS_PROGRAM,    /* first class of programs recorded from outside: TP_CLASS_PROGRAM + enum tp_program_rule */
    TP_CLASS_COUNT = TP_CLASS_PROGRAM + TP_PROGRAM_RULES
};

/* Kinds of time. On the device of the verdict, the first nine add up to the time of the analysed steps exactly. A
 * program without a device has input, communication, operators and between, which may overlap. */
enum tp_time_cause {
    TP_TIME_COMPUTE,
    TP_TIME_COMMUNICATION, /* communication that is exposed */
    TP_TIME_COPY,          /* copies that are exposed */
    TP_TIME_INPUT,         /* the device has no work while the main thread loads data */
    TP_TIME_SYNC,          /* the device has no work because the host had waited for the device */
    TP_TIME_LAUNCH,        /* the device has no work for other reasons */
    TP_TIME_QUEUE,         /* idle time; this constant and the next two have the names of idle parts */
    TP_TIME_OUTSIDE,
    TP_TIME_UNKNOWN,
    TP_TIME_DEVICE_COUNT,
    TP_TIME_OPERATORS = TP_TIME_DEVICE_COUNT, /* time in operators of the main thread */
    TP_TIME_BETWEEN,                          /* the main thread has no event, and no other thread works */
    TP_TIME_COUNT,
    TP_TIME_NONE = TP_TIME_COUNT
};

/* The times of each cause on the device of the verdict, within the analysed steps. The sets are disjoint. The set of
 * TP_TIME_QUEUE is empty: tp_find_queue_times returns it. */
struct tp_cause_times {
    struct tp_intervals of[TP_TIME_DEVICE_COUNT];
};

/* The longest gap of the device in the analysed steps. kind, line: project line (fold of the stack) that ran for most
 * of the gap. */
struct tp_verdict_gap {
    /* start_ns: start of the gap since the start of the profile; total_ns: length of the gap; ns */
    int64_t start_ns, total_ns;
    double percent; /* length of the gap, percent of the step time */
    int64_t part_ns[TP_IDLE_PARTS];
    const char *kind;
    struct tp_str line;
    struct tp_str call; /* runtime call that takes at least half of the gap; empty if none exists */
    int64_t call_ns;
};

/* statement of the headline. webreport/document/words/verdict_words.c has the sentences; members of the verdict supply
 * their numbers and names */
enum tp_headline {
    TP_HEADLINE_EMPTY,
    TP_HEADLINE_FRAGMENT,       /* the trace is a fragment, with too little work for a verdict */
    TP_HEADLINE_DEVICE_MISSING, /* the device's work is missing (device_missing.h) */
    TP_HEADLINE_OTHER_DEVICE,
    TP_HEADLINE_SAMPLES,       /* number and processor time of the samples */
    TP_HEADLINE_DEVICE,        /* activity of the device that takes most of the steps; uses `cause` and `next` */
    TP_HEADLINE_GAP,           /* the device waits for the host in one long gap; uses `gap` */
    TP_HEADLINE_COLLECTIVE,    /* one collective takes half of the steps; uses `one_collective_ns` */
    TP_HEADLINE_INPUT,         /* this constant and the next six are for programs without a device */
    TP_HEADLINE_COMMUNICATION, /* communication that no recorded work hides */
    TP_HEADLINE_COPY,          /* copies; `largest` is the range of copies with the most time */
    TP_HEADLINE_WAIT,          /* waits; `largest` is the range of waits with the most time */
    TP_HEADLINE_RANGES,        /* computing ranges; `largest` is the longest range if it takes a fifth of the steps */
    TP_HEADLINE_NO_RANGE,      /* the trace has no calls, and no range with a declared kind */
    TP_HEADLINE_CALLS,         /* recorded calls; `largest` is the call with the most self time on the main thread */
    TP_HEADLINE_CAPTURE,       /* this constant and the next three correspond to enum tp_unjudged_reason */
    TP_HEADLINE_TOO_LITTLE_WORK,
    TP_HEADLINE_FIRST_USE,
    TP_HEADLINE_EDGE,
    TP_HEADLINE_PROGRAM, /* headline of the view of a program recorded from outside */
    TP_HEADLINE_INSIDE   /* recording from inside a process; another trace shows the work of the process */
};

/* least share of compute with which the device is the limit, percent of the step time */
#define TP_BOUND_PERCENT 66.0

/* the period to which shares in the headline refer */
enum tp_verdict_period {
    TP_PERIOD_STEP,
    TP_PERIOD_STEPS,
    TP_PERIOD_RECORDING,
    TP_PERIOD_FROM_DEVICE /* shares refer to the time from the first device operation to the end of the recording */
};

/* name with the most time among ranges, or among calls */
struct tp_verdict_largest {
    struct tp_str name; /* name of the range or call; ptr is NULL without one */
    /* of a range: percent of the step time, 0 for copies and waits; of a call: percent of the main thread's call
     * time */
    double percent;
};

struct tp_trace_verdict {
    enum tp_verdict_class class;
    enum tp_headline headline_id;
    enum tp_verdict_period period;
    /* cause that the verdict names; TP_TIME_NONE if the time of the analysed steps has no causes */
    enum tp_time_cause cause;
    /* second cause that the headline names; TP_TIME_NONE if no other cause takes a tenth of the step time */
    enum tp_time_cause next;
    /* share of `cause` (for TP_CLASS_NOT_SHOWN, of all causes that the trace does not explain), percent of the step
     * time; NaN without a cause. Communication includes awaited_communication_ns */
    double percent;
    bool has_device, has_gap;
    bool is_own_device; /* true if the program itself registered the device and describes its work */
    int64_t device;     /* id of the device with the most busy time */
    bool has_cause[TP_TIME_COUNT];
    int64_t cause_ns[TP_TIME_COUNT];
    const struct tp_cause_times *times; /* times of cause_ns; NULL without a device */
    /* queue time after the call of a collective and before its start, ns; included in communication */
    int64_t awaited_communication_ns;
    /* idle time of part "unknown" in which the host waited for unrecorded device work, ns */
    int64_t unrecorded_wait_ns;
    /* exposed time of the longest collective, ns; 0 if it is less than half of the step time */
    int64_t one_collective_ns;
    struct tp_str one_collective; /* name of the longest collective, for one_collective_ns */
    struct tp_verdict_gap gap;
    struct tp_verdict_largest largest; /* range or call that the headline names; its kind depends on headline_id */
    uint64_t sample_count;             /* number of samples, for TP_HEADLINE_SAMPLES */
    int64_t samples_ns;                /* processor time that the samples represent, ns */
    /* cost of recording, percent of the step time; 0 if below a tenth, or if the host is not the limit */
    double recording_percent;
    /* true if stacks cause most of the cost of recording; false if shapes and memory cause most of it */
    bool is_recording_of_stacks;
    /* percent of the steps in which the main thread was ready without a CPU; 0 if unknown or small */
    double ready_percent;
    /* The verdict as sentences. Only tp_fill_verdict_texts in webreport/document/words fills it; in measure, only a
     * summary reads it to keep a copy. */
    struct tp_str headline;
    double step_us; /* mean length of an analysed step, us */
    /* part of the recording outside the analysed steps; all members are 0 if the shares are unknown */
    struct tp_outside_part left_out;
    /* time that cannot be analysed; set only if it is more than half of the step time */
    struct tp_unjudged unjudged;
    uint32_t steps_used, step_count;
    const struct tp_step *steps; /* all steps, including steps that are left out, with the reason */
};

/* Return the text of a class ("compute-bound", "not-shown") or of a cause ("compute", "between"). Static. */
const char *tp_verdict_class_text(enum tp_verdict_class verdict_class);
const char *tp_time_cause_text(enum tp_time_cause cause);

/* Returns the time that the headline attributes to a cause, ns. TP_TIME_QUEUE excludes awaited communication, which the
 * headline names separately. */
int64_t tp_verdict_cause_ns(const struct tp_trace_verdict *verdict, enum tp_time_cause cause);

/* Removes the verdict of a trace that does not show the work of its own process (tp_advice_remove_verdict). */
void tp_verdict_reset(struct tp_trace_verdict *verdict);

/* Builds the verdict of a model, without its sentences. is_fragment: result of the trace quality. */
void tp_verdict_build(struct tp_trace_verdict *verdict, const struct tp_model *model, bool is_fragment,
                      struct tp_arena *arena);

/* Changes the verdict if more than half of the step time cannot be analysed. unjudged: result of the rules about the
 * recording. */
void tp_verdict_set_unjudged(struct tp_trace_verdict *verdict, const struct tp_unjudged *unjudged,
                             const struct tp_model *model);

/* Adds the cost of recording if the host limits the steps and recording takes at least a tenth of the step time. found:
 * result of the rules. */
struct tp_recommendations;
void tp_verdict_add_recording(struct tp_trace_verdict *verdict, const struct tp_recommendations *found,
                              const struct tp_model *model);

/* Uses the class of the program view if the trace contains only a program recorded from outside. */
void tp_verdict_build_for_program(struct tp_trace_verdict *verdict, const struct tp_program_view *program);

/* Fills class, cause and percent. shares: percent of the step time by enum tp_time_cause; gap_percent: share of the
 * longest gap. For tp_verdict_build and its tests. */
void tp_verdict_decide(struct tp_trace_verdict *verdict, const double shares[TP_TIME_DEVICE_COUNT], double gap_percent);

extern const struct tp_fields tp_verdict_fields;

#endif
