/* Whether two sides are runs of the same workload: what they must have in common, fact by fact.
 *
 * Facts of four classes are told apart (docs/definitions.md, section 22). What defines the workload: device, number of
 * processes, shape of the input, options of the model. How it was recorded. The environment: versions. And what is a
 * result: shapes and types inside of the model, how much is launched by graphs; a change of it is what a comparison is
 * for. Only a defining fact that differs makes another workload; one that a side does not tell leaves it unknown. A
 * fact that is missing in all files of a side, because an older version wrote them, says nothing. */
#ifndef TP_WEBREPORT_COMPARE_COMPARABILITY_H
#define TP_WEBREPORT_COMPARE_COMPARABILITY_H

#include "webreport/compare/sides.h"

enum tp_fact_verdict { TP_FACT_SAME, TP_FACT_DIFFERS, TP_FACT_UNKNOWN };
enum tp_fact_class { TP_FACT_DEFINING, TP_FACT_RECORDING, TP_FACT_ENVIRONMENT, TP_FACT_RESULT, TP_FACT_CLASSES };
enum tp_workload { TP_WORKLOAD_SAME, TP_WORKLOAD_UNKNOWN, TP_WORKLOAD_OTHER };

struct tp_fact_pair {
    struct tp_str name, values[TP_SIDES]; /* "" : the side does not tell; several values of a side: "a | b" */
    enum tp_fact_verdict verdict;
    enum tp_fact_class class;
};

struct tp_comparability {
    struct tp_fact_pair *facts; /* those of the summaries in their order, then what is computed here */
    uint32_t fact_count;
    uint32_t counts[TP_FACT_UNKNOWN + 1]; /* by verdict */
    enum tp_workload workload;
    bool is_low;                /* not the same workload, or not known to be: times are told, not judged */
    bool is_other_input;        /* the shape of the input differs: counts are compared by name */
    bool is_other_input_alone;  /* and nothing else that defines the workload */
    bool is_other_batch;        /* of that shape the first number alone */
    bool is_recorded_otherwise; /* options of the recorder differ: times of the host are told, not judged */
};

/* Compares the facts in sides->arena (guard set by the caller). */
void tp_comparability_build(struct tp_comparability *comparability, const struct tp_sides *sides);

/* "same", "differs", "unknown". */
const char *tp_fact_verdict_name(enum tp_fact_verdict verdict);
/* "defining", "recording", "environment", "result". */
const char *tp_fact_class_name(enum tp_fact_class class);
/* "same", "unknown", "other". */
const char *tp_workload_name(enum tp_workload workload);

/* The facts that make it another workload, or leave it unknown: "gpu A100 / H100, input [16, 3] / [20, 3]"; "". */
const char *tp_comparability_text(const struct tp_comparability *comparability, struct tp_arena *arena);
/* The options of the recorder that differ: "with_stack 0 / 1"; "". */
const char *tp_comparability_recording_text(const struct tp_comparability *comparability, struct tp_arena *arena);

#endif
