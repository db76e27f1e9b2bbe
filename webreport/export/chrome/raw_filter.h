/* Decides from the text of a trace's element whether a filter keeps it. It works on text because the trace in memory
 * lacks elements that no number of the report needs. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_FILTER_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_FILTER_H

#include "webreport/export/filter.h"
#include "webreport/trace/decode.h"
#include "webreport/trace/visit.h"

enum { TP_RAW_PLACE = 160 };

struct tp_raw_filter {
    struct tp_filter_trace kept;
    bool has_time, has_threads, has_categories;
    const uint8_t *launched;  /* bits by ordinal: device work whose call is kept, at any time */
    uint64_t launched_count;  /* number of ordinals with a bit; 0: none */
    struct tp_sink sink;      /* sink of rows */
    struct tp_decoder rows;   /* with a filter of threads: numbers of (pid, tid), those of the trace first */
    struct tp_vec row_kept;   /* uint8_t, by that number */
    char place[TP_RAW_PLACE]; /* pid, tid and ts of the previous slice, when it was kept */
    size_t place_size;
};

/* Prepares a filter. kept: the options applied to the trace that was read; memory comes from `arena`. The caller
 * releases it, also after a failure. */
void tp_raw_filter_init(struct tp_raw_filter *filter, const struct tp_filter_trace *kept, const struct tp_trace *trace,
                        struct tp_arena *arena);
void tp_raw_filter_release(struct tp_raw_filter *filter);

/* Returns true when the element only names a row (ph M), or has no readable phase. */
bool tp_raw_filter_is_row(const struct tp_event_text *event);

/* For a filter with steps: keeps the events that overlap the time of the steps on the host, and the device work that
 * calls in this time launched, whenever it ran. In a trace without such links it keeps the events that overlap the
 * steps including their device work. model: of the trace that was read; memory comes from its arena. */
void tp_raw_filter_add_launched(struct tp_raw_filter *filter, const struct tp_model *model);

/* Returns whether the element is kept: a slice when it overlaps the time, a moment when it is in that time, the name
 * of a row when its thread is kept, the end of a flow (s, t, f) also when the slice before it is kept. */
bool tp_raw_filter_keeps(struct tp_raw_filter *filter, const struct tp_event_text *event);

#endif
