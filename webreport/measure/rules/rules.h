/* Rules and findings as data: one row per rule, overrides of thresholds, and the findings of a trace.
 *
 * A finding names a part of the recorded time, its ceiling, and the least and the greatest gain of a fix. No two
 * estimates count the same time (tp_findings_bound), so their sum fits into the steps. The severity of a finding
 * depends on the share of its ceiling in the step. Its confidence depends on the rule and on the quality of the trace
 * (docs/definitions.md 15). recommendations.h evaluates the rules. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/program/program_use.h"
#include "webreport/measure/rules/details.h"
#include "webreport/measure/rules/rules_list.h"
#include "webreport/measure/verdict/unjudged.h"
#include "webreport/measure/work/peaks_file.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/fields.h"
#include "writer/base/str.h"

struct tp_model;
struct tp_quality;
struct tp_memory_peak;
struct tp_work_kinds;
struct tp_work_units;
struct tp_trace_verdict;

enum tp_severity { TP_SEVERITY_HIGH, TP_SEVERITY_MEDIUM, TP_SEVERITY_LOW, TP_SEVERITY_INFO };
enum tp_confidence { TP_CONFIDENCE_LOW, TP_CONFIDENCE_MEDIUM, TP_CONFIDENCE_HIGH };
/* Returns the severity of a finding from its percentage of the step. */
enum tp_severity tp_severity_of_share(double percent);
const char *tp_severity_text(enum tp_severity severity);
const char *tp_confidence_text(enum tp_confidence confidence);

enum { TP_RULE_THRESHOLDS = 10, TP_FINDING_EVIDENCE = 5 };

/* The number of each rule: its position in TP_RULE_LIST. */
enum tp_rule_id {
#define TP_RULE_NUMBER(id) TP_RULE_##id,
    TP_RULE_LIST(TP_RULE_NUMBER)
#undef TP_RULE_NUMBER
        TP_RULE_COUNT
};

struct tp_threshold {
    const char *key; /* NULL ends the list */
    double value;
    bool is_whole; /* the value must be a whole number */
};

/* Texts for one audience in place of the row's title and advice; NULL: the text of the row. */
struct tp_rule_text {
    const char *title, *advice;
};

/* The gain that past programs had from a rule. Zero-initialized: a fix may gain between nothing and the whole ceiling.
 *
 * Programs without a device gain at least three quarters of the recorded time. Of 157 programs that were fixed and
 * timed, half gained more than the recorded time, because recording also slows the rest of a program. */
struct tp_rule_gain {
    double low, high; /* least and greatest part of the ceiling that a fix gains in practice; 0 <= low <= high <= 1 */
    unsigned right;   /* number of programs in which the rule named the right cause (`make truth`) */
    unsigned known;   /* number of programs in which the rule reported and the cause is known */
};

struct tp_advisor;
typedef void (*tp_rule_evaluate)(struct tp_advisor *a);

/* A rule. Its row is in the file of its evaluate function. */
struct tp_rule {
    const char *id;    /* such as "A1" */
    const char *title; /* for programs that train with PyTorch, as is `advice` */
    enum tp_confidence confidence;
    struct tp_threshold thresholds[TP_RULE_THRESHOLDS];
    const char *advice;
    const char *doc_url; /* documentation page of PyTorch, or NULL */
    const char *cause;   /* such as "input.transform"; NULL if the rule does not distinguish several causes
                          * (docs/definitions.md 15) */
    struct tp_rule_gain gain;

    struct tp_rule_text native;    /* for programs without PyTorch */
    struct tp_rule_text mpi;       /* for programs that use MPI; preferred to `native` */
    struct tp_rule_text inference; /* for programs that use PyTorch without training */
    struct tp_rule_text serving;   /* for serving engines; preferred to `inference` */
    const char *replayed;          /* advice for programs that already replay graphs; NULL: the usual advice */
    const char *compiled;          /* advice for programs that are already compiled; NULL: the usual advice */

    const char *weakened_like;   /* id of another rule whose weakening flags also apply to this rule; NULL: none */
    bool needs_types;            /* the rule needs the types of operators' inputs (record_shapes) */
    bool is_of_late_host;        /* the rule is about a late host; not evaluated if first use covers the recording */
    bool is_slowed_by_recording; /* recording slows the host, so its cost is subtracted from the gain */
    bool is_of_memory;           /* evaluated even if there is too little device work to judge */
    bool is_of_small_batches;    /* the rule is about small batches, like R6, which adds its detail to the finding */

    /* Functions that evaluate the rule, shared by the rules of one file; NULL: not evaluated. The functions of rules
     * about several ranks are elsewhere (measure/ranks). */
    tp_rule_evaluate on_device; /* for programs with a device */
    tp_rule_evaluate on_host;   /* for programs without a device */
    tp_rule_evaluate always;    /* for any program, after on_device and on_host */
};

