/* Which elements of a trace a filter keeps, asked of their text: also of those that no number of the report needs. */
#ifndef TP_WEBREPORT_EXPORT_RAW_FILTER_H
#define TP_WEBREPORT_EXPORT_RAW_FILTER_H

#include "webreport/export/filter.h"
#include "webreport/trace/decode.h"
#include "webreport/trace/visit.h"

enum { TP_RAW_PLACE = 160 };

struct tp_raw_filter {
    struct tp_filter_trace kept;
    bool has_time, has_threads, has_categories;
    struct tp_decoder rows;   /* with threads: numbers of (pid, tid), those of the trace first */
    struct tp_vec row_kept;   /* uint8_t by that number */
    char place[TP_RAW_PLACE]; /* with categories: pid, tid and ts of the slice that was kept last */
    size_t place_size;
};

/* kept: the filter against the trace that was read; memory in `arena`. To be released, also after a failure. */
void tp_raw_filter_init(struct tp_raw_filter *filter, const struct tp_filter_trace *kept, const struct tp_trace *trace,
                        struct tp_arena *arena);
void tp_raw_filter_release(struct tp_raw_filter *filter);

/* Whether the element only names a row (ph M), or cannot be told. */
bool tp_raw_filter_is_row(const struct tp_event_text *event);

/* Whether the element is kept. Slices are when they meet the time, moments when they lie in it, names of rows when
 * their thread is kept, ends of flows (s, t, f) with the slice before them where categories are asked for. */
bool tp_raw_filter_keeps(struct tp_raw_filter *filter, const struct tp_event_text *event);

#endif
