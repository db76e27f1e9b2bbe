/* Decides from the text of a trace's element whether a filter keeps the element. The text is needed because the trace
 * in memory lacks the elements that the report does not use. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_FILTER_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_FILTER_H

#include "webreport/export/filter.h"
#include "webreport/trace/decode.h"
#include "webreport/trace/visit.h"

enum { TP_RAW_PLACE = 160 };

struct tp_raw_filter {
    struct tp_filter_trace kept;
    bool has_time, has_threads, has_categories;
    /* bit for each element, by its position in the file: 1 for device work that is kept at any time, because its launch
     * is in the selected steps */
    const uint8_t *launched;
    uint64_t launched_count; /* number of bits in `launched` */
    struct tp_sink sink;     /* threads (rows) to which `rows` has given numbers, with their names */
    /* with a filter of threads: gives each pair of pid and tid a row number; the threads of the trace have the first
     * numbers */
    struct tp_decoder rows;
    struct tp_vec is_row_kept_by_number; /* elements: uint8_t, one for each row number: 1 if the filter keeps the row */
    char place[TP_RAW_PLACE]; /* pid, tid and ts of the previous slice; empty if the filter did not keep this slice */
    size_t place_size;
};

/* Prepares a filter. kept: the options, already applied to `trace`, the same trace in memory. Memory comes from
 * `arena`. The caller must release the filter, even after a failure. */
void tp_raw_filter_init(struct tp_raw_filter *filter, const struct tp_filter_trace *kept, const struct tp_trace *trace,
                        struct tp_arena *arena);
void tp_raw_filter_release(struct tp_raw_filter *filter);

/* Returns whether the element only names a row (ph M), or has no readable ph. */
bool tp_raw_filter_is_row_name(const struct tp_event_text *event);

/* Adds device work to a filter of steps. The filter then keeps events that overlap the steps on the host, and device
 * work that was launched in the steps, even if it ran later. If the trace does not link launches to device work, the
 * filter keeps all events that overlap the steps or their device work. model: model of the same trace; memory comes
 * from its arena. */
void tp_raw_filter_add_launched(struct tp_raw_filter *filter, const struct tp_model *model);

/* Returns whether the filter keeps the element. A slice must overlap the time of the filter, and an event without
 * duration must be in this time. The name of a row is kept if its thread is kept. A flow event (ph s, t or f) is also
 * kept after a kept slice with the same pid, tid and ts. */
bool tp_raw_filter_keeps(struct tp_raw_filter *filter, const struct tp_event_text *event);

#endif
