/* Defines the nodes of the call tree before pruning, which are found by (parent, label). Private to the call tree
 * view. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_NODES_H
#define TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_NODES_H

#include "webreport/measure/charts/calltree.h"
#include "writer/base/keys.h"

/* The label of a node: a name from the trace or a fixed text, and the kind of node. */
struct tp_label {
    struct tp_str text;
    struct tp_str frame; /* for a Python frame: unshortened text of the frame in the trace; otherwise empty */
    uint8_t kind;        /* enum tp_call_kind */
    bool is_module;
};

struct tp_merge_node {
    uint32_t parent, label, depth;
    uint32_t first_child, next_sibling; /* the children of a node form a list with the newest child first */
    uint32_t recent_child;              /* child that was visited last; TP_NO_ID before the first visit */
    /* sibling that was visited after this node at the previous visit; TP_NO_ID if unknown */
    uint32_t after;
    int64_t host_ns, device_ns,
        bytes; /* values of the node alone; tp_merge_sum_subtrees adds the values of the nodes below; times in ns */
    int64_t child_host_ns;
    uint64_t call_count;
};

struct tp_merge {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_vec labels;          /* labels of the nodes; elements: struct tp_label */
    struct tp_strings modules;     /* names of classes of modules */
    struct tp_vec label_by_module; /* for each id in `modules`: label; elements: uint32_t */
    /* for each frame of the trace's stacks (in a trace of samples: for each function): label + 1; 0: no label yet */
    uint32_t *label_of_frame;
    uint32_t *label_of_name; /* indexed by name id * 2 + is_device: label + 1; 0: no label yet */
    struct tp_vec nodes;     /* all nodes, node 0 is the root; elements: struct tp_merge_node */
    struct tp_keys edges;    /* keys (parent, label); key i is the edge to node i + 1 */
    bool is_cut;
};

/* label of a frame that only forwards calls: the frame gets no node, and its callees become children of its caller */
enum { TP_MERGE_SKIPPED = UINT32_MAX - 1 };

enum { TP_MERGE_MAX_DEPTH = 200 }; /* limit of the depth of a node; deeper calls are added to their callers */

/* Makes a tree that contains only the root. */
void tp_merge_init(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena);

/* Makes a new label and returns its index. `text` must outlive the tree. */
uint32_t tp_merge_add_label(struct tp_merge *merge, struct tp_str text, enum tp_call_kind kind);

/* Makes the label of a frame; TP_MERGE_SKIPPED if the frame only forwards calls. `frame` must outlive the tree. */
uint32_t tp_merge_add_frame_label(struct tp_merge *merge, struct tp_str frame);

/* Returns the label of a module. All modules of one class share a label. `name` must outlive the tree. */
uint32_t tp_merge_module_label(struct tp_merge *merge, struct tp_str name);

/* Returns the child of `parent` with the given label, and adds it if it does not exist. Returns `parent` if the tree is
 * full. */
uint32_t tp_merge_find_or_add_child(struct tp_merge *merge, uint32_t parent, uint32_t label);

/* Adds a sample of cpu_ns processor time to the node of its innermost function and to all ancestors of this node. */
void tp_merge_add_sample(struct tp_merge *merge, uint32_t node, int64_t cpu_ns);

/* Adds the values of each node to its ancestors. The root gets the sum of all nodes. */
void tp_merge_sum_subtrees(struct tp_merge *merge);

static inline struct tp_merge_node *tp_merge_node(const struct tp_merge *merge, uint32_t node)
{
    return TP_AT(&merge->nodes, struct tp_merge_node, node);
}

#endif
