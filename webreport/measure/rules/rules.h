/* Rules and findings as data: one row per rule, the user's thresholds, and the findings of a trace.
 *
 * A finding covers a part of the recorded time, which is its ceiling. A finding has an estimate: the least and the
 * greatest gain of a fix. Each moment is in at most one estimate (tp_findings_limit_gains), so the sum of the estimates
 * is at most the time of the steps. The severity of a finding depends on the ceiling as a percentage of the step time.
 * The rule and the quality of the trace determine the confidence (docs/definitions.md, section 15). recommendations.h
 * evaluates the rules. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/program/program_use.h"
#include "webreport/measure/rules/details.h"
#include "webreport/measure/rules/rules_list.h"
#include "webreport/measure/rules/titles.h"
#include "webreport/measure/verdict/unjudged.h"
#include "webreport/measure/work/peaks_file.h"
#include "webreport/what_if/fix.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/fields.h"
#include "writer/base/interval.h"
#include "writer/base/str.h"

struct tp_model;
struct tp_quality;
struct tp_memory_peak;
struct tp_work_kinds;
struct tp_work_units;
struct tp_trace_verdict;

enum tp_severity { TP_SEVERITY_HIGH, TP_SEVERITY_MEDIUM, TP_SEVERITY_LOW, TP_SEVERITY_INFO };
enum tp_confidence { TP_CONFIDENCE_LOW, TP_CONFIDENCE_MEDIUM, TP_CONFIDENCE_HIGH };
/* Returns the severity of a finding with this share of the step. */
enum tp_severity tp_severity_by_share(double percent);
const char *tp_severity_text(enum tp_severity severity);
const char *tp_confidence_text(enum tp_confidence confidence);

enum { TP_RULE_THRESHOLDS = 10, TP_FINDING_EVIDENCE = 5 };

struct tp_threshold {
    const char *key; /* name of the threshold; NULL ends the list */
    double value;
    bool is_whole; /* true if the value must be a whole number */
};

/* Texts for one audience, which replace title and advice of the rule's row. NULL keeps the text of the row. */
struct tp_rule_text {
    const char *title, *advice;
};

/* The gain that fixes of a rule had in past programs. Zeroed: the gain is between nothing and the whole ceiling.
 *
 * Fixes of programs without a device gain at least three quarters of the recorded time. Half of the 157 programs that
 * were fixed and timed gained more than the recorded time, because recording also slows the rest of a program. */
struct tp_rule_gain {
    double low, high; /* least and greatest part of the ceiling that a fix gains; 0 <= low <= high <= 1 */
    unsigned right;   /* number of programs in which the rule found the right cause (`make truth`) */
    unsigned known;   /* number of programs with a known cause in which the rule fired */
};

struct tp_advisor;
typedef void (*tp_rule_evaluate)(struct tp_advisor *a);

/* A rule. Its row is in the file that contains its evaluate function. */
struct tp_rule {
    const char *id; /* such as "A1" */
    /* What to do: a verb in the imperative, an object, and the exact option as code between backticks; at most 14
     * words. title and `advice` are for programs that train with PyTorch. */
    const char *title;
    enum tp_confidence confidence;
    struct tp_threshold thresholds[TP_RULE_THRESHOLDS];
    const char *advice;
    const char *doc_url; /* documentation page of PyTorch, or NULL */
    /* name of the cause, such as "input.transform"; NULL if the rule has no single cause (docs/definitions.md, section
     * 15) */
    const char *cause;
    struct tp_rule_gain gain;

    struct tp_rule_text native;    /* texts for programs without PyTorch */
    struct tp_rule_text mpi;       /* texts for programs that use MPI; preferred over `native` */
    struct tp_rule_text inference; /* texts for programs that use PyTorch without training */
    struct tp_rule_text serving;   /* texts for serving engines; preferred over `inference` */
    struct tp_rule_text replayed;  /* texts for programs that already replay device graphs */
    struct tp_rule_text compiled;  /* texts for programs that are already compiled */

