/* A budget file: what the metrics of a run may be. Grammar: `tracepress help check`.
 *
 *     # comment
 *     kernels.per_step <= 620
 *     warn memory.peak <= 18 GiB @0
 *     optional step.time.median <= +3 %      (+, -: against the baseline)
 *
 * Any bytes may be parsed: the first mistake is told with file, line and column. */
#ifndef TP_WEBREPORT_COMPARE_GATE_BUDGET_H
#define TP_WEBREPORT_COMPARE_GATE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_budget_op { TP_OP_LE, TP_OP_GE, TP_OP_EQ, TP_OP_NE, TP_OP_LT, TP_OP_GT };

enum tp_budget_kind {
    TP_LIMIT_ABSOLUTE, /* the value itself */
    TP_LIMIT_DELTA,    /* value - baseline, in the metric's unit */
    TP_LIMIT_RELATIVE  /* 100 (value / baseline - 1) */
};

struct tp_budget_line {
    int metric; /* index in tp_metrics */
    enum tp_budget_op op;
    enum tp_budget_kind kind;
    double limit;         /* count, ns, bytes, %; of TP_LIMIT_RELATIVE: % */
    bool is_warning;      /* level warn: told, never fails */
    bool is_optional;     /* passes when the trace does not tell the metric; without it that fails */
    struct tp_str operator; /* of op[NAME].calls and cpu.self.NAME: NAME; ptr NULL of other metrics */
    struct tp_str worker; /* applies to this worker alone; ptr NULL: to all */
    int64_t rank;         /* the same by rank; TP_NULL_INT: to all */
    unsigned number;      /* of the line in the file, from 1; 0: built in */
    struct tp_str text;   /* the line without blanks at its ends and without comment */
};

struct tp_budget {
    const char *file; /* as shown; NULL: the one that is built in */
    struct tp_budget_line *lines;
    size_t count;
};

/* Parses `size` bytes; texts are copied into `arena`, whose guard is the caller's. file: for messages, kept. Returns 0,
 * TP_EUSAGE with "FILE:LINE:COLUMN: what is wrong", TP_ELIMIT. A file without any line is refused. */
int tp_budget_parse(struct tp_budget *budget, const char *file, const char *bytes, size_t size, struct tp_arena *arena,
                    struct tp_error *err);

/* The budget of a check that names none: no operator, copy or wait more in a step, no other type or shape, no more
 * memory, pageable bytes or step time than the baseline. Findings are advice, and no part of it. */
void tp_budget_default(struct tp_budget *budget, struct tp_arena *arena);

/* Does a line ask for what only a program from outside tells? */
bool tp_budget_wants_program(const struct tp_budget *budget);

/* "<=", ">=" .. */
const char *tp_budget_op_text(enum tp_budget_op op);

/* Whether a limit is the most, or the least, that is allowed. */
static inline bool tp_budget_is_upper(enum tp_budget_op op)
{
    return op == TP_OP_LE || op == TP_OP_LT;
}

static inline bool tp_budget_is_lower(enum tp_budget_op op)
{
    return op == TP_OP_GE || op == TP_OP_GT;
}

/* Whether `value` op `limit` holds. */
bool tp_budget_holds(enum tp_budget_op op, double value, double limit);

#endif
