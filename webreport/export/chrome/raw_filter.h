/* Decides from the text of an element of a trace whether a filter keeps the element. The text is needed because the
 * trace in memory lacks the elements that the report does not use. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_FILTER_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_FILTER_H

#include "webreport/export/filter.h"
#include "webreport/trace/decode.h"
#include "webreport/trace/visit.h"

enum { TP_RAW_PLACE = 160 };

struct tp_raw_filter {
    struct tp_filter_trace kept;
    bool has_time, has_threads, has_categories;
    /* for each ordinal of an element a bit: 1 for device work whose launch is kept, whatever its time */
    const uint8_t *launched;
    uint64_t launched_count; /* number of bits in `launched` */
    struct tp_sink sink;     /* list of the rows (threads) that `rows` has numbered, with their names */
    /* with a filter of threads: numbers rows by (pid, tid); the first numbers are the rows of the trace */
    struct tp_decoder rows;
    struct tp_vec row_kept;   /* for each number of a row a uint8_t: 1 if the row is kept */
    char place[TP_RAW_PLACE]; /* pid, tid and ts of the previous slice if this slice was kept */
    size_t place_size;
};

/* Prepares a filter. kept: the options, already applied to the trace that was read. Memory comes from `arena`. The
 * caller must release the filter, even after a failure. */
void tp_raw_filter_init(struct tp_raw_filter *filter, const struct tp_filter_trace *kept, const struct tp_trace *trace,
                        struct tp_arena *arena);
void tp_raw_filter_release(struct tp_raw_filter *filter);

/* Returns whether the element only names a row (ph M), or has no readable phase. */
bool tp_raw_filter_is_row(const struct tp_event_text *event);

/* Prepares a filter of steps. The filter keeps the events that overlap the time of the steps on the host. It also
 * keeps device work that was launched in this time, even if this work ran later. If the trace has no links from
 * launches, the filter keeps the events that overlap the steps including their device work. model: model of the trace
 * that was read; memory comes from its arena. */
void tp_raw_filter_add_launched(struct tp_raw_filter *filter, const struct tp_model *model);

/* Returns whether the element is kept. A slice must overlap the time of the filter, and a moment must be in this time.
 * The name of a row is kept if its thread is kept. A flow event (ph s, t or f) is also kept if the slice before it is
 * kept. */
bool tp_raw_filter_keeps(struct tp_raw_filter *filter, const struct tp_event_text *event);

#endif