    const char *rule_with_same_flaws; /* id of a rule whose quality flags also weaken this rule; NULL: none */
    bool needs_types;                 /* the rule needs the types of operator inputs (option record_shapes) */
    /* true if the rule reports a host that launches too late; skipped if first use of the device covers the
     * recording */
    bool is_about_late_host;
    bool is_slowed_by_recording; /* recording slows the host; the cost of recording is subtracted from the gain */
    bool is_about_memory; /* true if the rule is evaluated even if the device has too little work for other rules */
    bool is_about_small_batches; /* true if the rule reports small batches; R6 adds its detail to such a finding */

    /* Functions that evaluate the rule and the other rules of its file; NULL if not evaluated here. Files in
     * measure/ranks evaluate the rules about several ranks. */
    tp_rule_evaluate on_device; /* for programs with a device */
    tp_rule_evaluate on_host;   /* for programs without a device */
    tp_rule_evaluate always;    /* for any program; runs after on_device and on_host */
};

#define TP_RULE_ROW(id) extern const struct tp_rule tp_rule_##id;
TP_RULE_LIST(TP_RULE_ROW)
#undef TP_RULE_ROW

/* Returns the rule with this number, which must be below TP_RULE_COUNT. */
const struct tp_rule *tp_rule_at(unsigned number);

/* Returns the number of a rule. */
unsigned tp_rule_number(const struct tp_rule *rule);

/* Returns the rule with this id, such as "A1", or NULL. */
const struct tp_rule *tp_rule_by_id(struct tp_str id);

/* Returns the gain of a rule. If its row has no gain, the gain is between nothing and the whole ceiling. */
struct tp_rule_gain tp_rule_measured_gain(enum tp_rule_id rule);

/* The user's thresholds and measured peaks of devices. Zeroed: all values are the defaults. */
struct tp_rule_overrides {
    const struct tp_peaks_file *peaks; /* peaks from the user's file; NULL: published peaks only */
    struct {
        bool is_set;
        double value;
    } items[TP_RULE_COUNT][TP_RULE_THRESHOLDS];
};

/* Sets a threshold from a text such as "A4.min_pct=2". Returns 0, or TP_EUSAGE with a message that lists the known
 * rules or keys. */
int tp_rules_override(struct tp_rule_overrides *overrides, const char *text, struct tp_error *err);

struct tp_evidence {
    uint32_t ordinal;              /* position of the event in the array traceEvents of the file */
    uint8_t kind;                  /* enum tp_kind of the event; TP_KIND_NONE for a record of memory */
    int64_t ts_ns;                 /* time of the event, ns since the start of the trace */
    struct tp_str name, file_line; /* file_line: file and line; empty if unknown */
};

