/* Declares functions that choose the rows, categories and arguments of slices in a cleaned trace for viewers
 * (--slim). */
#ifndef TP_WEBREPORT_EXPORT_CHROME_CHROME_H
#define TP_WEBREPORT_EXPORT_CHROME_CHROME_H

#include "webreport/model/facts.h"
#include "writer/trace_json.h"

/* ---- rows of slices (chrome_rows.c) ---- */

/* Process and thread number of a row in the output. Numbers that viewers can handle (0 to 2^30) are unchanged. Texts,
 * negative numbers and larger numbers are replaced by new numbers. */
struct tp_chrome_row {
    int64_t pid, tid;
};

struct tp_chrome_rows {
    struct tp_chrome_row *of_thread;
    int64_t *written_pids; /* for each process: its pid in the output */
    int64_t next_tid; /* tid of the next additional row; a thread gets additional rows for slices that do not nest */
};

void tp_chrome_rows_build(struct tp_chrome_rows *rows, const struct tp_trace *trace, struct tp_arena *arena);

/* Rows of one thread, over which its slices are distributed. The caller passes the slices in order of start; of slices
 * with the same start, the longest comes first. A slice gets the first row in which it nests. */
struct tp_chrome_lanes {
    struct tp_vec *stacks; /* for each row: ends of the slices that are open, ns; elements: int64_t */
    unsigned count;
};

enum { TP_CHROME_MAX_LANES = 64 };

void tp_chrome_lanes_init(struct tp_chrome_lanes *lanes, struct tp_arena *arena);
/* Removes the open slices from all rows, so that the next thread can use the rows. */
void tp_chrome_lanes_clear(struct tp_chrome_lanes *lanes);
/* Returns the row of a slice, from 0 to TP_CHROME_MAX_LANES - 1. A slice that nests in no row gets the last row, and
 * *end_ns is then reduced to the end of the slice that is open in the last row. */
unsigned tp_chrome_lanes_find(struct tp_chrome_lanes *lanes, int64_t start_ns, int64_t *end_ns);

/* ---- categories and arguments of slices (chrome_slice.c) ---- */

enum { TP_CHROME_MAX_ARGS = 16 };

/* Returns the category of an event as current versions of torch write it, and stores the category in *category. Returns
 * "" if the event is not exported. */
struct tp_str tp_chrome_category(const struct tp_trace *trace, const struct tp_event *event,
                                 enum tp_trace_out_category *category);

/* Returns the category that current versions of torch write for events of this kind (enum tp_kind), or NULL if they
 * write none. The text is static. */
const char *tp_chrome_category_of_kind(unsigned kind);

/* Fills `args`, an array of TP_CHROME_MAX_ARGS elements, with the arguments of an event. Returns the number of
 * arguments. */
size_t tp_chrome_fill_args(const struct tp_trace *trace, const struct tp_event *event, struct tp_trace_out_arg *args);

#endif
