/* What the rules share while they are evaluated: the trace's model, sums that several need, and how a finding is
 * reported. */
#ifndef TP_WEBREPORT_MEASURE_RULES_EVAL_H
#define TP_WEBREPORT_MEASURE_RULES_EVAL_H

#include <math.h>

#include "webreport/measure/memory_peak.h"
#include "webreport/measure/rules.h"
#include "webreport/measure/trace_quality.h"
#include "webreport/model/host_model.h"
#include "webreport/model/host_stacks.h"

enum tp_rule_id {
    TP_RULE_A1,
    TP_RULE_A2,
    TP_RULE_A3,
    TP_RULE_A4,
    TP_RULE_A5,
    TP_RULE_A6,
    TP_RULE_A8,
    TP_RULE_A11,
    TP_RULE_A12,
    TP_RULE_B1,
    TP_RULE_B2,
    TP_RULE_B3,
    TP_RULE_B4,
    TP_RULE_B5,
    TP_RULE_C1,
    TP_RULE_C2,
    TP_RULE_C3,
    TP_RULE_C6,
    TP_RULE_C7,
    TP_RULE_C10,
    TP_RULE_C11,
    TP_RULE_C13,
    TP_RULE_D1,
    TP_RULE_D2,
    TP_RULE_D3,
    TP_RULE_E1,
    TP_RULE_E3,
    TP_RULE_H1,
    TP_RULE_H2,
    TP_RULE_H3,
    TP_RULE_H4,
    TP_RULE_H5,
    TP_RULE_H6,
    TP_RULE_H7,
    TP_RULE_H8
};

/* The events that are named as evidence: the first five of an order, and how many there are. */
struct tp_pick {
    int64_t weight, at, dur; /* heaviest first; then earliest, longest, lowest ordinal */
    uint32_t event, line_event, ordinal;
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
    struct tp_intervals time; /* a set; its part within the windows is the ceiling */
    struct tp_picks picks;
    bool also_info; /* report it even below the lowest severity */
    bool is_forced; /* severity below replaces high and medium, or stands without ceiling */
    enum tp_severity severity;
    double share;                     /* without ceiling: share of the step, NaN for none */
    int lower;                        /* levels of confidence to take off */
    struct tp_str detail;             /* in the arena, or empty */
    const struct tp_evidence *memory; /* evidence that is a memory record, or NULL */
};

/* Everything while rules run. */
struct tp_advisor {
    struct tp_host *host;
    struct tp_arena *arena;
    const struct tp_quality *quality;
    const struct tp_memory_peak *memory;
    const struct tp_rule_overrides *overrides;
    struct tp_vec findings; /* struct tp_finding */
    struct tp_vec ceilings; /* struct tp_interval, of all findings */
    struct tp_vec notes;    /* struct tp_rule_note */
    bool reported[TP_RULE_COUNT];

    /* device programs */
    struct tp_intervals host_idle, all_idle; /* within the windows */
    uint8_t *in_window;                      /* by operation: starts within a window */
    int64_t kernel_count, kernel_ns;         /* of the windows */
    struct tp_vec claimed;                   /* struct tp_interval: what other rules than A1 explain */
    struct tp_vec allocators;                /* uint32_t: events of allocator calls in steady steps, in key order */
    struct tp_intervals rest;                /* host_idle that nobody claimed */

    /* CPU programs: see rules_cpu.c */
    struct tp_cpu_program *cpu;
};

double tp_rule_value(const struct tp_advisor *a, enum tp_rule_id rule, const char *key);

/* 100 * ns / length of the windows */
double tp_window_percent(const struct tp_advisor *a, int64_t ns);

/* Reports a finding unless it is too small; true when it was reported. */
bool tp_advisor_add(struct tp_advisor *a, const struct tp_candidate *candidate);

/* The same; what was reported is no longer unexplained idle time (rule A1). */
bool tp_advisor_claim(struct tp_advisor *a, const struct tp_candidate *candidate);

/* Notes that a rule was not evaluated. */
void tp_advisor_skip(struct tp_advisor *a, enum tp_rule_id rule, const char *reason);

