/* Defines the receiver of trace records: a reader in the same process that gets the records which trace_json.h would
 * write to a file.
 *
 * A receiver gets each record of the file, in the same order, with the same position and number, but no text of the
 * record. Texts and arrays are borrowed for the call. */
#ifndef TP_WRITER_TRACE_RECEIVER_H
#define TP_WRITER_TRACE_RECEIVER_H

#include "writer/trace_json.h"

/* An element of traceEvents. */
struct tp_trace_record {
    char phase;         /* phase as in the file: X, i, b, e, P, s, f, C or M */
    uint64_t ordinal;   /* position of the element in traceEvents, from 0 */
    int64_t number;     /* value of "Ev Idx"; TP_NULL_INT: the record has none */
    struct tp_str cat;  /* category; ptr NULL: the record has no category */
    struct tp_str name; /* name; in a metadata record the kind: thread_name, process_labels .. */
    int64_t pid, tid;
    int64_t ts_ns, dur_ns; /* start and duration, limited to the times that readers accept; dur_ns only in X */
    int64_t id;            /* id of a task or an arrow; only in phases b, e, s, f */
    const struct tp_trace_out_arg *args; /* arguments; only in phases X, i, b, e, P */
    size_t arg_count;
    const struct tp_trace_out_memory *memory; /* values of a "[memory]" record; NULL in other records */
    const struct tp_trace_out_value *values;  /* values of a counter; only in phase C */
    size_t value_count;
    struct tp_str text; /* only in phase M: the name or the labels; ptr NULL: the record contains a sort index */
    int64_t sort_index; /* only in phase M without text: index for sorting the rows */
};

struct tp_trace_receiver {
    void *context;
    /* Receives the members of the trace that precede the events, as a JSON object that ends behind the key
     * "traceEvents". The 64 bytes behind the text are readable. */
    void (*head)(void *context, struct tp_str text);
    void (*record)(void *context, struct tp_trace_out *out, const struct tp_trace_record *record);
};

/* Returns the value of an argument as compact JSON, for a receiver. The text is valid until the next call. The 64
 * bytes behind the text are readable. */
struct tp_str tp_trace_out_value_text(struct tp_trace_out *out, const struct tp_trace_out_arg *arg);

/* Returns the key of an argument, without quotes, as a file would contain it. The text is valid until the next call. */
struct tp_str tp_trace_out_key_text(struct tp_trace_out *out, const struct tp_trace_out_arg *arg);

#endif
