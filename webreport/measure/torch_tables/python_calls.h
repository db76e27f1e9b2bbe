/* Counts Python functions as cProfile does, from the python_function events of a trace (with_stack).
 *
 * A function is (file, line, name). Built-in functions are ("~", 0, name) without their addresses, and so are nn.Module
 * calls. Calls nest by time on each thread, and the numbers of all threads are added up. As in CPython's _lsprof.c:
 *   The own time of a call is its duration without the calls directly inside of it.
 *   Total time counts a call only if no call of the same function encloses it. The other, recursive calls are counted
 *     separately: "3/1" means 3 calls, 1 of them not recursive.
 *   Times of callers are times of a pair of functions. A call is recursive if a call of the same pair encloses it. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_PYTHON_CALLS_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_PYTHON_CALLS_H

#include "webreport/model/policy_torch.h"
#include "writer/base/buf.h"
#include "writer/base/keys.h"
#include "writer/base/table.h"

struct tp_call_sum {
    /* primitive_count: number of calls that no call of the same function (or pair) encloses */
    int64_t call_count, primitive_count;
    int64_t own_ns, total_ns;
};

struct tp_call_row {
    struct tp_str file, name;
    int64_t line;
    struct tp_call_sum sum;
};

struct tp_calls {
    struct tp_call_row *rows; /* sorted by first call */
    uint32_t count;
    struct tp_keys pairs;    /* keys (callee, caller); both are indexes of rows */
    struct tp_vec pair_sums; /* for each key of `pairs`: sum of its calls; elements: struct tp_call_sum */
    /* row i has the pairs pairs_by_row[first_pair_of_row[i]] to pairs_by_row[first_pair_of_row[i + 1] - 1], sorted by
     * first call */
    uint32_t *first_pair_of_row, *pairs_by_row;
};

/* Builds the calls in `arena` (guard set by the caller). The trace must outlive the calls. */
void tp_calls_build(struct tp_calls *calls, const struct tp_trace *trace, struct tp_arena *arena);

/* Returns the row indexes sorted by a key of pstats, in `arena`; NULL for an unknown key. Keys: ncalls, calls,
 * pcalls, tottime, time, cumtime, cumulative, stdname; none or NULL for no sorting. */
uint32_t *tp_calls_sort(const struct tp_calls *calls, const char *key, struct tp_arena *arena);
/* Returns whether tp_calls_sort accepts the key. */
bool tp_calls_can_sort(const char *key);

/* Returns the title that pstats prints for an order, such as "internal time". Returns NULL if the key is unknown or
 * has no title. The text is static. */
const char *tp_calls_order_title(const char *key);

/* Writes a function as pstats.func_std_string does: "file:line(name)" or "{built-in method len}". */
void tp_calls_put_name(struct tp_buf *out, const struct tp_call_row *row);

/* The columns of tp_calls_table. */
extern const struct tp_column_def tp_calls_columns[];
enum { TP_CALLS_COLUMNS = 9 };
/* Returns a table of the given rows, in `arena`. */
struct tp_table *tp_calls_table(const struct tp_calls *calls, const uint32_t *rows, size_t count,
                                struct tp_arena *arena);

#endif
