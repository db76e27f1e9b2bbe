/* State and functions that rules share during evaluation: the model, common lists, and the reporting of findings
 * (section 15 of docs/definitions.md). */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_EVAL_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_EVAL_H

#include <math.h>

#include "webreport/measure/memory/memory_peak.h"
#include "webreport/measure/rules/rules.h"
#include "webreport/measure/verdict/accumulation.h"
#include "webreport/measure/views/trace_quality.h"
#include "webreport/measure/work/work_costs.h"
#include "webreport/model/facts.h"
#include "webreport/model/numbers.h"
#include "webreport/model/stack_walk.h"

/* The events that a finding names as evidence: the first five in an order, and the number of all events. */
struct tp_pick {
    int64_t weight, at, rank;   /* heaviest first; equal weights in order of time, rank and position in the file */
    uint32_t event, line_event; /* line_event: event whose project line is shown; TP_NO_ID: none */
};

struct tp_picks {
    struct tp_pick items[TP_FINDING_EVIDENCE];
    unsigned kept;
    int64_t total;
};

/* A finding before it is reported. Zero-initialize it; set has_ceiling and `time`, or is_forced and a severity. */
struct tp_candidate {
    enum tp_rule_id rule;
    bool has_ceiling;
    struct tp_intervals time; /* set of times; the part within W is the ceiling */
    struct tp_picks picks;
    bool is_first;  /* listed before all other findings */
    bool also_info; /* reported even with the lowest severity, info */
    bool is_forced; /* `severity` replaces high and medium, and applies if there is no ceiling */
    enum tp_severity severity;
    double share;                    /* share of the step if there is no ceiling; NaN: unknown */
    int lower;                       /* number of levels by which confidence drops */
    const struct tp_detail *details; /* in the arena; NULL: none */
    double weight; /* decides the position in the list, in percent, greatest first; 0: the gain decides */
    /* true: `low` is set, and a fix may gain the whole ceiling; false: the rule's range applies */
    bool has_low;
    double low; /* least gain, as a part of the ceiling */
    /* upper end of the gain, percent, if it may exceed the ceiling; 0: the ceiling */
    double most_percent;
    const char *advice;               /* advice of this finding for PyTorch programs; NULL: the rule's advice */
    const char *cause;                /* cause of this finding if the rule has several; NULL: the rule's cause */
    const struct tp_evidence *memory; /* a memory record as evidence, or NULL */
};

/* The operations [first, end). */
struct tp_operation_range {
    uint32_t first, end;
};

/* A part of the main thread, with the cost of recording before its start. spread_ns: cost within the part, spread
 * evenly until the next part starts. */
struct tp_recorded {
    int64_t start_ns, cost_ns, spread_ns;
};

/* The state of an evaluation of all rules. */
struct tp_advisor {
    const struct tp_model *model;
    struct tp_arena *arena; /* memory of the rules; results are in the arena of `findings` */
    const struct tp_quality *quality;
    const struct tp_memory_peak *memory;
    const struct tp_rule_overrides *overrides;
    bool is_serving;                   /* the trace has steps of a serving engine */
    enum tp_program_use_kind use;      /* use of the program, which selects the texts of findings */
    const struct tp_work_kinds *kinds; /* only for device programs */
    const struct tp_work_units *units;
    uint8_t *of_library;    /* by name of a kernel: 1 + enum tp_work found by the name alone; 0: not examined yet */
    struct tp_vec findings; /* struct tp_finding */
    struct tp_vec times;    /* struct tp_intervals: times of the findings, by tp_finding.time */
    struct tp_vec notes;    /* struct tp_rule_note */
    bool reported[TP_RULE_COUNT];
    bool is_left_out[TP_RULE_COUNT]; /* true if the recording cannot answer the rule (rules_record.c) */
    struct tp_intervals judged;      /* part of W that represents the program (rules_record.c) */
    int64_t judged_ns;               /* length of `judged` without the cost of recording, ns; the base of shares */

    struct tp_accumulation accumulation; /* gradient accumulation over several steps */
    struct tp_overhead overhead;         /* cost of recording for the host */
    struct tp_unjudged unjudged;         /* the first reason that makes more than half of W unusable */
    struct tp_vec recorded;              /* CPU programs: struct tp_recorded of the main thread, in order of start */

    uint8_t *above; /* by operator: enum tp_enclosing_kind; NULL before the first call of tp_enclosing_kinds */

