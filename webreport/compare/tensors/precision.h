/* Matches and compares the tensors of two runs. The result is a table with one row for each tensor, in the order in
 * which BASE executed them. */
#ifndef TP_WEBREPORT_COMPARE_TENSORS_PRECISION_H
#define TP_WEBREPORT_COMPARE_TENSORS_PRECISION_H

#include "webreport/compare/tensors/array_compare.h"
#include "webreport/trace/arrays/tensor_inventory.h"
#include "writer/base/table.h"

enum tp_verdict {
    TP_VERDICT_EQUAL,           /* all elements are equal */
    TP_VERDICT_CLOSE,           /* some elements differ, but no threshold is exceeded */
    TP_VERDICT_DIFFERS,         /* a threshold is exceeded */
    TP_VERDICT_DTYPE,           /* the element types differ; the values are still compared */
    TP_VERDICT_SAME_STATISTICS, /* only statistics were recorded, and all of them are equal */
    /* only statistics were recorded; some of them differ but do not prove that a threshold is exceeded */
    TP_VERDICT_CLOSE_STATISTICS,
    TP_VERDICT_SHAPE,      /* the shapes differ, so the values are not compared */
    TP_VERDICT_ONLY_BASE,  /* NEW lacks the tensor */
    TP_VERDICT_ONLY_NEW,   /* BASE lacks the tensor */
    TP_VERDICT_NO_VALUES,  /* the tensor was recorded without values and statistics */
    TP_VERDICT_UNREADABLE, /* the file of the tensor is missing, damaged or of another kind */
    TP_VERDICT_COUNT
};

enum tp_precision_column {
    TP_PRECISION_NAME,
    TP_PRECISION_STEP,
    TP_PRECISION_WORKER,
    TP_PRECISION_REPEAT,
    TP_PRECISION_VERDICT,
    TP_PRECISION_COMPARED_BY,
    TP_PRECISION_IS_DIVERGENT,
    TP_PRECISION_BASE_DTYPE,
    TP_PRECISION_NEW_DTYPE,
    TP_PRECISION_BASE_SHAPE,
    TP_PRECISION_NEW_SHAPE,
    TP_PRECISION_ELEMENTS,
    TP_PRECISION_MAX_ABS,
    TP_PRECISION_MAX_REL,
    TP_PRECISION_RMSE,
    TP_PRECISION_COSINE,
    TP_PRECISION_MISMATCHES,
    TP_PRECISION_MISMATCH_SHARE,
    TP_PRECISION_BASE_NANS,
    TP_PRECISION_NEW_NANS,
    TP_PRECISION_BASE_INFS,
    TP_PRECISION_NEW_INFS,
    TP_PRECISION_WORST,
    TP_PRECISION_BASE_AT_WORST,
    TP_PRECISION_NEW_AT_WORST,
    TP_PRECISION_FIRST_MISMATCH,
    TP_PRECISION_WHY,
    TP_PRECISION_COLUMNS
};

/* Thresholds of a comparison. NaN means no limit. */
struct tp_precision_limits {
    double max_abs, max_rel, max_rmse, min_cosine, max_mismatch_share;
};

struct tp_precision_options {
    /* largest difference that is not a mismatch; NaN selects the default of the element type */
    struct tp_tolerance tolerance;
    struct tp_precision_limits limits;
    bool ignores_dtype;  /* true: a different element type is not reported as divergence */
    bool allows_missing; /* true: a tensor that only one run has is not reported as divergence */
    void *context;
    /* called for each tensor; may be NULL */
    void (*progress)(void *context, size_t done, size_t all, struct tp_str name);
};

struct tp_precision {
    const char *base_name, *new_name; /* names of the runs as shown to users */
    uint32_t base_count, new_count;
    struct tp_precision_options options;
    struct tp_table table; /* table of the tensors; columns: enum tp_precision_column */
    uint32_t verdicts[TP_VERDICT_COUNT];
    uint32_t divergent_count, compared_count;
    uint32_t first_divergent; /* row in `table` of the first divergent tensor, or TP_NO_ID */
};

/* Compares all tensors. Allocates from `arena`, whose guard the caller sets. Names of the inventories are borrowed. */
void tp_precision_build(struct tp_precision *precision, const struct tp_inventory *base, const struct tp_inventory *new,
                        const struct tp_precision_options *options, struct tp_arena *arena);

/* Returns the name of the verdict, such as "equal" or "close". The text is static. */
const char *tp_verdict_name(enum tp_verdict verdict);

#endif
