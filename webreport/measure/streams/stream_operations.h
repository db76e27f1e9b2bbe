/* Lists the operations of each stream, and finds the times of their calls. */
#ifndef TP_WEBREPORT_MEASURE_STREAMS_STREAM_OPERATIONS_H
#define TP_WEBREPORT_MEASURE_STREAMS_STREAM_OPERATIONS_H

#include "webreport/model/device_streams.h"

/* Kinds of operations with a known launch. */
enum tp_launched_kind {
    TP_LAUNCHED_UNKNOWN, /* the launch is not recorded */
    TP_LAUNCHED_KERNEL,
    TP_LAUNCHED_COPY,
    TP_LAUNCHED_MEMSET,
    TP_LAUNCHED_GRAPH,      /* first operation of the launch of a graph */
    TP_LAUNCHED_GRAPH_REST, /* other operation of the launch of a graph */
    TP_LAUNCHED_KINDS
};

/* An operation and its call, as tp_stream_operation_get returns them. Times in ns. */
struct tp_stream_operation {
    int64_t start_ns, end_ns;
    int64_t call_ns, call_end_ns; /* start and end of the call; 0 if the launch is unknown */
    uint8_t kind;                 /* enum tp_launched_kind */
};

/* Returns whether the operation was an item of the queue of its stream, with a delay. Of the operations of a graph,
 * only the first one was. */
static inline bool tp_operation_is_queued(const struct tp_stream_operation *operation)
{
    return operation->kind != TP_LAUNCHED_UNKNOWN && operation->kind != TP_LAUNCHED_GRAPH_REST;
}

struct tp_stream {
    struct tp_device_stream id;
    const uint32_t *operations; /* device operations of the model, in order of start */
    uint32_t count;
};

struct tp_stream_list {
    struct tp_stream *streams; /* sorted by device, then by number */
    uint32_t count;
    uint32_t *operations; /* operations of all streams, by stream; only their indices, to save memory */
    uint32_t operation_count;
    const struct tp_model *model;
};

/* Makes the list in `arena`, whose guard the caller has set. The list borrows the model. Returns false if the trace has
 * more than TP_MAX_STREAM_ROWS streams. */
bool tp_stream_list_build(struct tp_stream_list *list, const struct tp_model *model, struct tp_arena *arena);
/* Gives the operations back to the arena. */
void tp_stream_list_release(struct tp_stream_list *list, struct tp_arena *arena);

/* Returns times and kind of the operation with this index in `operations` of a stream or of the list. */
struct tp_stream_operation tp_stream_operation_get(const struct tp_stream_list *list, uint32_t operation);

#endif
