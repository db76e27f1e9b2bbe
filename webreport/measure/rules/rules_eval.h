/* What the rules share while they are evaluated: the model, lists that several need, and how a finding is reported
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

/* The events that are named as evidence: the first five of an order, and how many there are. */
struct tp_pick {
    int64_t weight, at, rank;   /* heaviest first; then earliest, lowest rank, first in the file */
    uint32_t event, line_event; /* line_event: where to look for the project line; TP_NO_ID for none */
};

struct tp_picks {
    struct tp_pick items[TP_FINDING_EVIDENCE];
    unsigned kept;
    int64_t total;
};

/* A finding on its way. Zero-initialise; has_ceiling with `time`, or a forced severity without. */
struct tp_candidate {
    enum tp_rule_id rule;
    bool has_ceiling;
    struct tp_intervals time; /* a set; its part within W is the ceiling */
    struct tp_picks picks;
    bool is_first;  /* stands before all others */
    bool also_info; /* report it even below the lowest severity */
    bool is_forced; /* severity below replaces high and medium, or stands without ceiling */
    enum tp_severity severity;
    double share;                     /* without ceiling: share of the step, NaN for none */
    int lower;                        /* levels of confidence to take off */
    struct tp_str detail;             /* in the arena, or empty */
    double weight;                    /* what it stands in the list by, percent; 0: by what is gained */
    bool has_low;                     /* low below is known, and the whole ceiling may be gained; else the rule's own */
    double low;                       /* part of the ceiling: the least that is gained */
    /* upper end of the gain, where it may exceed the ceiling; 0: the ceiling is the end */
    double most_percent;
    const char *advice;               /* of this finding, of a program of PyTorch; NULL: the rule's */
    const char *cause;                /* of this finding, where the rule alone does not say it; NULL: the rule's */
    const struct tp_evidence *memory; /* evidence that is a memory record, or NULL */
};

/* Operations first .. end - 1. */
struct tp_operation_range {
    uint32_t first, end;
};

/* A stretch of the main thread, and what recording cost up to its start; spread_ns comes on, evenly, until the next one
 * starts. */
struct tp_recorded {
    int64_t start_ns, cost_ns, spread_ns;
};

/* Everything while rules run. */
struct tp_advisor {
    const struct tp_model *model;
    struct tp_arena *arena; /* of the rules; what they find lives where `findings` does */
    const struct tp_quality *quality;
    const struct tp_memory_peak *memory;
    const struct tp_rule_overrides *overrides;
    bool is_serving;                   /* there are steps of a serving engine */
    enum tp_program_use_kind use;       /* whose words findings are in */
    const struct tp_work_kinds *kinds; /* of device programs */
    const struct tp_work_units *units;
    uint8_t *of_library;    /* by name of a kernel: enum tp_work that the name alone says + 1; 0: not looked at */
    struct tp_vec findings; /* struct tp_finding */
    struct tp_vec times;    /* struct tp_intervals: what each finding is about, by tp_finding.time */
    struct tp_vec notes;    /* struct tp_rule_note */
    bool reported[TP_RULE_COUNT];
    bool is_left_out[TP_RULE_COUNT]; /* what the recording cannot tell (rules_record.c) */
    struct tp_intervals judged;      /* part of W that says something about the program (rules_record.c) */
    int64_t judged_ns;               /* its length without what recording cost; shares are of this */

    struct tp_accumulation accumulation; /* of gradients over several steps */
    struct tp_overhead overhead; /* what recording costs the host */
    struct tp_unjudged unjudged; /* more than half of W: the first reason that covers so much */
    struct tp_vec recorded; /* CPU programs: struct tp_recorded of the main thread, ascending by start */

    uint8_t *above; /* enum tp_above_bit by operator, once tp_above was called */

    /* device programs */
    struct tp_operation_range *ranges; /* of operations that start within W */
    uint32_t range_count;
    int64_t operation_count;         /* those */
    int64_t kernel_count, kernel_ns; /* those of them that are kernels .. */
    uint32_t *kernels;               /* .. in order */
    struct tp_vec copies;            /* uint32_t: those that are copies, in order */
    struct tp_vec regions;         /* uint32_t: loader and optimizer annotations by thread, in the order of the tree */
    struct tp_vec loading;         /* uint32_t: events of code being loaded, in the order of the file */
    struct tp_intervals optimizer; /* time in steps of an optimizer and in zeroing gradients */
    struct tp_vec claimed;         /* struct tp_interval: what other rules than A1 explain */
    struct tp_intervals explained_communication; /* that E4, E6 and E7 explain */
    struct tp_vec allocators;               /* uint32_t: events of allocator calls in steady steps, in order of time */
    struct tp_intervals input;              /* waits for input that B1 or B2 reported */
    uint8_t *is_attention;                  /* by device operation: of attention that C15 reported; NULL: none */
    struct tp_intervals rest;               /* starved time that nobody claimed */
    struct tp_str calling; /* in which code operators that launch take long; "": in none */

    /* CPU programs: see rules_cpu.c */
    struct tp_cpu_program *cpu;
};

enum { TP_WIDEST_PERCENT = 20 }; /* a wider estimate of a finding's gain is of no use */

/* A finding about all ranks of a run, which no advisor reports: the rule's words, cause and confidence, and of the
 * share of the step its severity and what mending gains. No ceiling and no detail yet. */
struct tp_finding tp_finding_of_run(enum tp_rule_id rule, double share_percent);

double tp_rule_value(const struct tp_advisor *a, enum tp_rule_id rule, const char *key);

