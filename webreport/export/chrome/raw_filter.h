/* Which elements of a trace a filter keeps, asked of their text: also of those that no number of the report needs. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_FILTER_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_FILTER_H

#include "webreport/export/filter.h"
#include "webreport/trace/decode.h"
#include "webreport/trace/visit.h"

enum { TP_RAW_PLACE = 160 };

struct tp_raw_filter {
    struct tp_filter_trace kept;
    bool has_time, has_threads, has_categories;
    const uint8_t *launched;  /* bits by ordinal: device work whose call is kept, whenever it ran */
    uint64_t launched_count;  /* ordinals that have a bit; 0: none */
    struct tp_sink sink;      /* of rows */
    struct tp_decoder rows;   /* with threads: numbers of (pid, tid), those of the trace first */
    struct tp_vec row_kept;   /* uint8_t by that number */
    char place[TP_RAW_PLACE]; /* pid, tid and ts of the slice before, when it was kept */
    size_t place_size;
};

/* kept: the filter against the trace that was read; memory in `arena`. To be released, also after a failure. */
void tp_raw_filter_init(struct tp_raw_filter *filter, const struct tp_filter_trace *kept, const struct tp_trace *trace,
                        struct tp_arena *arena);
void tp_raw_filter_release(struct tp_raw_filter *filter);

/* Whether the element only names a row (ph M), or cannot be told. */
bool tp_raw_filter_is_row(const struct tp_event_text *event);

/* With steps: they are what meets their time on the host, and the device work that calls in it launched, whenever it
 * ran; a trace without such links keeps what meets their time with the device work. model: of the trace that was read;
 * memory comes from its arena. */
void tp_raw_filter_add_launched(struct tp_raw_filter *filter, const struct tp_model *model);

/* Whether the element is kept. Slices are when they meet the time, moments when they lie in it, names of rows when
 * their thread is kept, ends of flows (s, t, f) also when the slice before them is. */
bool tp_raw_filter_keeps(struct tp_raw_filter *filter, const struct tp_event_text *event);

#endif
