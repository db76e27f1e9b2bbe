/* TensorBoard event files: whole records in a buffer, for the caller to write.
 *
 * A file is a sequence of TFRecords (length, masked CRC-32C, Event message, masked CRC-32C). Values are written in the
 * form that both of TensorBoard's loaders and EventAccumulator accept: the value field of TensorFlow 1 (simple_value,
 * histo, image) with today's metadata. Rules for the caller, each seen to break a loader otherwise:
 * - the steps of a tag only grow; a value of the whole capture is written once
 * - wall_s is finite; it is seconds since 1970 of the thing measured, not of the writing
 * - a tag is of one kind, and described by the first value of a file
 * - records are appended whole; nothing is rewritten in place
 * All texts are UTF-8, borrowed for the call, and must not be NULL unless said. Nothing here is shared between threads.
 *
 *     struct tp_tfevents events;
 *     tp_tfevents_init(&events, TP_MAX_EVENT_FILE_BYTES);
 *     tp_tfevents_begin(&events, 1700000000.0);
 *     tp_tfevents_scalars(&events, (struct tp_tfevents_at){1700000001.5, 7}, scalars, scalar_count);
 *     if (events.out.failed) ...                        // TP_ENOMEM or TP_ELIMIT, once
 *     write(fd, events.out.data, events.out.size);      // one write: whole records
 *     tp_buf_clear(&events.out);                        // and on
 *     tp_tfevents_release(&events); */
#ifndef TP_WRITER_TFEVENTS_H
#define TP_WRITER_TFEVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/buf.h"
#include "writer/base/str.h"

struct tp_tfevents {
    struct tp_buf out; /* whole records; `failed` is sticky */
};

/* When and where a value stands. */
struct tp_tfevents_at {
    double wall_s; /* seconds since 1970 */
    int64_t step;
};

/* Makes an empty buffer. max_bytes: most bytes of records held at a time, 0 for no limit. */
void tp_tfevents_init(struct tp_tfevents *events, size_t max_bytes);
void tp_tfevents_release(struct tp_tfevents *events);

/* The record every file begins with. */
void tp_tfevents_begin(struct tp_tfevents *events, double wall_s);

struct tp_tf_scalar {
    const char *tag, *description; /* description: Markdown; NULL for none */
    double value;                  /* written as a float; NaN: left out */
    bool is_first;                 /* of its tag in the file: the description is written */
};

/* The scalars of one step, in events of at most 64. */
void tp_tfevents_scalars(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_scalar *scalars,
                         size_t count);

/* The distribution of `count` finite values, in at most 30 buckets: of equal ratio when all are above 0, else of equal
 * width. Nothing is written for 0 values. */
void tp_tfevents_histogram(struct tp_tfevents *events, struct tp_tfevents_at at, const char *tag,
                           const char *description, const double *values, size_t count);

/* Markdown, shown in the Text tab. */
void tp_tfevents_text(struct tp_tfevents *events, struct tp_tfevents_at at, const char *tag, const char *description,
                      struct tp_str markdown);

/* ---- Custom Scalars: charts of several tags (tfevents_plugins.c) ---- */

/* A chart of all tags that match a regular expression, or a line with a band: exact tags. */
struct tp_tf_chart {
    const char *category; /* charts of a category stand together, in the order given */
    const char *title;
    const char *tags;                /* regular expression, anchored at the start; NULL: a margin chart */
    const char *middle, *low, *high; /* of a margin chart */
};
enum { TP_TF_MAX_CHARTS = 80 }; /* more are left out */
void tp_tfevents_layout(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_chart *charts,
                        size_t count);

/* ---- HParams: a row per run (tfevents_plugins.c) ---- */

struct tp_tf_hparam {
    const char *name, *title;
    const char *text; /* NULL: the number is meant */
    double number;
};
struct tp_tf_metric {
    const char *tag, *title, *description; /* tag of a scalar */
};
enum { TP_TF_MAX_HPARAMS = 32 }; /* more are left out, of each kind */

/* The columns of the table; the same in every run, without which TensorBoard takes each scalar as a metric. */
void tp_tfevents_experiment(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_hparam *hparams,
                            size_t hparam_count, const struct tp_tf_metric *metrics, size_t metric_count);
/* The row of this run. */
void tp_tfevents_session_start(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_hparam *hparams,
                               size_t count);
void tp_tfevents_session_end(struct tp_tfevents *events, struct tp_tfevents_at at);

/* ---- Graphs (tfevents_graph.c) ---- */

/* A node of a tree of scopes; parents stand before their children. Names hold only letters, digits and _.- */
struct tp_tf_node {
    const char *name; /* unique under its parent */
    const char *op;   /* what it is, shown in the node's card */
    const char *site; /* where it is called from; NULL: unknown */
    uint32_t parent;  /* TP_NO_ID: top */
    uint32_t follows; /* node that ran before it, of the same parent and of smaller index; TP_NO_ID: none */
    double calls_per_step;
    double device_us_per_step, host_us_per_step; /* of the node itself, without its children */
    double bytes_per_step;                       /* allocated by the node itself */
};

/* The graph, and per node what it costs: tags "device time per step", "CPU self time per step" and "memory allocated
 * per step", each when any node has some. Nodes are laid one after the other on a time axis of their own, depth first,
 * so that TensorBoard's figure of a group (last end - first start) is exactly the sum of its nodes; memory it adds up
 * by itself. scratch: its guard is the caller's; nothing of it is needed afterwards. */
void tp_tfevents_graph(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_node *nodes,
                       uint32_t count, struct tp_arena *scratch);

#endif