    /* the following members are for device programs */
    struct tp_operation_range *ranges; /* operations that start within W */
    uint32_t range_count;
    int64_t operation_count;         /* number of operations in ranges */
    int64_t kernel_count, kernel_ns; /* number and total time of the kernels among the operations */
    uint32_t *kernels;               /* the kernels among the operations, in order */
    struct tp_vec copies;            /* uint32_t: the copies among the operations, in order */
    struct tp_vec regions;         /* uint32_t: loader and optimizer annotations by thread, in the order of the tree */
    struct tp_vec loading;         /* uint32_t: events that load code, in the order of the file */
    struct tp_intervals optimizer; /* time in steps of an optimizer and in zeroing gradients */
    struct tp_vec claimed;         /* struct tp_interval: time that rules other than A1 explain */
    struct tp_intervals explained_communication; /* communication that E4, E6 or E7 explains */
    struct tp_vec allocators;        /* uint32_t: events of allocator calls in steady steps, in order of time */
    struct tp_intervals input;       /* waits for input that B1 or B2 reported */
    uint8_t *is_attention;           /* by device operation: C15 reported it as attention; NULL: C15 reported nothing */
    struct tp_intervals rest;        /* starved time that no rule claimed */
    const struct tp_detail *calling; /* code in which launching operators take long; NULL if there is none */

    /* for CPU programs (rules_cpu.c) */
    struct tp_cpu_program *cpu;
};

enum { TP_WIDEST_PERCENT = 20 }; /* widest useful estimate of a gain, in points */

/* Returns a finding about all ranks of a run, with the texts, cause and confidence of the rule. Severity and gain
 * depend on its share of the step. The finding has no ceiling and no detail yet. */
struct tp_finding tp_finding_of_run(enum tp_rule_id rule, double share_percent);

double tp_rule_value(const struct tp_advisor *a, enum tp_rule_id rule, const char *key);

/* Returns 100 * ns / judged time. Use it for sums of durations, which may exceed 100 %; use tp_set_percent for shares
 * of time. */
double tp_window_percent(const struct tp_advisor *a, int64_t ns);

/* Returns the length of an interval without the cost of recording, ns; negative if the cost exceeds the length. The
 * results of adjacent intervals add up to the result of the whole interval. */
int64_t tp_piece_less_recording(const struct tp_advisor *a, struct tp_interval piece);

/* Returns the length of a set without the cost of recording, at least 0. */
int64_t tp_less_recording(const struct tp_advisor *a, struct tp_intervals set);

/* Returns the length of a set within the judged time, without the cost of recording: 0 to judged_ns. */
int64_t tp_judged_length(const struct tp_advisor *a, struct tp_intervals set);

/* Returns the share of the judged time that a set covers, without the cost of recording: 0 to 100. */
double tp_set_percent(const struct tp_advisor *a, struct tp_intervals set);

/* Sets the estimate of a finding from the percentage of the judged time that the findings above leave. */
void tp_finding_set_gain(struct tp_finding *finding, double left_percent);

/* Reports a finding unless it is too small. Returns whether it was reported. */
bool tp_advisor_add(struct tp_advisor *a, const struct tp_candidate *candidate);

/* Reports a finding like tp_advisor_add, and subtracts its time from the unexplained idle time (rule A1). */
bool tp_advisor_claim(struct tp_advisor *a, const struct tp_candidate *candidate);

/* Adds a detail to a reported finding: the result of another rule about the same time. */
void tp_advisor_explain(struct tp_advisor *a, enum tp_rule_id rule, const struct tp_detail *details);

/* Notes that a rule was not evaluated, with the reason. */
void tp_advisor_skip(struct tp_advisor *a, enum tp_rule_id rule, const char *reason);

/* Add evidence in the order of the calls: a host event, a device operation. */
void tp_picks_append(struct tp_picks *picks, uint32_t event);
void tp_picks_append_operation(struct tp_picks *picks, const struct tp_model *model, uint32_t device);
/* Adds evidence in the order of tp_pick. */
void tp_picks_rank(struct tp_picks *picks, struct tp_pick pick);
/* Add evidence, longest first, then earliest: a host event, a device operation. */
void tp_picks_longest(struct tp_picks *picks, const struct tp_model *model, uint32_t event);
void tp_picks_longest_operation(struct tp_picks *picks, const struct tp_model *model, uint32_t device);
/* Returns a device operation as a pick of weight 0. */
struct tp_pick tp_pick_of_operation(const struct tp_model *model, uint32_t device);

/* Returns whether one of the times is in [a, b). starts: int64_t, ascending. */
bool tp_has_time_within(const struct tp_vec *starts, int64_t a, int64_t b);

/* Returns a detail in the arena of the rules: TP_DETAIL(a, TP_DETAIL_GROWTH, TP_OF_BYTES(least)). */
#define TP_DETAIL(a, id, ...) tp_detail_new((a)->arena, &(struct tp_detail){(id), {__VA_ARGS__}, NULL})
struct tp_detail *tp_detail_new(struct tp_arena *arena, const struct tp_detail *detail);

