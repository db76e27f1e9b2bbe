/* State and functions that the rules share during evaluation: the model, common lists, and functions that add findings
 * (docs/definitions.md, section 15). */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_EVAL_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_EVAL_H

#include <math.h>

#include "webreport/measure/memory/memory_peak.h"
#include "webreport/measure/rules/rules.h"
#include "webreport/measure/verdict/accumulation.h"
#include "webreport/measure/views/counter_walk.h"
#include "webreport/measure/views/trace_quality.h"
#include "webreport/measure/work/work_costs.h"
#include "webreport/model/compiled_lookup.h"
#include "webreport/model/facts.h"
#include "webreport/model/numbers.h"
#include "webreport/model/stack_walk.h"
#include "webreport/what_if/fix.h"

/* An event that is evidence of a finding. A finding shows the first five events in the order of these members. */
struct tp_pick {
    int64_t weight, at, rank; /* sort keys: highest weight first, then time, rank and position in the file */
    uint32_t event,
        event_with_shown_line; /* event_with_shown_line: event whose project line is shown; TP_NO_ID: no line */
    uint32_t captured_line;    /* 1 + id of the line of the captured call, which is shown instead; 0: not known */
};

struct tp_picks {
    struct tp_pick items[TP_FINDING_EVIDENCE];
    unsigned kept;
    int64_t total;
};

/* What a fix of a finding would change in a replay, while a rule collects it. Zeroed: the finding has no price. */
struct tp_fix_draft {
    struct tp_vec operations, calls;       /* elements: struct tp_fix_item; see struct tp_fix */
    bool frees_input, hides_communication; /* as in struct tp_fix */
    struct tp_intervals host, kept;        /* as in struct tp_fix */
    bool spares_host;
    /* true: the fix removes all parts; false: the rule's usual share of them, as for the estimate */
    bool is_whole;
};

/* A finding before it is added. Start from a zeroed struct. Set has_ceiling and `time`, or is_forced and `severity`. */
struct tp_candidate {
    enum tp_rule_id rule;
    bool has_ceiling;
    struct tp_intervals time; /* time of the finding; its part within the window of analysed steps is the ceiling */
    struct tp_picks picks;
    bool is_first; /* true: the finding is listed first, because the meaning of all others depends on it */
    bool may_have_severity_info; /* true: the finding is added even if its severity is only info */
    /* true: `severity` replaces the computed severity if that is high or medium, or if the finding has no ceiling */
    bool is_forced;
    enum tp_severity severity;
    double share;                    /* percent of the step, for findings without a ceiling; NaN if unknown */
    int lower;                       /* number of levels by which the confidence of the finding is lowered */
    const struct tp_detail *details; /* in the arena of the rules; NULL without a detail */
    struct tp_title title;           /* arguments of the title, in the arena of the rules; zeroed: the rule's title */
    double weight; /* percent by which the list is sorted, greatest first; 0: the list is sorted by gain */
    /* true: the gain is between `low` and the whole ceiling; false: the gain is the rule's usual range */
    bool has_lower_bound;
    double low; /* least gain as a part of the ceiling, 0 to 1 */
    /* upper end of the gain if it may exceed the ceiling, percent of the step; 0: the ceiling */
    double most_percent;
    const char *advice;               /* advice for PyTorch programs in this case; NULL: the rule's advice */
    const char *cause;                /* cause in this case, for rules with several causes; NULL: the rule's cause */
    const struct tp_evidence *memory; /* memory record to show as evidence; NULL: show `picks` */
    struct tp_fix_draft fix;
};

/* the device operations first to end - 1 */
struct tp_operation_range {
    uint32_t first, end;
};

/* A part of the main thread's time. cost_ns: total cost of recording before the start of this part; spread_ns: cost
 * that is spread evenly from this start to the start of the next part. */
struct tp_recorded {
    int64_t start_ns, cost_ns, spread_ns;
};

