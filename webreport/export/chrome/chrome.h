/* A cleaned trace for viewers (--slim): what a slice is called, which row it stands in. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_CHROME_H
#define TP_WEBREPORT_EXPORT_CHROME_CHROME_H

#include "webreport/model/facts.h"
#include "writer/trace_json.h"

/* ---- rows (chrome_rows.c) ---- */

/* A row of its own for each thread. Numbers are those of the trace where viewers can tell them apart (0 to 2^30), else
 * new ones: texts, negative and huge numbers. */
struct tp_chrome_row {
    int64_t pid, tid;
};

struct tp_chrome_rows {
    struct tp_chrome_row *of_thread;
    int64_t *pid_of_process; /* processes that have a row of names */
    int64_t next_tid;        /* for rows of slices that do not nest */
};

void tp_chrome_rows_build(struct tp_chrome_rows *rows, const struct tp_trace *trace, struct tp_arena *arena);

/* Slices of one thread that come in order of (start, end descending): each goes to the first row in which it nests. */
struct tp_chrome_lanes {
    struct tp_vec *stacks; /* int64_t: ends of the open slices of each row */
    unsigned count;
};

enum { TP_CHROME_MAX_LANES = 64 };

void tp_chrome_lanes_init(struct tp_chrome_lanes *lanes, struct tp_arena *arena);
/* Empties them for the next thread. */
void tp_chrome_lanes_clear(struct tp_chrome_lanes *lanes);
/* The row of a slice, below TP_CHROME_MAX_LANES. When it nests in none, the last one's open slice ends it: *end_ns. */
unsigned tp_chrome_lane(struct tp_chrome_lanes *lanes, int64_t start_ns, int64_t *end_ns);

/* ---- slices (chrome_slice.c) ---- */

enum { TP_CHROME_MAX_ARGS = 16 };

/* Category of an event as torch writes it today; the empty text: it is not exported. */
struct tp_str tp_chrome_category(const struct tp_trace *trace, const struct tp_event *event,
                                 enum tp_trace_out_category *category);

/* The category that torch writes today for events of that kind (enum tp_kind), NULL: there is none. Static. */
const char *tp_chrome_category_of_kind(unsigned kind);

/* Fills args (TP_CHROME_MAX_ARGS); returns how many. */
size_t tp_chrome_args(const struct tp_trace *trace, const struct tp_event *event, struct tp_trace_out_arg *args);

#endif
