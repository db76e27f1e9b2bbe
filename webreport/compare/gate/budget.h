/* Parses budget files, which limit the metrics of a run. Grammar: `tracepress help check`.
 *
 *     # comment
 *     kernels.per_step <= 620
 *     warn memory.peak <= 18 GiB @0
 *     optional step.time.median <= +3 %      (+, -: against the baseline)
 *
 * Any bytes can be parsed. The error names file, line and column of the first mistake. */
#ifndef TP_WEBREPORT_COMPARE_GATE_BUDGET_H
#define TP_WEBREPORT_COMPARE_GATE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/result/priced_changes.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_budget_op { TP_OP_LE, TP_OP_GE, TP_OP_EQ, TP_OP_NE, TP_OP_LT, TP_OP_GT };

enum tp_budget_kind {
    TP_LIMIT_ABSOLUTE, /* limit on the value of the metric */
    TP_LIMIT_DELTA,    /* limit on value - baseline, in the metric's unit */
    TP_LIMIT_RELATIVE  /* limit on the change in percent, 100 (value / baseline - 1) */
};

struct tp_budget_line {
    int metric; /* index of the metric in tp_metrics */
    enum tp_budget_op op;
    enum tp_budget_kind kind;
    double limit;     /* limit in the unit of the metric (count, ns, bytes or %); percent for TP_LIMIT_RELATIVE */
    bool is_warning;  /* true for the keyword `warn`: a broken limit is reported but never fails the check */
    bool is_optional; /* true for the keyword `optional`: the line passes if the trace lacks the metric */
    /* NAME of op[NAME].calls, range[NAME].device, whatif[CHANGE].gain_low_us, memory.live.category(NAME),
     * cpu.self.NAME ..; ptr is NULL for other metrics */
    struct tp_str operator;
    struct tp_str worker; /* the only worker to which the line applies; ptr is NULL for all */
    int64_t rank;         /* the only rank to which the line applies, or TP_NULL_INT for all */
    unsigned number;      /* number of the line in the file, from 1; 0 for built-in lines */
    struct tp_str text;   /* text of the line without its comment and outer blanks */
};

struct tp_budget {
    const char *file; /* file name as shown to users; NULL for the built-in budget */
    struct tp_budget_line *lines;
    size_t count;
};

/* Parses `size` bytes. Copies texts into `arena`, whose guard the caller sets. file: name for messages; must outlive
 * the budget. Returns 0, TP_EUSAGE with "FILE:LINE:COLUMN: what is wrong", or TP_ELIMIT. A file without any limit is
 * an error. */
int tp_budget_parse(struct tp_budget *budget, const char *file, const char *bytes, size_t size, struct tp_arena *arena,
                    struct tp_error *err);

/* Fills the built-in budget. It allows no additional operator, copy or wait per step and no other type or shape. It
 * allows no more memory, pageable bytes or step time than the baseline has. It has no limits on findings. */
void tp_budget_default(struct tp_budget *budget, struct tp_arena *arena);

/* Fills the built-in budget for memory snapshots: no out-of-memory event, and at most 3 % more memory at the peak than
 * the baseline, if there is one. */
void tp_budget_default_for_snapshots(struct tp_budget *budget, bool has_baseline, struct tp_arena *arena);

/* Returns whether a line of the budget requires a recording of the program from outside. */
bool tp_budget_needs_program(const struct tp_budget *budget);

/* Returns whether a line of the budget requires a replay of the traces. Sets *asked to the changes of the lines
 * whatif[CHANGE].gain_low_us. */
bool tp_budget_find_changes(struct tp_asked_changes *asked, const struct tp_budget *budget, struct tp_arena *arena);

/* Returns the operator as text: "<=", ">=", "==", "!=", "<" or ">". The text is static. */
const char *tp_budget_op_text(enum tp_budget_op op);

/* Returns whether the operator is an upper limit (<= or <). */
static inline bool tp_budget_is_upper(enum tp_budget_op op)
{
    return op == TP_OP_LE || op == TP_OP_LT;
}

static inline bool tp_budget_is_lower(enum tp_budget_op op)
{
    return op == TP_OP_GE || op == TP_OP_GT;
}

/* Returns whether the comparison `value` op `limit` is true. */
bool tp_budget_is_limit_kept(enum tp_budget_op op, double value, double limit);

#endif