struct tp_finding {
    const struct tp_rule *rule;
    /* texts for the producer of the trace (rule_words.h); doc_url: NULL without a page */
    const char *title, *advice, *doc_url;
    /* texts for people; unlike `title` and `advice`, they also depend on the use of the program */
    const char *shown_title, *shown_advice;
    /* shown_title with marks for code (writer/text/marked_text.h); NULL until webreport/document/words fills it */
    const char *marked_title;
    struct tp_title title_facts; /* arguments for the titles, which webreport/document/words inserts */
    bool is_partly_followed;     /* true: the program follows a part of the advice; shown_title has no arguments */
    const char *cause;           /* cause such as "input.transform"; NULL if there is no single cause */
    enum tp_severity severity;
    enum tp_confidence confidence;
    bool is_first; /* true if the finding is listed first because the meaning of the other findings depends on it */
    const char *weakened_by[12]; /* ids of quality flags that lower the confidence, such as "F1" */
    unsigned weakened_by_count;
    /* right: number of programs in which the rule found the right cause; known: number of programs with a known cause
     * in which the rule fired */
    unsigned right, known;
    double ceiling_us_per_step; /* time of the finding, us per step; NaN without a ceiling, null in JSON */
    double share_percent;       /* share of the finding, percent of the step; NaN if unknown, null in JSON */
    double weight_percent; /* percent by which the list is sorted, greatest first; NaN: the list is sorted by gain */
    double low_part, high_part; /* least and greatest part of the finding's time that a fix gains, from 0 to 1 */
    /* largest width of the estimate if low_part is 0.5 or more, percentage points; 100: no limit */
    double max_width_percent;
    uint32_t time; /* index of the finding's times in tp_advisor.times; valid only during the evaluation */
    /* upper end of the gain if this were the only finding, percent of the step; 0: same as share_percent */
    double most_percent;
    /* percent of the step that a fix gains in addition to fixes of earlier findings; NaN without a ceiling
     * (docs/definitions.md, section 15) */
    double low_percent, high_percent;
    double counted_percent; /* part of high_percent whose time no earlier finding covers; NaN without a ceiling */
    /* what a fix changes in a replay; empty: the replay does not price the finding */
    struct tp_fix fix;
    bool is_fix_whole; /* true: a fix removes all that `fix` lists; false: a part from low_part to high_part */
    /* true: the estimate is the gain in replays (finding_prices.h); false: it follows from the time of the finding */
    bool is_priced;
    struct tp_fix_price price; /* only if is_priced */
    uint32_t fix_number;       /* 1 + index of the fix in the replays; 0: none */
    /* finding whose fix, together with those before it, leaves no effect for this one: index in the list; TP_NO_ID */
    uint32_t gone_with;
    double sure_percent; /* least gain of this finding alone, percent of the step; only if is_priced */
    double sort_weight;  /* weight by which the list is sorted, computed as if this were the only finding */
    struct tp_evidence evidence[TP_FINDING_EVIDENCE];
    unsigned evidence_count;
    int64_t evidence_total;
    /* time of the finding in the analysed steps; neighbouring intervals are joined if there are very many */
    struct tp_intervals spans;
    const struct tp_detail *details; /* first part of the detail; NULL without a detail */
    /* The detail as a sentence; empty without a detail. webreport/document/words/words_fill.c fills the text. */
    struct tp_str detail;
};

struct tp_rule_note {
    const struct tp_rule *rule;
    const char *reason;
};

/* The cost of recording on the main thread. With a device: the cost for events that start while the device waits for
 * the host. Without a device: the whole cost that is subtracted from the steps. */
struct tp_overhead {
    /* cost_ns: cost of recording, at most starved_ns; starved_ns: time in which the device waits for the host, or the
     * length of the window of analysed steps without a device */
    int64_t cost_ns, starved_ns;
    /* numbers of frames and of operators that start while the device waits for the host; without a device: all frames,
     * and 0 operators */
    int64_t frames, operators;
};

struct tp_recommendations {
    const char *program;     /* result of tp_program_kind_text */
    const char *step_marker; /* result of tp_step_marker_text */
    int64_t step_count,
        window_ns; /* step_count: number of analysed steps; window_ns: total time of the analysed steps, ns */
    /* time to which the shares refer, ns: the window of analysed steps, or the part of this window that can be analysed
     * (R3, R4) */
    int64_t judged_ns;
    double step_us, total_ceiling_us_per_step, total_ceiling_percent;
    /* sum of the upper ends of all estimates, in us per step and in percent */
    double total_gain_us_per_step, total_gain_percent;
    double total_low_percent;    /* sum of the lower ends of all estimates, percent */
    struct tp_finding *findings; /* sorted by severity, most severe first */
    uint32_t finding_count;
    struct tp_rule_note *not_evaluated;
    uint32_t not_evaluated_count;
    struct tp_overhead overhead;
    struct tp_unjudged unjudged;
    uint32_t priced_count;          /* number of findings with a price by replay */
    struct tp_fix_total all_priced; /* price of all their fixes together; only if priced_count > 0 */
    struct tp_intervals judged;     /* the part of the analysed steps to which judged_ns refers */
};

/* Sums the estimates of all findings. */
void tp_recommendations_add_totals(struct tp_recommendations *found);

/* Returns the upper end of a finding's estimate, us per step; NaN without a ceiling. */
double tp_finding_max_gain_us(const struct tp_finding *finding);

extern const struct tp_fields tp_finding_fields, tp_recommendations_fields;

#endif