/* the state of an evaluation of all rules */
struct tp_advisor {
    const struct tp_model *model;
    struct tp_arena *arena; /* working memory; results are in the arena of `findings` */
    const struct tp_quality *quality;
    const struct tp_memory_peak *memory;
    const struct tp_rule_overrides *overrides;
    struct tp_counter_view counters;   /* counters of the devices, in `arena` */
    bool is_serving;                   /* the trace has steps of a serving engine */
    bool wants_fixes;                  /* findings need their fixes, because a replay prices them */
    enum tp_program_use_kind use;      /* use of the program, on which the texts of findings depend */
    const struct tp_work_kinds *kinds; /* kinds and units are NULL for programs without a device */
    const struct tp_work_units *units;
    uint8_t *library_work_by_name; /* for each name id of a kernel: 1 + enum tp_work from the name alone; 0: not
                                      examined yet */
    struct tp_vec findings;        /* elements: struct tp_finding */
    struct tp_vec times;           /* time of each finding, indexed by tp_finding.time; elements: struct tp_intervals */
    struct tp_vec notes;           /* elements: struct tp_rule_note */
    bool reported[TP_RULE_COUNT];
    /* for each rule: true if the recording is not sufficient to evaluate the rule (rules_record.c) */
    bool is_left_out[TP_RULE_COUNT];
    bool lacks_data[TP_RULE_COUNT]; /* for each rule: true if it needs data which the input cannot show */
    /* the part of the window of analysed steps that is typical of the program (rules_record.c) */
    struct tp_intervals judged;
    /* length of `judged` minus the cost of recording, ns; shares of findings are percentages of this length */
    int64_t judged_ns;

    struct tp_accumulation accumulation; /* gradient accumulation over several steps */
    struct tp_overhead overhead;         /* cost of recording on the main thread */
    /* the first reason why more than half of the window of analysed steps cannot be analysed */
    struct tp_unjudged unjudged;
    /* parts of the main thread in order of start, only for programs without a device; elements: struct tp_recorded */
    struct tp_vec recorded;

    uint8_t *above; /* for each operator: bits of enum tp_enclosing_kind; NULL until tp_enclosing_kinds is called */

    /* the following members are for programs with a device */
    struct tp_operation_range *ranges; /* ranges of the operations that start within the window of analysed steps */
    uint32_t range_count;
    /* number of operations in all ranges, without operations of devices that the program itself registered */
    int64_t operation_count;
    int64_t kernel_count, kernel_ns; /* number and total duration of the kernels in `ranges`; duration in ns */
    uint32_t *kernels;               /* indexes of the kernels in `ranges`, in order of start */
    struct tp_vec copies;            /* indexes of the copies in `ranges`, in order of start; elements: uint32_t */
    struct tp_vec regions; /* annotations of loaders and optimizers, sorted by thread and start; elements: uint32_t */
    struct tp_vec loading; /* events during which code is loaded, in the order of the file; elements: uint32_t */
    struct tp_intervals optimizer; /* time in optimizer steps and in zeroing gradients */
    struct tp_vec claimed;         /* idle time that rules other than A1 explain; elements: struct tp_interval */
    struct tp_intervals explained_communication; /* communication that rule E4, E6 or E7 explains */
    struct tp_vec allocators;  /* allocator calls in steady steps, in order of time; elements: uint32_t */
    struct tp_intervals input; /* waits for input that a finding of rule B1 or B2 reports */
    /* for each device operation: true if a finding of rule C15 reports it as attention; NULL: no such finding */
    uint8_t *is_attention;
    struct tp_intervals rest;        /* time in which the device waits for the host and which no finding covers */
    const struct tp_detail *calling; /* code in which operators that launch work take a long time; NULL: no such code */

    /* state of the rules for programs without a device (rules_cpu.c) */
    struct tp_cpu_program *cpu;
};

enum { TP_WIDEST_PERCENT = 20 }; /* largest width of an estimate that is still useful, percentage points */

/* Returns a finding about all ranks of a run, with the texts, cause and confidence of the rule. share_percent
 * determines severity and gain. The finding has no ceiling and no detail yet. */
struct tp_finding tp_finding_make_for_run(enum tp_rule_id rule, double share_percent);

double tp_rule_value(const struct tp_advisor *a, enum tp_rule_id rule, const char *key);

/* Returns `ns` as a percentage of the analysed time. For sums of durations, which may exceed 100 %;
 * tp_analysed_set_percent is for shares of time. */
double tp_analysed_percent(const struct tp_advisor *a, int64_t ns);

/* Returns the length of an interval minus the cost of recording, ns. The result is negative if the cost exceeds the
 * length. The results of adjacent intervals add up to the result of the joined interval. */
