/* Numbers the streams of all devices. */
#ifndef TP_WEBREPORT_MODEL_DEVICE_STREAMS_H
#define TP_WEBREPORT_MODEL_DEVICE_STREAMS_H

#include "webreport/model/facts.h"

/* A stream with at least one device operation. */
struct tp_device_stream {
    uint32_t gpu;   /* device of the stream, index in model->gpus */
    int64_t number; /* number of the stream (tp_stream_number) */
};

struct tp_device_streams {
    struct tp_device_stream *items; /* streams, sorted by device and number */
    uint32_t count;
    uint32_t *stream_of; /* for each device operation of the model: its stream, index in items */
};

/* Finds the streams in `arena`, whose guard the caller has set. Returns false, with an empty list, if the trace has
 * more than `most` streams. */
bool tp_device_streams_find(struct tp_device_streams *streams, const struct tp_model *model, uint32_t most,
                            struct tp_arena *arena);

#endif
