/* Names and rows of slices in a cleaned trace for viewers (--slim). */
#ifndef TP_WEBREPORT_EXPORT_CHROME_CHROME_H
#define TP_WEBREPORT_EXPORT_CHROME_CHROME_H

#include "webreport/model/facts.h"
#include "writer/trace_json.h"

/* ---- rows (chrome_rows.c) ---- */

/* The row of a thread. It keeps the numbers of the trace when viewers can handle them (0 to 2^30); texts, negative and
 * huge numbers get new numbers. */
struct tp_chrome_row {
    int64_t pid, tid;
};

struct tp_chrome_rows {
    struct tp_chrome_row *of_thread;
    int64_t *pid_of_process; /* pids of the processes that have their row of names */
    int64_t next_tid;        /* next number for a row of slices that do not nest */
};

void tp_chrome_rows_build(struct tp_chrome_rows *rows, const struct tp_trace *trace, struct tp_arena *arena);

/* Places the slices of one thread in rows. Slices come in order of start, later ends first; each goes to the first row
 * in which it nests. */
struct tp_chrome_lanes {
    struct tp_vec *stacks; /* int64_t: ends of the open slices of each row */
    unsigned count;
};

enum { TP_CHROME_MAX_LANES = 64 };

void tp_chrome_lanes_init(struct tp_chrome_lanes *lanes, struct tp_arena *arena);
/* Empties the rows for the next thread. */
void tp_chrome_lanes_clear(struct tp_chrome_lanes *lanes);
/* Returns the row of a slice, below TP_CHROME_MAX_LANES. A slice that nests in no row goes to the last one and is cut
 * at the end of the slice that is open there: *end_ns. */
unsigned tp_chrome_lane(struct tp_chrome_lanes *lanes, int64_t start_ns, int64_t *end_ns);

/* ---- slices (chrome_slice.c) ---- */

enum { TP_CHROME_MAX_ARGS = 16 };

/* Returns the category of an event as torch writes it today; "" when the event is not exported. */
struct tp_str tp_chrome_category(const struct tp_trace *trace, const struct tp_event *event,
                                 enum tp_trace_out_category *category);

/* Returns the category that torch writes today for events of that kind (enum tp_kind); NULL: none. Static. */
const char *tp_chrome_category_of_kind(unsigned kind);

/* Fills args (TP_CHROME_MAX_ARGS); returns their number. */
size_t tp_chrome_args(const struct tp_trace *trace, const struct tp_event *event, struct tp_trace_out_arg *args);

#endif
