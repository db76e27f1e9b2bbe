/* Rules and findings as data: one row per rule, overrides of thresholds, and the findings of a trace.
 *
 * A finding names the recorded time it is about (its ceiling) and the least and the greatest gain of a fix. No two
 * estimates count the same time (tp_findings_bound), so their sum fits into the steps. The severity of a finding comes
 * from the share of its ceiling in the step, its confidence from the rule and from the quality of the trace
 * (docs/definitions.md 15). recommendations.h evaluates the rules. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/program/program_use.h"
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
/* Returns the severity of a finding by its share of the step, percent. */
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
    bool is_whole; /* an override must be a whole number */
};

/* Texts that replace those of the row for one audience; NULL: the row's own. */
struct tp_rule_text {
    const char *title, *advice;
};

/* What past programs show about a rule. Zero-initialized: a fix may gain between nothing and the whole ceiling.
 * Programs without device gain three quarters of the recorded time or more: half of 157 programs that were fixed and
 * timed gained more than the recorded time, because recording slows the rest of a program, too. */
struct tp_rule_gain {
    double low, high; /* least and greatest part of the ceiling that a fix gains in practice: 0 <= low <= high <= 1 */
    unsigned right;   /* programs in which the rule reported and named the cause (`make truth`) */
    unsigned known;   /* programs in which it reported and whose cause is known */
};

struct tp_advisor;
typedef void (*tp_rule_evaluate)(struct tp_advisor *a);

/* A rule. Its row is in the file of its evaluate function. */
struct tp_rule {
    const char *id;    /* "A1" */
    const char *title; /* for programs that train with PyTorch, like `advice` */
    enum tp_confidence confidence;
    struct tp_threshold thresholds[TP_RULE_THRESHOLDS];
    const char *advice;
    const char *doc_url; /* page about PyTorch, or NULL */
    const char *cause;   /* "input.transform"; NULL: several causes look like this (docs/definitions.md 15) */
    struct tp_rule_gain gain;

    struct tp_rule_text native;    /* for programs without PyTorch */
    struct tp_rule_text mpi;       /* for programs that use MPI; comes before `native` */
    struct tp_rule_text inference; /* for programs of PyTorch that train nothing */
    struct tp_rule_text serving;   /* for serving engines; comes before `inference` */
    const char *replayed;          /* advice for programs that replay graphs already; NULL: none */
    const char *compiled;          /* advice for programs that are compiled already; NULL: none */

    const char *weakened_like;   /* id of a rule whose weakening flags apply here as well; NULL: no other rule */
    bool needs_types;            /* needs the types of operators' inputs (record_shapes) */
    bool is_of_late_host;        /* about a late host: not evaluated where first use covers the recording */
    bool is_slowed_by_recording; /* recording slows the host: its cost lowers the gain */
    bool is_of_memory;           /* evaluated even where there is too little device work to judge */
    bool is_of_small_batches;    /* another rule about small batches: R6 adds its detail to this finding */

    /* Functions that evaluate the rule, shared by the rules of one file; NULL: none. Rules about several ranks have
     * none here. */
    tp_rule_evaluate on_device; /* for programs with a device */
    tp_rule_evaluate on_host;   /* for programs without one */
    tp_rule_evaluate always;    /* for any program, after the others */
};

#define TP_RULE_ROW(id) extern const struct tp_rule tp_rule_##id;
TP_RULE_LIST(TP_RULE_ROW)
#undef TP_RULE_ROW

/* Returns the rule of a number below TP_RULE_COUNT. */
const struct tp_rule *tp_rule_at(unsigned number);

/* Returns the number of a rule. */
unsigned tp_rule_number(const struct tp_rule *rule);

/* Returns the rule with this id ("A1"), or NULL. */
const struct tp_rule *tp_rule_of_id(struct tp_str id);

/* Returns the gain of a rule; a row without one gains at most all of its time. */
struct tp_rule_gain tp_rule_gain_of(enum tp_rule_id rule);

/* The user's thresholds and measured peaks of devices. Zero-initialized: none. */
struct tp_rule_overrides {
    const struct tp_peaks_file *peaks; /* measured peaks; NULL: published peaks only */
    struct {
        bool is_set;
        double value;
    } items[TP_RULE_COUNT][TP_RULE_THRESHOLDS];
};

/* Adds a threshold from text, "A4.min_pct=2". Returns 0, or TP_EUSAGE with a text that names the known rules or
 * keys. */
int tp_rules_override(struct tp_rule_overrides *overrides, const char *text, struct tp_error *err);

struct tp_evidence {
    uint32_t ordinal;              /* position in traceEvents */
    int64_t ts_ns;                 /* relative to the trace's start */
    struct tp_str name, file_line; /* file_line: "" when unknown */
};

struct tp_finding {
    const struct tp_rule *rule;
    const char *title, *advice, *doc_url;   /* the rule's texts for the producer (rule_words.h); doc_url: or NULL */
    const char *shown_title, *shown_advice; /* the texts that people read: for the use of the program as well */
    const char *cause;                      /* "input.transform"; NULL: not known */
    enum tp_severity severity;
    enum tp_confidence confidence;
    bool is_first;               /* listed before all others, because their meaning depends on it */
    const char *weakened_by[12]; /* flags "F1".. */
    unsigned weakened_by_count;
    unsigned right, known;      /* as in struct tp_rule_gain */
    double ceiling_us_per_step; /* NaN: no ceiling, null in JSON */
    double share_percent;       /* of the step; NaN: unknown, null in JSON */
    double weight_percent;      /* position in the list: heaviest first; NaN: the gain decides */
    double low_part, high_part; /* least and greatest part of its time that a fix gains, 0 to 1 */
    double widest_percent;      /* largest width of the estimate for a finding about most of the step; 100: any */
    uint32_t time;              /* index of its time in tp_advisor.times, while rules are evaluated */
    /* of the step: upper end of the gain without other findings; 0: the share is the end */
    double most_percent;
    double low_percent, high_percent; /* of the step: gain of a fix after those of the findings above it;
                                       * NaN: no ceiling (docs/definitions.md 15) */
    double counted_percent;           /* part of high_percent that no finding above is about; NaN: no ceiling */
    struct tp_evidence evidence[TP_FINDING_EVIDENCE];
    unsigned evidence_count;
    int64_t evidence_total;
    struct tp_str detail; /* "" when there is none */
};

struct tp_rule_note {
    const struct tp_rule *rule;
    const char *reason;
};

/* Cost of recording for the main thread. With a device: the cost of events that begin while the device waits for the
 * host. Without: all cost that is taken off the steps. */
struct tp_overhead {
    int64_t cost_ns, starved_ns; /* cost, at most starved_ns; time in which the device waits, without a device W */
    int64_t frames, operators;   /* events in starved_ns; without a device all frames, and 0 */
};

struct tp_recommendations {
    const char *program;           /* tp_program_kind_text */
    const char *step_marker;       /* tp_step_marker_text */
    int64_t step_count, window_ns; /* steps used, and their time W */
    int64_t judged_ns;             /* time that shares are of: W, or the part of it that can be judged (R3, R4) */
    double step_us, total_ceiling_us_per_step, total_ceiling_percent;
    double total_gain_us_per_step, total_gain_percent; /* sum of the upper ends of all estimates */
    double total_low_percent;                          /* sum of the lower ends */
    struct tp_finding *findings;                       /* severest first */
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
