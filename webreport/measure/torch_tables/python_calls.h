/* Counts Python functions like cProfile, from the python_function events of a trace (with_stack).
 *
 * A function is (file, line, name); built-in functions are ("~", 0, name) with their addresses cut off, and so are
 * nn.Module calls. Calls nest by time on each thread. As in CPython's _lsprof.c: the own time of a call is its duration
 * without the calls directly inside it; total time counts a call only when no call of the same function encloses it;
 * such inner calls are counted separately: "3/1" is 3 calls of which 1 is not recursive. Times of callers are times of
 * the pair: a call is recursive when the same pair encloses it. Threads are added up. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_PYTHON_CALLS_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_PYTHON_CALLS_H

#include "webreport/model/policy_torch.h"
#include "writer/base/buf.h"
#include "writer/base/keys.h"
#include "writer/base/table.h"

struct tp_call_sum {
    int64_t call_count, primitive_count; /* primitive: no call of the same function (or pair) encloses it */
    int64_t own_ns, total_ns;
};

struct tp_call_row {
    struct tp_str file, name;
    int64_t line;
    struct tp_call_sum sum;
};

struct tp_calls {
    struct tp_call_row *rows; /* in order of the first call */
    uint32_t count;
    struct tp_keys pairs;            /* (callee, caller): row numbers */
    struct tp_vec pair_sums;         /* struct tp_call_sum, by pair */
    uint32_t *pairs_of, *pair_order; /* pairs of row i: pair_order[pairs_of[i] .. pairs_of[i + 1]), by first call */
};

/* Builds the calls in `arena` (guard set by the caller). The trace must outlive them. */
void tp_calls_build(struct tp_calls *calls, const struct tp_trace *trace, struct tp_arena *arena);

/* Sorts rows by one of pstats' keys (ncalls, calls, pcalls, tottime, time, cumtime, cumulative, stdname; none or NULL:
 * no sorting). Returns row numbers in `arena`; NULL if there is no such key. */
uint32_t *tp_calls_sort(const struct tp_calls *calls, const char *key, struct tp_arena *arena);
/* Returns whether tp_calls_sort accepts the key. */
bool tp_calls_can_sort(const char *key);

/* Returns pstats' title of that order: "internal time"; NULL: no title, or no such key. Static. */
const char *tp_calls_order_title(const char *key);

/* Writes "file:line(name)" or "{built-in method len}": pstats.func_std_string. */
void tp_calls_name(struct tp_buf *out, const struct tp_call_row *row);

/* Columns of tp_calls_table. */
extern const struct tp_column_def tp_calls_columns[];
enum { TP_CALLS_COLUMNS = 9 };
/* Makes a table of these rows, in `arena`. */
struct tp_table *tp_calls_table(const struct tp_calls *calls, const uint32_t *rows, size_t count,
                                struct tp_arena *arena);

#endif