/* Returns the parts of both details as one, in `arena`. NULL is a detail without parts. */
struct tp_detail *tp_detail_join(struct tp_arena *arena, const struct tp_detail *first, const struct tp_detail *second);

/* Returns a copy of a detail next to the findings, because the memory of the rules is released after the evaluation. */
const struct tp_detail *tp_detail_keep(struct tp_advisor *a, const struct tp_detail *details);

/* Formats like printf into the arena: for sizes of arrays. */
struct tp_str tp_advisor_text(struct tp_advisor *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Idle or lost time by line of the host's code, as shown by rules A13 and H6. */
struct tp_line_time {
    struct tp_fold fold;
    int64_t ns;
    uint32_t event; /* evidence: innermost event of the first time at this line; TP_NO_ID: none */
};

/* Sorts by time, longest first, then by kind and text. */
void tp_line_times_sort(struct tp_advisor *a, struct tp_line_time *lines, size_t count);

/* Returns the first `most` lines with their shares as a detail; id: of each part, with the arguments of TP_DETAIL_LINE.
 */
struct tp_detail *tp_line_times_detail(struct tp_advisor *a, const struct tp_line_time *lines, size_t count,
                                       size_t most, enum tp_detail_id id);

/* Kinds of operators, found by the names of an operator and its callers. */
enum tp_enclosing_kind {
    TP_ENCLOSED_BY_SHAPE = 1,
    TP_ENCLOSED_BY_SCALAR = 2,
    TP_ENCLOSED_BY_FILL = 4,
    TP_ENCLOSED_BY_COPY = 8,
    TP_ENCLOSED_BY_BACKWARD = 16
};

/* Returns the bits of an operator and of all its callers; 0 for TP_NO_ID. The first call computes them for all
 * operators. */
unsigned tp_enclosing_kinds(struct tp_advisor *a, uint32_t op);

/* Returns whether `says` accepts the name of any annotation. Checks the names first, because they are few, and most
 * traces have no such name. */
bool tp_any_annotation(const struct tp_model *model, bool (*says)(struct tp_str name));

static inline bool tp_in_window(const struct tp_advisor *a, uint32_t event)
{
    return tp_intervals_contain(a->model->window, a->model->trace->events[event].ts_ns);
}

/* A walk over the operations that start within W, in order: for (struct tp_operations w = {.a = a};
 * tp_next_operation(&w, &k);). Skips devices that the program itself defined, because the rules do not know their
 * hardware. */
struct tp_operations {
    const struct tp_advisor *a;
    uint32_t range, next;
};

static inline bool tp_is_own_operation(const struct tp_model *model, uint32_t device)
{
    return model->gpus[model->devices.gpu[device]].is_own;
}

static inline bool tp_next_operation(struct tp_operations *walk, uint32_t *device)
{
    for (; walk->range < walk->a->range_count; walk->range++) {
        struct tp_operation_range range = walk->a->ranges[walk->range];
        walk->next = walk->next > range.first ? walk->next : range.first;
        while (walk->next < range.end) {
            *device = walk->next++;
            if (!tp_is_own_operation(walk->a->model, *device))
                return true;
        }
    }
    return false;
}

/* Sets *device to the next kernel of the walk. Returns false after the last kernel. */
static inline bool tp_next_kernel(struct tp_operations *walk, uint32_t *device)
{
    bool is_any = walk->next < walk->a->kernel_count;
    if (is_any)
        *device = walk->a->kernels[walk->next++];
    return is_any;
}

static inline const struct tp_device_setup *tp_setup_of(const struct tp_model *model, uint32_t device)
{
    return tp_device_setup(model->trace, tp_device_event(model, device)->detail);
}

/* Returns the starved time of each gap before an operation that `is_one` accepts. The intervals may overlap. */
struct tp_vec tp_starved_before(const struct tp_advisor *a, bool (*is_one)(const void *context, uint32_t device),
                                const void *context);

/* Returns the time of W in which a device waits for the host: its starved time. For devices that the program itself
 * defined: idle time that no call explains. */
struct tp_intervals tp_waiting_for_host(struct tp_advisor *a);

/* Fill the lists of an advisor that several rules use, for a program with a device or without one. */
void tp_rules_prepare_gpu(struct tp_advisor *a);
void tp_rules_prepare_cpu(struct tp_advisor *a);

/* Returns the largest gain from removing blocking calls of the host, in percent of the judged time. calls: a set of
 * times. */
double tp_gain_without_waits(struct tp_advisor *a, struct tp_intervals calls);

/* Subtracts the cost of recording from the gains of findings about a late host. Must be called after all rules. */
void tp_findings_less_recording(struct tp_advisor *a);

/* Replaces advice that the program already follows. Must be called after all rules. */
void tp_findings_already_followed(struct tp_advisor *a);

#endif
