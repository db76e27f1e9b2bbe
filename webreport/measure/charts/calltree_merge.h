/* The merged tree before pruning, only for the call tree view: nodes found by (parent, label), filled by walks over the
 * trace. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_MERGE_H
#define TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_MERGE_H

#include "webreport/measure/charts/calltree.h"
#include "webreport/measure/program/program_view.h"
#include "writer/base/keys.h"

#define TP_MERGE_STEP                                                                                                  \
    "profiled step" /* label of the node that contains the marked steps, for all kinds of programs                     \
                     */

/* The text of a node, a name in the trace or a fixed text, with its kind. */
struct tp_label {
    struct tp_str text;
    struct tp_str frame; /* for a Python frame: the text of the trace; else empty */
    uint8_t kind;        /* enum tp_call_kind */
    bool is_module;
};

struct tp_merge_node {
    uint32_t parent, label, depth;
    uint32_t first_child, next_sibling; /* in order of first appearance */
    uint32_t recent_child;              /* the last visited child */
    /* sibling that was visited after this node the last time, and probably will be again */
    uint32_t after;
    int64_t host_ns, device_ns, bytes; /* values of the node itself; tp_merge_total adds the nodes below */
    int64_t child_host_ns;
    uint64_t call_count;
};

struct tp_merge {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_vec labels;          /* struct tp_label */
    struct tp_strings modules;     /* names of the classes of modules */
    struct tp_vec label_of_module; /* uint32_t label by id in `modules` */
    uint32_t *label_of_frame;      /* by frame of the trace's stacks (for samples: by function): label + 1; 0: not yet
                                    * known */
    uint32_t *label_of_name;       /* by name id * 2 + is_device: label + 1; 0: not yet known */
    struct tp_vec nodes;           /* struct tp_merge_node */
    struct tp_keys edges;          /* pairs (parent, label); key i is the edge to node i + 1 */
    bool is_cut;
};

/* label of uninformative frames: they have no node, and their callees become children of their caller */
enum { TP_MERGE_SKIPPED = UINT32_MAX - 1 };

/* Makes a tree with only a root. */
void tp_merge_init(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena);

/* Makes a new label; text must outlive the tree. */
uint32_t tp_merge_label(struct tp_merge *merge, struct tp_str text, enum tp_call_kind kind);

/* Returns the child of `parent` with the label `label`. Adds the child if it does not exist; returns `parent` if the
 * tree is full. */
uint32_t tp_merge_child(struct tp_merge *merge, uint32_t parent, uint32_t label);

/* Adds a sample to the node of its innermost function and to all nodes above. */
void tp_merge_sample(struct tp_merge *merge, uint32_t node, int64_t cpu_ns);

/* Merges the samples of threads; initializes the merge (calltree_samples.c). */
void tp_merge_samples(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena);

/* Merges the samples of a program into an initialized merge (calltree_program.c). If node_of_sample is not NULL, fills
 * it with the node of the innermost function of each sample of the trace. */
void tp_merge_program(struct tp_merge *merge, const struct tp_program_view *view, uint32_t *node_of_sample,
                      struct tp_arena *arena);

/* Merges hosts, memory records and devices of the model; initializes the merge. */
void tp_merge_build(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena);

/* Adds the values of the nodes below to each node. The root gets the sum of its children. */
void tp_merge_total(struct tp_merge *merge);

static inline struct tp_merge_node *tp_merge_node(const struct tp_merge *merge, uint32_t node)
{
    return TP_AT(&merge->nodes, struct tp_merge_node, node);
}

#endif
