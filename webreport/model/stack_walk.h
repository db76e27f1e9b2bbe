/* Visits the stacks of the host events of a thread within given slices of time (docs/definitions.md, section 6).
 *
 * The stack at time t contains every host event of the thread with start <= t < end, in the order of the host tree. So
 * the stack also contains events that end after their parent. Stacks deeper than TP_STACK_LIMIT, which occur only in
 * broken traces, lose their inner events. A walk only reads the facts, so several walks can run simultaneously if each
 * has its own arena. */
#ifndef TP_WEBREPORT_MODEL_STACK_WALK_H
#define TP_WEBREPORT_MODEL_STACK_WALK_H

#include "webreport/model/facts.h"
#include "writer/base/id_map.h"

enum { TP_STACK_LIMIT = 1024 };

/* Kinds of stack entries and of folds, sorted by their texts. A stack entry never has the kind line, and a fold never
 * has the kind module. */
enum tp_stack_kind {
    TP_STACK_ANNOTATION,
    TP_STACK_FRAME,
    TP_STACK_LINE,
    TP_STACK_MODULE,
    TP_STACK_NONE, /* the empty stack */
    TP_STACK_OPERATOR,
    TP_STACK_RUNTIME,
    TP_STACK_KINDS
};

/* Returns "annotation", "frame", "line" .. Static text. */
const char *tp_stack_kind_text(enum tp_stack_kind kind);

/* The fold of a stack: one text that represents the whole stack. The fold is the first of these that exists: the
 * innermost project line, the innermost annotation except ProfilerStep, the outermost operator, the outermost runtime
 * call, the outermost frame, "[no host event]". */
struct tp_fold {
    uint32_t kind; /* kind of the text, enum tp_stack_kind */
    uint32_t text; /* line id in trace->frames for a line, otherwise label id */
};

struct tp_str tp_fold_text(const struct tp_model *model, struct tp_fold fold);

/* Compares two folds by (kind, text). Returns <0, 0 or >0. */
int tp_fold_compare(const struct tp_model *model, struct tp_fold x, struct tp_fold y);

/* Stacks as nodes of a trie. Node 0 is the empty stack, and a child has a larger number than its parent. */
struct tp_stack_tree {
    struct tp_id_map children;
    struct tp_vec nodes; /* all nodes, indexed by node number; elements: struct tp_stack_node */
};

struct tp_stack_node {
    uint32_t parent; /* node of the stack without its innermost entry; TP_NO_ID for node 0 */
    uint32_t label;  /* innermost entry of the stack, label id in trace->frames */
    uint32_t depth;
    uint32_t kind; /* kind of the innermost entry, enum tp_stack_kind */
};

void tp_stack_tree_init(struct tp_stack_tree *tree, struct tp_arena *arena);
/* Returns the child of the node `parent` with this kind and label, or adds it. */
uint32_t tp_stack_tree_child(struct tp_stack_tree *tree, uint32_t parent, enum tp_stack_kind kind, uint32_t label);

/* A slice of time to visit. Its tag is passed to all segments of the slice. */
struct tp_stack_slice {
    int64_t a, b;
    uint32_t tag;
};

/* A part of a slice during which the stack does not change. */
struct tp_stack_segment {
    int64_t a, b;
    uint32_t tag;
    uint32_t event; /* innermost event of the stack; TP_NO_ID if the stack is empty */
    uint32_t node;  /* node of the stack in the walk's `tree`; 0 if the walk has no tree */
    /* work: innermost call, operator or collective of the stack; loader: outermost range that loads data. Events;
     * TP_NO_ID: no such event. */
    uint32_t work, loader;
    uint32_t outermost; /* outermost operator of the stack, event; TP_NO_ID: no operator */
    uint64_t bits;      /* union of walk->bits_of_name over the operators of the stack */
    struct tp_fold fold;
};

typedef void (*tp_stack_visit)(void *context, const struct tp_stack_segment *segment);

struct tp_stack_walk {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_stack_tree *tree;   /* trie that receives the visited stacks; NULL: no trie is built */
    const uint64_t *bits_of_name; /* bits of the caller for each name id; NULL: none */
    tp_stack_visit visit;
    void *context;
    /* memory that the visits of all threads of the walk share; NULL before the first thread */
    struct tp_stack_scratch *scratch;
};

/* Visits the segments of slices on one thread in order of time. slices: sorted and disjoint. thread: TP_NO_ID for
 * empty stacks. */
void tp_stack_walk(struct tp_stack_walk *walk, uint32_t thread, const struct tp_stack_slice *slices, size_t count);

/* Visits the idle slices first .. end - 1 of a device, each on its thread (tp_idle_thread), thread by thread. The
 * tag of a segment is the index of its slice in gpu->idle. */
void tp_stack_walk_idle(struct tp_stack_walk *walk, const struct tp_gpu *gpu, uint32_t first, uint32_t end);

/* Visits only the chosen idle slices of a device; otherwise the same as tp_stack_walk_idle. chosen: ascending indexes
 * in gpu->idle. */
void tp_stack_walk_chosen_slices(struct tp_stack_walk *walk, const struct tp_gpu *gpu, const uint32_t *chosen,
                                 uint32_t count);

/* Returns the thread whose stack explains an idle slice: the thread that launched the operation after the gap,
 * otherwise the main thread of the device. Returns TP_NO_ID if no operation of the device has a launch. */
static inline uint32_t tp_idle_thread(const struct tp_model *model, const struct tp_gpu *gpu,
                                      const struct tp_idle_slice *piece)
{
    const struct tp_event *launch = piece->next == TP_NO_ID ? NULL : tp_launch_of_device(model, piece->next);
    return launch ? launch->thread : gpu->main_thread;
}

#endif