#define TP_RULE_ROW(id) extern const struct tp_rule tp_rule_##id;
TP_RULE_LIST(TP_RULE_ROW)
#undef TP_RULE_ROW

/* Returns the rule with a number below TP_RULE_COUNT. */
const struct tp_rule *tp_rule_at(unsigned number);

/* Returns the number of a rule. */
unsigned tp_rule_number(const struct tp_rule *rule);

/* Returns the rule with this id ("A1"), or NULL. */
const struct tp_rule *tp_rule_of_id(struct tp_str id);

/* Returns the gain of a rule. A rule whose row has no gain gains at most its whole time. */
struct tp_rule_gain tp_rule_gain_of(enum tp_rule_id rule);

/* The user's thresholds, and measured peaks of devices. Zero-initialized: no overrides. */
struct tp_rule_overrides {
    const struct tp_peaks_file *peaks; /* measured peaks; NULL: published peaks only */
    struct {
        bool is_set;
        double value;
    } items[TP_RULE_COUNT][TP_RULE_THRESHOLDS];
};

/* Adds a threshold from a text such as "A4.min_pct=2". Returns 0, or TP_EUSAGE with a message that lists the known
 * rules or keys. */
int tp_rules_override(struct tp_rule_overrides *overrides, const char *text, struct tp_error *err);

struct tp_evidence {
    uint32_t ordinal;              /* position of the event in traceEvents */
    int64_t ts_ns;                 /* relative to the start of the trace */
    struct tp_str name, file_line; /* file_line: "" if unknown */
};

struct tp_finding {
    const struct tp_rule *rule;
    const char *title, *advice, *doc_url;   /* the rule's texts for the producer (rule_words.h); doc_url may be NULL */
    const char *shown_title, *shown_advice; /* texts for people, chosen also by the use of the program */
    const char *cause;                      /* such as "input.transform"; NULL if unknown */
    enum tp_severity severity;
    enum tp_confidence confidence;
    bool is_first;               /* listed before all other findings, because their meaning depends on it */
    const char *weakened_by[12]; /* ids of flags, such as "F1" */
    unsigned weakened_by_count;
    unsigned right, known;      /* as in struct tp_rule_gain */
    double ceiling_us_per_step; /* NaN: the finding has no ceiling; JSON contains null */
    double share_percent;       /* share of the step; NaN: unknown; JSON contains null */
    double weight_percent;      /* decides the position in the list, greatest first; NaN: the gain decides */
    double low_part, high_part; /* least and greatest part of the finding's time that a fix gains, 0 to 1 */
    double widest_percent; /* largest width of the estimate if the finding is about most of the step, in points; 100: no
                            * limit */
    uint32_t time;         /* index of the finding's time in tp_advisor.times, valid while rules are evaluated */
    /* percentage of the step: upper end of the gain if there were no other findings; 0: the share is the upper end */
    double most_percent;
    double low_percent, high_percent; /* percentage of the step that a fix gains after the fixes of the findings above;
                                       * NaN: no ceiling (docs/definitions.md 15) */
    double counted_percent;           /* part of high_percent whose time no finding above counts; NaN: no ceiling */
    struct tp_evidence evidence[TP_FINDING_EVIDENCE];
    unsigned evidence_count;
    int64_t evidence_total;
    const struct tp_detail *details; /* parts of the detail; NULL: none */
    /* The detail as a sentence, or "": reserved for webreport/document/words, which fills it (tp_word_findings). */
    struct tp_str detail;
};

struct tp_rule_note {
    const struct tp_rule *rule;
    const char *reason;
};

/* The cost of recording for the main thread. With a device: the cost of events that start while the device waits for
 * the host. Without a device: all cost that is subtracted from the steps. */
struct tp_overhead {
    int64_t cost_ns, starved_ns; /* starved_ns: time in which the device waits for the host, or W without a device;
                                  * cost_ns: cost, at most starved_ns */
    int64_t frames, operators;   /* number of events in starved_ns; without a device all frames, and operators is 0 */
};

struct tp_recommendations {
    const char *program;           /* tp_program_kind_text */
    const char *step_marker;       /* tp_step_marker_text */
    int64_t step_count, window_ns; /* number and total time W of the used steps */
    int64_t judged_ns;             /* base of the shares: W, or the part of W that can be judged (R3, R4) */
    double step_us, total_ceiling_us_per_step, total_ceiling_percent;
    double total_gain_us_per_step, total_gain_percent; /* sum of the upper ends of all estimates */
    double total_low_percent;                          /* sum of the lower ends */
    struct tp_finding *findings;                       /* in order of severity, the most severe first */
    uint32_t finding_count;
    struct tp_rule_note *not_evaluated;
    uint32_t not_evaluated_count;
    struct tp_overhead overhead;
    struct tp_unjudged unjudged;
};

/* Returns the upper end of a finding's estimate, us per step; NaN without a ceiling. */
double tp_finding_most_us(const struct tp_finding *finding);

extern const struct tp_fields tp_finding_fields, tp_recommendations_fields;

#endif
