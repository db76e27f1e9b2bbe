/* Decides, fact by fact, whether two sides are runs of the same workload. Facts have four classes (docs/definitions.md,
 * section 22). Defining facts are device, number of processes, shape of the input and options of the model. Recording
 * facts are options of the recorder. Environment facts are versions. Result facts are shapes and types inside the
 * model, and the share of graph launches. The purpose of a comparison is to find changes of result facts. The workload
 * is different only if a defining fact differs, and unknown if a side lacks a defining fact. Facts that all files of a
 * side lack because an older version wrote them are ignored. */
#ifndef TP_WEBREPORT_COMPARE_COMPARABILITY_H
#define TP_WEBREPORT_COMPARE_COMPARABILITY_H

#include "webreport/compare/sides.h"

enum tp_fact_verdict { TP_FACT_SAME, TP_FACT_DIFFERS, TP_FACT_UNKNOWN };
enum tp_fact_class { TP_FACT_DEFINING, TP_FACT_RECORDING, TP_FACT_ENVIRONMENT, TP_FACT_RESULT, TP_FACT_CLASSES };
enum tp_workload { TP_WORKLOAD_SAME, TP_WORKLOAD_UNKNOWN, TP_WORKLOAD_OTHER };

struct tp_fact_pair {
    /* value on each side: "" if the side lacks the fact; different values of its runs are joined as "a | b" */
    struct tp_str name, values[TP_SIDES];
    enum tp_fact_verdict verdict;
    enum tp_fact_class class;
};

struct tp_comparability {
    struct tp_fact_pair *facts; /* facts of the summaries in their order, followed by facts that are computed here */
    uint32_t fact_count;
    uint32_t counts[TP_FACT_UNKNOWN + 1]; /* number of facts with each verdict */
    enum tp_workload workload;
    bool is_not_comparable; /* true: the workload differs or is unknown; times are shown without a verdict */
    /* true: the shape of the input differs; counts of calls are compared by name, without shapes */
    bool has_other_input_shape;
    bool is_other_input_alone;       /* true: only the shape of the input differs */
    bool differs_only_in_batch_size; /* true: only the first size of the input's shape (the batch) differs */
    bool has_other_recorder_options; /* true: options of the recorder differ; host times are shown without a verdict */
};

/* Compares the facts of both sides. Allocates from sides->arena, whose guard the caller sets. */
void tp_comparability_build(struct tp_comparability *comparability, const struct tp_sides *sides);

/* Returns "same", "differs" or "unknown". The text is static. */
const char *tp_fact_verdict_name(enum tp_fact_verdict verdict);
/* Returns "defining", "recording", "environment" or "result". The text is static. */
const char *tp_fact_class_name(enum tp_fact_class class);
/* Returns "same", "unknown" or "other". The text is static. */
const char *tp_workload_name(enum tp_workload workload);

/* Returns the facts that make the workload different or unknown, such as "gpu A100 / H100, input [16, 3] / [20, 3]",
 * or "". */
const char *tp_comparability_text(const struct tp_comparability *comparability, struct tp_arena *arena);
/* Returns the options of the recorder that differ, such as "with_stack 0 / 1", or "". */
const char *tp_comparability_recording_text(const struct tp_comparability *comparability, struct tp_arena *arena);

#endif