int64_t tp_interval_without_recording_ns(const struct tp_advisor *a, struct tp_interval piece);

/* Returns the total length of a set of intervals minus the cost of recording, ns; at least 0. */
int64_t tp_set_without_recording_ns(const struct tp_advisor *a, struct tp_intervals set);

/* Returns the length of the part of `set` that is in the analysed time, without the cost of recording, ns: from 0 to
 * judged_ns. */
int64_t tp_analysed_length(const struct tp_advisor *a, struct tp_intervals set);

/* Returns the percentage (0 to 100) of the analysed time that a set covers. The cost of recording is subtracted from
 * both. */
double tp_analysed_set_percent(const struct tp_advisor *a, struct tp_intervals set);

/* Sets the estimate of a finding. left_percent: percent of the analysed time that no earlier finding covers. */
void tp_finding_set_gain(struct tp_finding *finding, double left_percent);

/* Adds a finding unless its ceiling is too small. Returns whether the finding was added. */
bool tp_advisor_add_finding(struct tp_advisor *a, const struct tp_candidate *candidate);

/* Adds a finding as tp_advisor_add_finding does, and subtracts the finding's time from the unexplained idle time of
 * rule A1. */
bool tp_advisor_add_and_claim_time(struct tp_advisor *a, const struct tp_candidate *candidate);

/* Adds a detail to the findings of `rule`. The detail is the result of another rule about the same time. */
void tp_advisor_set_details(struct tp_advisor *a, enum tp_rule_id rule, const struct tp_detail *details);

/* Records that a rule was not evaluated, and why. */
void tp_advisor_note_skipped_rule(struct tp_advisor *a, enum tp_rule_id rule, const char *reason);

/* Add to a fix: a device operation, or a call of the host. part: part of its time that the fix removes, millionths. */
void tp_fix_add_operation(const struct tp_advisor *a, struct tp_fix_draft *fix, uint32_t device, uint32_t part);
void tp_fix_add_call(const struct tp_advisor *a, struct tp_fix_draft *fix, uint32_t event, uint32_t part);

/* Appends evidence after all earlier evidence: a host event, or a device operation. */
void tp_picks_append_event(struct tp_picks *picks, uint32_t event);
void tp_picks_append_operation(struct tp_picks *picks, const struct tp_model *model, uint32_t device);
/* Inserts evidence in the order of struct tp_pick. */
void tp_picks_add_by_weight(struct tp_picks *picks, struct tp_pick pick);
/* Insert evidence: the longest first, then the earliest. The evidence is a host event or a device operation. */
void tp_picks_add_by_length(struct tp_picks *picks, const struct tp_model *model, uint32_t event);
void tp_picks_add_operation_by_length(struct tp_picks *picks, const struct tp_model *model, uint32_t device);
/* Returns a device operation as evidence with weight 0. Its line is the line of the launch. */
struct tp_pick tp_pick_of_operation(const struct tp_model *model, uint32_t device);

/* Returns whether one of the times in `starts` is in [a, b). Elements of `starts`: int64_t, ascending. */
bool tp_has_time_within(const struct tp_vec *starts, int64_t a, int64_t b);

/* Returns a detail in the arena of the rules. Example: TP_DETAIL(a, TP_DETAIL_GROWTH, TP_OF_BYTES(least)). */
#define TP_DETAIL(a, id, ...) tp_detail_new((a)->arena, &(struct tp_detail){(id), {__VA_ARGS__}, NULL})
struct tp_detail *tp_detail_new(struct tp_arena *arena, const struct tp_detail *detail);

/* Returns the parts of both details as one detail in `arena`. NULL is a detail without parts. */
struct tp_detail *tp_detail_join(struct tp_arena *arena, const struct tp_detail *first, const struct tp_detail *second);

/* Copies a detail into the arena of the findings, because the memory of the rules is released after the evaluation. */
const struct tp_detail *tp_detail_copy(struct tp_advisor *a, const struct tp_detail *details);

/* Returns the source line that a finding shows for an event of its evidence; "" without a line. */
static inline struct tp_str tp_pick_line(const struct tp_advisor *a, const struct tp_pick *pick)
{
    return pick->captured_line ? tp_frames_line_text(&a->model->trace->frames, pick->captured_line - 1)
                               : tp_code_line(a->model, pick->event_with_shown_line);
}

