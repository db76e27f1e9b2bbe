/* Records of a trace for a reader in the same process: what trace_json.h would write to a file goes to functions instead.
 *
 * A receiver gets each record that the file would have, in the same order, with the same position and number, and makes
 * no text of it. Texts and arrays are borrowed for the call. */
#ifndef TP_WRITER_TRACE_RECEIVER_H
#define TP_WRITER_TRACE_RECEIVER_H

#include "writer/trace_json.h"

/* An element of traceEvents. */
struct tp_trace_record {
    char phase;           /* X, i, b, e, P, s, f, C or M, as in the file */
    uint64_t ordinal;     /* position in traceEvents */
    int64_t number;       /* "Ev Idx"; TP_NULL_INT: it has none */
    struct tp_str cat;    /* ptr NULL: it has none */
    struct tp_str name;   /* of a metadata record: thread_name, process_labels .. */
    int64_t pid, tid;
    int64_t ts_ns, dur_ns; /* within the times that readers take; dur_ns of X only */
    int64_t id;            /* of b, e, s, f */
    const struct tp_trace_out_arg *args; /* of X, i, b, e, P */
    size_t arg_count;
    const struct tp_trace_out_memory *memory; /* of a memory record; else NULL */
    const struct tp_trace_out_value *values;  /* of C */
    size_t value_count;
    struct tp_str text; /* of M: the name or the labels; ptr NULL: an index for sorting */
    int64_t sort_index; /* of M without text */
};

struct tp_trace_receiver {
    void *context;
    /* The members before the events, as a JSON object that ends behind the key "traceEvents". 64 bytes behind the text
     * can be read. */
    void (*head)(void *context, struct tp_str text);
    void (*record)(void *context, struct tp_trace_out *out, const struct tp_trace_record *record);
};

/* Returns the value of an argument as compact JSON, for a receiver. Valid until the next call; 64 bytes behind it can be
 * read. */
struct tp_str tp_trace_out_value_text(struct tp_trace_out *out, const struct tp_trace_out_arg *arg);

/* Returns the key of an argument as a file would have it, without quotes. Valid until the next call. */
struct tp_str tp_trace_out_key_text(struct tp_trace_out *out, const struct tp_trace_out_arg *arg);

#endif
