/* The stream view: queue length and idle time of each stream, and the delays of launches (docs/definitions.md, section
 * 40). */
#ifndef TP_WEBREPORT_MEASURE_STREAMS_STREAM_VIEW_H
#define TP_WEBREPORT_MEASURE_STREAMS_STREAM_VIEW_H

#include "webreport/measure/streams/launch_delays.h"
#include "webreport/measure/streams/queue_length.h"
#include "writer/base/fields.h"

enum tp_stream_column {
    TP_STREAM_DEVICE,
    TP_STREAM_NUMBER,
    TP_STREAM_OPERATIONS,
    TP_STREAM_CHANGES, /* the columns of the queue are null if no launch of the stream is known */
    TP_STREAM_MEAN_QUEUE,
    TP_STREAM_MEAN_AT_CHANGES,
    TP_STREAM_MEDIAN_QUEUE,
    TP_STREAM_P75_QUEUE,
    TP_STREAM_MAX_QUEUE,
    TP_STREAM_MIN_QUEUE,
    TP_STREAM_NEAR_MAX,
    TP_STREAM_IDLE_HOST,
    TP_STREAM_IDLE_SHORT,
    TP_STREAM_IDLE_OTHER,
    TP_STREAM_COLUMNS
};

/* Largest number of streams with a curve of the queue length over time. The streams with the most launched operations
 * have one. */
enum { TP_STREAM_CURVES = 3 };

struct tp_stream_view {
    bool is_present;         /* false if the trace has no device operations, or more than TP_MAX_STREAM_ROWS streams */
    struct tp_table streams; /* sorted by device, then by number */
    struct tp_launch_delays delays;
    uint32_t curve_count;
    uint32_t curve_row[TP_STREAM_CURVES];           /* row in `streams` of each curve, most operations first */
    struct tp_part_curve *curves[TP_STREAM_CURVES]; /* mean queue length over time */
};

/* Builds the view in `arena`, whose guard the caller has set. */
void tp_stream_view_build(struct tp_stream_view *view, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_stream_view_fields;

#endif
