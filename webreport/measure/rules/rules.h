/* Recommendations: the rules as one table of data, thresholds that a caller may override, and the findings of a trace.
 *
 * A finding says which recorded time it is about (the ceiling), and estimates from both sides which part of that mending
 * gains. Estimates never count a time twice (tp_findings_bound), so that all of them together fit into the steps.
 * Its severity comes from the ceiling's share of the step, its confidence from the rule and from the trace's
 * quality (docs/definitions.md 15). */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/program/program_use.h"
#include "webreport/measure/verdict/unjudged.h"
#include "webreport/measure/work/peaks_file.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/json_out.h"
#include "writer/base/str.h"

struct tp_model;
struct tp_quality;
struct tp_memory_peak;
struct tp_work_kinds;
struct tp_work_units;
struct tp_trace_verdict;

enum tp_severity { TP_SEVERITY_HIGH, TP_SEVERITY_MEDIUM, TP_SEVERITY_LOW, TP_SEVERITY_INFO };
enum tp_confidence { TP_CONFIDENCE_LOW, TP_CONFIDENCE_MEDIUM, TP_CONFIDENCE_HIGH };
/* The severity of what saves that part of the step, percent. */
enum tp_severity tp_severity_of_share(double percent);
const char *tp_severity_text(enum tp_severity severity);
const char *tp_confidence_text(enum tp_confidence confidence);

enum { TP_RULE_THRESHOLDS = 10, TP_RULE_COUNT = 76, TP_FINDING_EVIDENCE = 5 };

struct tp_threshold {
    const char *key; /* NULL ends the list */
    double value;
    bool is_whole; /* an override must be a whole number */
};

/* Programs a rule is for. */
enum tp_rule_program { TP_RULE_GPU, TP_RULE_CPU, TP_RULE_ANY, TP_RULE_RANKS };

struct tp_rule {
    const char *id;
    enum tp_rule_program program;
    const char *title;
    enum tp_confidence confidence;
    struct tp_threshold thresholds[TP_RULE_THRESHOLDS];
    const char *advice, *doc_url;
    const char *cause; /* the word for what is wrong; NULL: several causes look like this (docs/definitions.md 15) */
};

/* The rules in their fixed order. Static. */
const struct tp_rule *tp_rules(unsigned *count);

/* What the user says otherwise: thresholds, and peaks of devices. Zero-initialised: nothing. */
struct tp_rule_overrides {
    const struct tp_peaks_file *peaks; /* measured ones; NULL: published ones alone */
    struct {
        bool is_set;
        double value;
    } items[TP_RULE_COUNT][TP_RULE_THRESHOLDS];
};

/* Reads "A4.min_pct=2". Returns 0, or TP_EUSAGE with a text that names the known rules or keys. */
int tp_rules_override(struct tp_rule_overrides *overrides, const char *text, struct tp_error *err);

struct tp_evidence {
    uint32_t ordinal;              /* position in traceEvents */
    int64_t ts_ns;                 /* relative to the trace's start */
    struct tp_str name, file_line; /* file_line: "" when unknown */
};

struct tp_finding {
    const struct tp_rule *rule;
    const char *title, *advice, *doc_url; /* the rule's, in the words of the producer (wording.h); doc_url: or NULL */
    const char *shown_title, *shown_advice; /* .. and to the kind of program: what people read */
    const char *cause;                    /* "input.transform": what is wrong; NULL: not known */
    enum tp_severity severity;
    enum tp_confidence confidence;
    bool is_first;               /* it decides what the others can tell, so it stands before them */
    const char *weakened_by[12]; /* flags "F1".. */
    unsigned weakened_by_count;
    unsigned right, known;            /* it named the cause in so many of the known programs in which it reported */
    double ceiling_us_per_step;       /* NaN: null, no time ceiling */
    double share_percent;             /* of the step; NaN: null */
    double weight_percent;            /* what it stands in the list by; NaN: by what is gained */
    double low_part, high_part;       /* parts of its time that mending gains: 0 <= low_part <= high_part <= 1 */
    double widest_percent;            /* largest width of the estimate for a finding about most of the step; 100: any */
    uint32_t time;                    /* number of its time in the advisor's list, while rules are evaluated */
    double most_percent;              /* of the step: upper end of the gain without other findings; 0: the share is the end */
    double low_percent, high_percent; /* of the step: estimate of what mending gains after the findings above it;
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

/* What recording costs the main thread. With a device: costs of the events that begin while the device waits for the
 * host. Without: all that is taken off the steps. */
struct tp_overhead {
    int64_t cost_ns, starved_ns; /* at most starved_ns; the time in which the device waits; without a device W */
    int64_t frames, operators;   /* in that time; without a device the frames of the recording, and 0 */
};

struct tp_recommendations {
    const char *program;           /* tp_program_kind_text */
    const char *step_marker;       /* tp_step_marker_text */
    int64_t step_count, window_ns; /* steps used, and their time W */
    int64_t judged_ns;             /* shares are of this: W, or what of it says something (R3, R4) */
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

/* What the rules look at. */
struct tp_rule_basis {
    const struct tp_model *model;
    const struct tp_quality *quality;
    const struct tp_memory_peak *memory;
    const struct tp_work_kinds *kinds; /* of device programs; of others NULL, as the next */
    const struct tp_work_units *units;
    const struct tp_rule_overrides *overrides; /* or NULL */
    bool is_serving;                           /* the trace has steps of a serving engine */
    enum tp_program_use_kind use;
    const struct tp_trace_verdict *verdict;    /* what it decides stands first among findings that gain alike */
};

/* Returns the upper end of a finding's estimate, us per step; NaN without a ceiling. */
double tp_finding_most_us(const struct tp_finding *finding);

/* Evaluates every rule. */
void tp_recommendations_build(struct tp_recommendations *out, const struct tp_rule_basis *basis,
                              struct tp_arena *arena);

/* Writes one as a JSON object. */
void tp_finding_json(const struct tp_finding *finding, struct tp_json *json);

/* Writes them as a JSON object. */
void tp_recommendations_json(const struct tp_recommendations *recommendations, struct tp_json *json);

#endif
