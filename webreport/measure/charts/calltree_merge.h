/* The merged tree before pruning, for the call tree view only: nodes found by (parent, label), filled by walks over the
 * trace. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_MERGE_H
#define TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_MERGE_H

#include "webreport/measure/charts/calltree.h"
#include "webreport/measure/program/program_view.h"
#include "writer/base/keys.h"

#define TP_MERGE_STEP "profiled step" /* the node of the marked steps, whatever the program is for */

/* What stands in a node: a name of the trace or a text of ours, with its kind. */
struct tp_label {
    struct tp_str text;
    struct tp_str frame; /* of a Python frame, as the trace has it; else empty */
    uint8_t kind;        /* enum tp_call_kind */
    bool is_module;
};

struct tp_merge_node {
    uint32_t parent, label, depth;
    uint32_t first_child, next_sibling; /* in order of first appearance */
    uint32_t recent_child;              /* the child met last */
    uint32_t after;                     /* the sibling met after this one last time: a good guess for the next time */
    int64_t host_ns, device_ns, bytes;  /* of the node itself; tp_merge_total adds what is below */
    int64_t child_host_ns;
    uint64_t call_count;
};

struct tp_merge {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_vec labels;          /* struct tp_label */
    struct tp_strings modules;     /* classes of modules */
    struct tp_vec label_of_module; /* uint32_t by id in modules */
    uint32_t *label_of_frame; /* by frame of the trace's stacks (of samples: by function): label + 1; 0: not asked */
    uint32_t *label_of_name;  /* by name id * 2 + is_device: label + 1; 0: not asked yet */
    struct tp_vec nodes;      /* struct tp_merge_node */
    struct tp_keys edges;     /* (parent, label): tuple i is node i + 1 */
    bool is_cut;
};

enum { TP_MERGE_SKIPPED = UINT32_MAX - 1 }; /* label of frames that say nothing: they take their caller's place */

/* A tree of a root only. */
void tp_merge_init(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena);

/* A new label; text must outlive the tree. */
uint32_t tp_merge_label(struct tp_merge *merge, struct tp_str text, enum tp_call_kind kind);

/* The child of `parent` with that label, made when there is none; `parent` itself when the tree is full. */
uint32_t tp_merge_child(struct tp_merge *merge, uint32_t parent, uint32_t label);

/* Adds a sample to the node that it ends in and to those above it. */
void tp_merge_sample(struct tp_merge *merge, uint32_t node, int64_t cpu_ns);

/* Makes an initialised merge of the samples of threads (calltree_samples.c). */
void tp_merge_samples(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena);

/* Makes a merge of the samples of a program, on an initialised one (calltree_program.c). node_of_sample: by sample of
 * the trace, the node it ends in; NULL: not wanted. */
void tp_merge_program(struct tp_merge *merge, const struct tp_program_view *view, uint32_t *node_of_sample,
                      struct tp_arena *arena);

/* Walks hosts, memory records and devices of the model. */
void tp_merge_build(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena);

/* Adds to each node what is below it; the root gets its children's sum. */
void tp_merge_total(struct tp_merge *merge);

static inline struct tp_merge_node *tp_merge_node(const struct tp_merge *merge, uint32_t node)
{
    return TP_AT(&merge->nodes, struct tp_merge_node, node);
}

#endif
