/* Builds TensorBoard event files: complete records in a buffer, which the caller writes.
 *
 * A file is a sequence of TFRecords (length, masked CRC-32C, Event message, masked CRC-32C). Values have the form that
 * both of TensorBoard's loaders and EventAccumulator accept: the value field of TensorFlow 1 (simple_value, histo,
 * image) with today's metadata. The caller must obey four rules, because otherwise a loader of TensorBoard fails:
 * - the steps of a tag must increase; a value for the whole capture is written once
 * - wall_s is finite: seconds since the epoch of the measurement, not of the writing
 * - a tag has one kind, and the first value in a file describes it
 * - records are appended completely; nothing is rewritten
 * All texts are UTF-8, borrowed for the call, and must not be NULL unless stated. Threads may use different structs at
 * the same time.
 *
 *     struct tp_tfevents events;
 *     tp_tfevents_init(&events, TP_MAX_EVENT_FILE_BYTES);
 *     tp_tfevents_begin(&events, 1700000000.0);
 *     tp_tfevents_put_scalars(&events, (struct tp_tfevents_at){1700000001.5, 7}, scalars, scalar_count);
 *     if (events.out.failed) ...                        // TP_ENOMEM or TP_ELIMIT, once
 *     write(fd, events.out.data, events.out.size);      // one write: complete records
 *     tp_buf_clear(&events.out);                        // and continue
 *     tp_tfevents_release(&events); */
#ifndef TP_WRITER_TFEVENTS_H
#define TP_WRITER_TFEVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/buf.h"
#include "writer/base/str.h"

struct tp_tfevents {
    struct tp_buf out; /* complete records; out.failed is 0, or the code of the first failure */
};

/* Time and step of a value. */
struct tp_tfevents_at {
    double wall_s; /* time at which the value was measured, seconds since the epoch */
    int64_t step;
};

/* Initializes an empty buffer. max_bytes: most bytes of records in the buffer; 0: no limit. */
void tp_tfevents_init(struct tp_tfevents *events, size_t max_bytes);
void tp_tfevents_release(struct tp_tfevents *events);

/* Writes the first record, with which every file begins. */
void tp_tfevents_begin(struct tp_tfevents *events, double wall_s);

struct tp_tf_scalar {
    const char *tag, *description; /* tag: name of the scalar; description: Markdown, may be NULL */
    double value;                  /* value, written as a float; NaN: the scalar is left out */
    bool is_first;                 /* true for the first value of the tag in the file, which describes the tag */
};

/* Writes the scalars of one step, in events of at most 64 scalars. */
void tp_tfevents_put_scalars(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_scalar *scalars,
                             size_t count);

/* Writes the distribution of `count` finite values, in at most 30 buckets. The buckets have equal ratios if all values
 * are above 0, otherwise equal widths. Writes nothing for 0 values. */
void tp_tfevents_put_histogram(struct tp_tfevents *events, struct tp_tfevents_at at, const char *tag,
                               const char *description, const double *values, size_t count);

/* Writes Markdown for the Text tab. */
void tp_tfevents_put_text(struct tp_tfevents *events, struct tp_tfevents_at at, const char *tag,
                          const char *description, struct tp_str markdown);

/* ---- Custom Scalars: charts of several tags (tfevents_plugins.c) ---- */

/* A chart of all tags that match a regular expression, or a margin chart: the tag of a line, and the tags of a band
 * around it. */
struct tp_tf_chart {
    /* category of the chart; charts of the same category must be adjacent, and are shown in their order */
    const char *category;
    const char *title;
    const char *tags; /* regular expression for tags, anchored at the start; NULL: a margin chart */
    /* tags of a margin chart: middle is its line, low and high are the limits of its band */
    const char *middle, *low, *high;
};
/* maximum number of charts in a layout; further charts are dropped */
enum { TP_TF_MAX_CHARTS = 80 };
void tp_tfevents_put_layout(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_chart *charts,
                            size_t count);

/* ---- HParams: a row per run (tfevents_plugins.c) ---- */

struct tp_tf_hparam {
    const char *name, *title;
    const char *text; /* value as a text; NULL: `number` is the value */
    double number;
};
struct tp_tf_metric {
    const char *tag, *title, *description; /* tag: tag of the scalar; title, description: texts for people */
};
/* maximum number of hyperparameters in a table, and of metrics; further ones are dropped */
enum { TP_TF_MAX_HPARAMS = 32 };

/* Writes the columns of the table of runs. The columns must be the same in every run. Without this record, TensorBoard
 * treats each scalar as a metric. */
void tp_tfevents_put_experiment(struct tp_tfevents *events, struct tp_tfevents_at at,
                                const struct tp_tf_hparam *hparams, size_t hparam_count,
                                const struct tp_tf_metric *metrics, size_t metric_count);
/* Writes the row of this run in the table of runs. */
void tp_tfevents_put_session_start(struct tp_tfevents *events, struct tp_tfevents_at at,
                                   const struct tp_tf_hparam *hparams, size_t count);
void tp_tfevents_put_session_end(struct tp_tfevents *events, struct tp_tfevents_at at);

/* ---- Graphs (tfevents_graph.c) ---- */

/* A node in a tree of scopes; parents come before their children. Names contain only letters, digits and _.- */
struct tp_tf_node {
    const char *name; /* name of the node, unique under its parent */
    const char *op;   /* operation of the node, which TensorBoard shows in the node's card */
    const char *site; /* code position that calls the node; NULL: unknown */
    uint32_t parent;  /* index of the parent; TP_NO_ID: the node is at the top level */
    /* index of the sibling that ran before this node, smaller than the index of this node; TP_NO_ID: none */
    uint32_t previous_sibling;
    double calls_per_step;
    double device_us_per_step, host_us_per_step; /* time of the node itself, without its children, us */
    double bytes_per_step;                       /* memory that the node itself allocated, bytes */
};

/* Writes the graph, and the cost of each node. The costs have the tags "device time per step", "CPU self time per step"
 * and "memory allocated per step". A tag is written only if a node has such a cost. Nodes are placed one after the
 * other on an artificial time axis, depth first. Therefore TensorBoard's value of a group (last end - first start) is
 * exactly the sum of the group's nodes. TensorBoard itself adds up memory. scratch: temporary memory, whose guard the
 * caller sets. */
void tp_tfevents_put_graph(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_node *nodes,
                           uint32_t count, struct tp_arena *scratch);

#endif
