/* Decides from the text of a trace's element whether a filter keeps it. Text is needed because the trace in memory
 * lacks elements that no number of the report depends on. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_FILTER_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_FILTER_H

#include "webreport/export/filter.h"
#include "webreport/trace/decode.h"
#include "webreport/trace/visit.h"

enum { TP_RAW_PLACE = 160 };

struct tp_raw_filter {
    struct tp_filter_trace kept;
    bool has_time, has_threads, has_categories;
    /* one bit per ordinal of an element: device work whose launch is kept, whatever its time */
    const uint8_t *launched;
    uint64_t launched_count; /* keeps the rows (threads) that `rows` numbers */
    struct tp_sink sink;     /* receives the names of rows */
    /* with a filter of threads: numbers rows by (pid, tid), starting with the rows of the trace */
    struct tp_decoder rows;
    struct tp_vec row_kept;   /* uint8_t by number of the row: 1 if the row is kept */
    char place[TP_RAW_PLACE]; /* pid, tid and ts of the previous slice if it was kept */
    size_t place_size;
};

/* Prepares a filter. kept: the options, applied to the trace that was read. Memory comes from `arena`. The caller must
 * release the filter, even after a failure. */
void tp_raw_filter_init(struct tp_raw_filter *filter, const struct tp_filter_trace *kept, const struct tp_trace *trace,
                        struct tp_arena *arena);
void tp_raw_filter_release(struct tp_raw_filter *filter);

/* Returns whether the element only names a row (ph M), or has no readable phase. */
bool tp_raw_filter_is_row(const struct tp_event_text *event);

/* Prepares a filter of steps. It keeps the events that overlap the time of the steps on the host, and the device work
 * that calls in this time launched, even if this work ran later. In a trace without links from launches, it keeps the
 * events that overlap the steps including their device work. model: model of the trace that was read; memory comes from
 * its arena. */
void tp_raw_filter_add_launched(struct tp_raw_filter *filter, const struct tp_model *model);

/* Returns whether the element is kept. A slice must overlap the time of the filter; a moment must be in this time. The
 * name of a row is kept with its thread. The end of a flow (ph s, t or f) is also kept with the slice before it. */
bool tp_raw_filter_keeps(struct tp_raw_filter *filter, const struct tp_event_text *event);

#endif
