/* Answers what a change would bring: validates the replay of a trace, finds its critical path, and prices changes
 * (docs/definitions.md, section "What if"). */
#ifndef TP_WEBREPORT_WHAT_IF_WHAT_IF_VIEW_H
#define TP_WEBREPORT_WHAT_IF_WHAT_IF_VIEW_H

#include "webreport/what_if/path_spans.h"
#include "writer/base/fields.h"

enum tp_replay_confidence {
    TP_REPLAY_CONFIDENCE_HIGH,
    TP_REPLAY_CONFIDENCE_MEDIUM,
    TP_REPLAY_CONFIDENCE_LOW,
    TP_REPLAY_CONFIDENCE_WITHHELD
};

/* Returns "high", "medium", "low" or "withheld". Static text. */
const char *tp_replay_confidence_text(enum tp_replay_confidence confidence);

/* Why no answer is given. */
enum tp_withheld {
    TP_WITHHELD_NOT_REPRODUCED, /* the replay without a change differs from the trace */
    TP_WITHHELD_NO_WINDOW,
    TP_WITHHELD_LAUNCHES, /* most operations have no usable launch */
    TP_WITHHELD_UNEXPLAINED,
    TP_WITHHELD_BARE,     /* without residuals, the step has a different length */
    TP_WITHHELD_INFERRED, /* most of the critical path depends on edges that no record names */
    TP_WITHHELD_SIZE,     /* more activities than the question allows */
    TP_WITHHELD_STREAMS,  /* more streams than TP_MAX_REPLAY_STREAMS */
    TP_WITHHELD_RANKS,    /* the ranks have different collectives, or none */
    TP_WITHHELD_REASONS
};

/* The answer for one change. Times are for one step, ns. */
struct tp_what_if_row {
    struct tp_str change, text;
    int64_t step_ns, gain_ns, gain_low_ns, gain_high_ns;
    double gain_percent, then_percent;
    enum tp_path_group then; /* what limits the step after the change */
    enum tp_replay_confidence confidence;
    struct tp_intervals times; /* where the change acts (change_times.h); empty if they were not asked for */
};

/* A typical latency. text: kind, and name of the call or number of the device. */
struct tp_what_if_latency {
    struct tp_str text;
    int64_t ns;
};

/* The steps that were replayed instead of all steps of a trace. */
struct tp_replayed_part {
    struct tp_str first_step, last_step; /* names of the first and the last step of the part */
    uint32_t trace_step_count;           /* analysed steps of the whole trace */
};

/* The replay of one trace, and the answers. All memory is in one arena. */
struct tp_what_if_view {
    bool has_part; /* true if the view is about some steps only, because the trace has too many activities */
    struct tp_replayed_part part;
    uint32_t step_count; /* analysed steps */
    int64_t step_ns;     /* measured length of a step, ns */
    enum tp_replay_confidence confidence;
    unsigned withheld; /* bits 1 << enum tp_withheld; not 0: no answers */
    struct tp_str withheld_texts[TP_WITHHELD_REASONS];
    uint32_t withheld_count;
    uint32_t rank_count, collective_count; /* joined ranks, and the collectives that join them; 0: one trace */
    /* of joined ranks, the graph has all nodes, but these counts are those of the first rank */
    uint32_t node_count, edge_count;
    uint64_t reason_count[TP_EDGE_REASONS];
    struct tp_graph_counts counts;
    struct tp_what_if_latency *typicals;
    uint32_t typical_count;
    uint64_t wrong_nodes;
    int64_t kept_error_ns;
    double bare_error_percent, unexplained_percent, inferred_percent;
    struct tp_path_sums path;
    enum tp_path_group limit;
    double host_share;          /* percent of the window */
    struct tp_path_span *spans; /* the critical path from its end, in detail or at the resolution of a chart */
    size_t span_count;
    struct tp_path_row *rows;
    size_t row_count;
    struct tp_what_if_row *answers;
    uint32_t answer_count;
};

/* members of the JSON object what_if_view; the record is a struct tp_what_if_view */
extern const struct tp_fields tp_what_if_view_fields;

#endif