/* 100 * ns / the judged time. For sums of durations, which may be above 100; a share of time takes tp_set_percent. */
double tp_window_percent(const struct tp_advisor *a, int64_t ns);

/* Returns the length of a piece of time without the cost of recording; negative where that is longer than the piece.
 * The results of adjacent pieces add up to the result of the whole. */
int64_t tp_piece_less_recording(const struct tp_advisor *a, struct tp_interval piece);

/* Returns the length of a set without the cost of recording, at least 0. */
int64_t tp_less_recording(const struct tp_advisor *a, struct tp_intervals set);

/* Returns the length of a set within the judged time, without the cost of recording: 0 to judged_ns. */
int64_t tp_judged_length(const struct tp_advisor *a, struct tp_intervals set);

/* The share that the part of a set within the judged time has, without what recording cost: 0 to 100. */
double tp_set_percent(const struct tp_advisor *a, struct tp_intervals set);

/* Sets the estimate of a finding from the share of the judged time that is left for it. */
void tp_finding_set_gain(struct tp_finding *finding, double left_percent);

/* Reports a finding unless it is too small; true when it was reported. */
bool tp_advisor_add(struct tp_advisor *a, const struct tp_candidate *candidate);

/* The same; what was reported is no longer unexplained idle time (rule A1). */
bool tp_advisor_claim(struct tp_advisor *a, const struct tp_candidate *candidate);

/* Says more of a finding that was reported: what another rule found of the same time. */
void tp_advisor_explain(struct tp_advisor *a, enum tp_rule_id rule, struct tp_str detail);

/* Notes that a rule was not evaluated. */
void tp_advisor_skip(struct tp_advisor *a, enum tp_rule_id rule, const char *reason);

/* Evidence in the order given: a host event, a device operation. */
void tp_picks_append(struct tp_picks *picks, uint32_t event);
void tp_picks_append_operation(struct tp_picks *picks, const struct tp_model *model, uint32_t device);
/* Evidence in the order of tp_pick. */
void tp_picks_rank(struct tp_picks *picks, struct tp_pick pick);
/* The longest first, then the earliest: a host event, a device operation. */
void tp_picks_longest(struct tp_picks *picks, const struct tp_model *model, uint32_t event);
void tp_picks_longest_operation(struct tp_picks *picks, const struct tp_model *model, uint32_t device);
/* A device operation as a pick of no weight. */
struct tp_pick tp_pick_of_operation(const struct tp_model *model, uint32_t device);

/* Does one of the times (int64_t, ascending) lie in [a, b)? */
bool tp_any_within(const struct tp_vec *starts, int64_t a, int64_t b);

/* " in 6 steps": what a count is of; "" of one step. */
const char *tp_advisor_in_steps(const struct tp_advisor *a);

/* printf into the arena. */
struct tp_str tp_advisor_text(struct tp_advisor *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Idle or lost time by host line, as rules A13 and H6 name it. */
struct tp_line_time {
    struct tp_fold fold;
    int64_t ns;
    uint32_t event; /* evidence: innermost event of the first piece; TP_NO_ID for none */
};

/* Sorts by time, longest first, then by kind and text. */
void tp_line_times_sort(struct tp_advisor *a, struct tp_line_time *lines, size_t count);

/* "LINE: at most 12.3 %ENDING" of the first `most` lines, joined by "; ". */
struct tp_str tp_line_times_text(struct tp_advisor *a, const struct tp_line_time *lines, size_t count, size_t most,
                                 const char *ending);

/* What an operator, or one that it is called by, is by name. */
enum tp_above_bit { TP_ABOVE_SHAPE = 1, TP_ABOVE_SCALAR = 2, TP_ABOVE_FILL = 4, TP_ABOVE_COPY = 8, TP_ABOVE_BACKWARD = 16 };

/* Bits of an operator and everything above it; 0 of TP_NO_ID. The first call finds them for all operators. */
unsigned tp_above(struct tp_advisor *a, uint32_t op);

/* Does the name of an annotation say it? Names first: they are few, and mostly none does. */
bool tp_any_annotation(const struct tp_model *model, bool (*says)(struct tp_str name));

static inline bool tp_in_window(const struct tp_advisor *a, uint32_t event)
{
    return tp_intervals_contain(a->model->window, a->model->trace->events[event].ts_ns);
}

/* Operations that start within W, in order, without those on devices of the program's own, whose hardware no rule
 * knows: for (struct tp_operations w = {.a = a}; tp_next_operation(&w, &k);). */
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

/* The same, kernels alone. */
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

/* Starved time of the gaps that end with an operation that `is_one` accepts; pieces, not a set. */
struct tp_vec tp_starved_before(const struct tp_advisor *a, bool (*is_one)(const void *context, uint32_t device),
                                const void *context);

/* Time of W in which some device waits for the host: starved; of devices of the program's own, idle for a reason that
 * no call tells. */
struct tp_intervals tp_waiting_for_host(struct tp_advisor *a);

/* Fills the lists of an advisor that several rules use: for a program with a device, for one without. */
void tp_rules_prepare_gpu(struct tp_advisor *a);
void tp_rules_prepare_cpu(struct tp_advisor *a);

/* Returns the most that is gained without these waiting calls of the host (a set), in percent of the judged time. */
double tp_percent_ahead(struct tp_advisor *a, struct tp_intervals calls);

/* Takes the cost of recording off the gains of findings about a late host. Called after all rules. */
void tp_findings_less_recording(struct tp_advisor *a);

/* Replaces shown advice that the program follows already. Called after all rules. */
void tp_findings_already_followed(struct tp_advisor *a);

#endif