/* Returns the line of the first event of the evidence; "" without evidence or line. */
static inline struct tp_str tp_picks_first_line(const struct tp_advisor *a, const struct tp_picks *picks)
{
    return picks->kept ? tp_pick_line(a, &picks->items[0]) : TP_STR("");
}

/* Formats a text like printf, in the arena of the rules; used for texts such as the sizes of arrays. */
struct tp_str tp_advisor_format(struct tp_advisor *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Idle time or Python time of one line of host code, for the details of rules A13 and H6. */
struct tp_line_time {
    struct tp_fold fold;
    int64_t ns;
    uint32_t event; /* evidence: innermost event when this line first ran; TP_NO_ID: no event */
};

/* Sorts lines by time (longest first), then by kind and text. */
void tp_line_times_sort(struct tp_advisor *a, struct tp_line_time *lines, size_t count);

/* Returns the first `most` lines with their percentages as parts of a detail. id: id of each part, which must have the
 * arguments of TP_DETAIL_LINE. With TP_DETAIL_LINE, time without a host event gets TP_DETAIL_NO_EVENT. */
struct tp_detail *tp_line_times_make_detail(struct tp_advisor *a, const struct tp_line_time *lines, size_t count,
                                            size_t most, enum tp_detail_id id);

/* bits for the kinds of an operator and its callers, recognized by their names */
enum tp_enclosing_kind {
    TP_ENCLOSED_BY_SHAPE = 1,
    TP_ENCLOSED_BY_SCALAR = 2,
    TP_ENCLOSED_BY_FILL = 4,
    TP_ENCLOSED_BY_COPY = 8,
    TP_ENCLOSED_BY_BACKWARD = 16
};

/* Returns the bits of an operator and all its callers; 0 for TP_NO_ID. The first call computes the bits of all
 * operators. */
unsigned tp_enclosing_kinds(struct tp_advisor *a, uint32_t op);

/* Returns whether `says` returns true for the name of an annotation. Checks all names before events, because names are
 * few, and usually `says` rejects all of them. */
bool tp_has_annotation(const struct tp_model *model, bool (*says)(struct tp_str name));

static inline bool tp_event_is_in_window(const struct tp_advisor *a, uint32_t event)
{
    return tp_intervals_contain(a->model->window, a->model->trace->events[event].ts_ns);
}

/* A walk over the operations that start within the window of analysed steps, in order of start: for (struct
 * tp_operations w = {.a = a}; tp_next_operation(&w, &k);). Skips devices that the program itself registered, because
 * the rules do not know their hardware. */
struct tp_operations {
    const struct tp_advisor *a;
    uint32_t range, next;
};

static inline bool tp_is_operation_of_program_device(const struct tp_model *model, uint32_t device)
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
            if (!tp_is_operation_of_program_device(walk->a->model, *device))
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

static inline const struct tp_device_setup *tp_device_operation_setup(const struct tp_model *model, uint32_t device)
{
    return tp_device_setup(model->trace, tp_device_event(model, device)->detail);
}

/* Returns the idle times in which the device waits for the host before an operation for which `is_one` returns true.
 * The intervals may overlap. */
struct tp_vec tp_starved_time_before(const struct tp_advisor *a, bool (*is_one)(const void *context, uint32_t device),
                                     const void *context);

/* Returns the time in the window of analysed steps in which a device waits for the host. For devices that the program
 * itself registered, the result is the idle time that no call explains. */
struct tp_intervals tp_time_waiting_for_host(struct tp_advisor *a);

/* Fill the lists that several rules use: the first function for programs with a device, the second for programs
 * without. */
void tp_rules_prepare_gpu(struct tp_advisor *a);
void tp_rules_prepare_cpu(struct tp_advisor *a);

/* Returns the largest gain from removing blocking host calls, percent of the analysed time. calls: times of these
 * calls. */
double tp_gain_percent_without_waits(struct tp_advisor *a, struct tp_intervals calls);

/* Subtracts the cost of recording from the gains of findings about a host that launches too late. The caller must have
 * evaluated all rules. */
void tp_findings_subtract_recording(struct tp_advisor *a);

/* Replaces advice that the program already follows. The caller must have evaluated all rules. */
void tp_findings_remove_followed_advice(struct tp_advisor *a);

#endif