/* Evidence. line_event: where to look for the project line; TP_NO_ID for none. */
void tp_picks_append(struct tp_picks *picks, const struct tp_advisor *a, uint32_t event, uint32_t line_event);
void tp_picks_rank(struct tp_picks *picks, const struct tp_advisor *a, int64_t weight, uint32_t event,
                   uint32_t line_event);
/* Of a gap of `weight` nanoseconds from `at`; equal ones stay in the order given. */
void tp_picks_rank_gap(struct tp_picks *picks, int64_t weight, int64_t at, uint32_t event, uint32_t line_event);
/* Of a device operation: in the order given, or the longest first. */
void tp_picks_append_op(struct tp_picks *picks, const struct tp_advisor *a, uint32_t op);
void tp_picks_rank_op(struct tp_picks *picks, const struct tp_advisor *a, uint32_t op);

/* count * ns, saturating. */
int64_t tp_ns_times(int64_t count, int64_t ns);

/* printf into the arena. */
struct tp_str tp_advisor_text(struct tp_advisor *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Idle or lost time by host line, as rules A11 and H6 name it. */
struct tp_line_time {
    struct tp_host_fold fold;
    int64_t ns;
    uint32_t event; /* evidence: innermost event of the first piece; TP_NO_ID for none */
};

/* Sorts by time, longest first. */
void tp_line_times_sort(struct tp_advisor *a, struct tp_line_time *lines, size_t count);

/* "LINE: at most 12.3 %ENDING" of the first `most` lines, joined by "; ". */
struct tp_str tp_line_times_text(struct tp_advisor *a, const struct tp_line_time *lines, size_t count, size_t most,
                                 const char *ending);

static inline bool tp_in_windows(const struct tp_advisor *a, int64_t at)
{
    return tp_intervals_contain(a->host->windows, at);
}

/* Rules in the order in which they are evaluated: later ones look at what earlier ones reported. */
typedef void (*tp_rule_evaluate)(struct tp_advisor *a);

void tp_rules_prepare_gpu(struct tp_advisor *a);
void tp_rule_waits(struct tp_advisor *a);         /* A5, A6, A4 */
void tp_rule_loading(struct tp_advisor *a);       /* A8 */
void tp_rule_allocator(struct tp_advisor *a);     /* A12, D2 */
void tp_rule_loader(struct tp_advisor *a);        /* B1, B2 */
void tp_rule_pageable(struct tp_advisor *a);      /* B3 */
void tp_rule_input_copy(struct tp_advisor *a);    /* B4 */
void tp_rule_tiny_copies(struct tp_advisor *a);   /* B5 */
void tp_rule_host_code(struct tp_advisor *a);     /* A11 */
void tp_rule_short_kernels(struct tp_advisor *a); /* A3 */
void tp_rule_launches(struct tp_advisor *a);      /* A1 */
void tp_rule_graph(struct tp_advisor *a);         /* A2 */
void tp_rule_kernels(struct tp_advisor *a);       /* C1, C2, C3, C10, C11 */
void tp_rule_optimizer(struct tp_advisor *a);     /* C6 */
void tp_rule_zeroing(struct tp_advisor *a);       /* C7 */
void tp_rule_small_grids(struct tp_advisor *a);   /* C13 */
void tp_rule_communication(struct tp_advisor *a); /* E1 */

void tp_rules_prepare_cpu(struct tp_advisor *a);
void tp_rule_cpu_loader(struct tp_advisor *a);        /* H1 */
void tp_rule_cpu_loop(struct tp_advisor *a);          /* H2 */
void tp_rule_cpu_optimizer(struct tp_advisor *a);     /* H3 */
void tp_rule_cpu_crowd(struct tp_advisor *a);         /* H4 */
void tp_rule_cpu_small(struct tp_advisor *a);         /* H5 */
void tp_rule_cpu_python(struct tp_advisor *a);        /* H6 */
void tp_rule_cpu_copies(struct tp_advisor *a);        /* H7 */
void tp_rule_cpu_communication(struct tp_advisor *a); /* H8 */

void tp_rule_memory(struct tp_advisor *a); /* D1, D3 */

#endif
