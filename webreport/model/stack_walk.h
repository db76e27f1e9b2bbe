/* Visits the stacks of host events of a thread within given pieces of time (section 6).
 * The stack at time t holds every host event of the thread with start <= t < end, in the order of the tree, so events
 * that end after their parent count as well. Stacks deeper than TP_STACK_LIMIT lose their inner events; only broken
 * traces have such stacks. A walk only reads the facts, so several can run at the same time, each with an arena of its
 * own. */
#ifndef TP_WEBREPORT_MODEL_STACK_WALK_H
#define TP_WEBREPORT_MODEL_STACK_WALK_H

#include "webreport/model/facts.h"
#include "writer/base/id_map.h"

enum { TP_STACK_LIMIT = 1024 };

/* Kinds of entries of a stack (all but line) and of folds (all but module), in the order of their texts. */
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

/* Returns "annotation", "frame", "line" .. Static. */
const char *tp_stack_kind_text(enum tp_stack_kind kind);

/* Fold of a stack, one text that represents it: the innermost project line; else the innermost annotation except
 * ProfilerStep; else the outermost operator, runtime call or frame; else "[no host event]". */
struct tp_fold {
    uint32_t kind; /* enum tp_stack_kind */
    uint32_t text; /* line id of a line, else label id, in trace->frames */
};

struct tp_str tp_fold_text(const struct tp_model *model, struct tp_fold fold);

/* Compares folds by (kind, text): <0, 0, >0. */
int tp_fold_compare(const struct tp_model *model, struct tp_fold x, struct tp_fold y);

/* Stacks as nodes of a trie; node 0 is the empty stack. A child has a larger number than its parent. */
struct tp_stack_tree {
    struct tp_id_map children;
    struct tp_vec nodes; /* struct tp_stack_node */
};

struct tp_stack_node {
    uint32_t parent; /* TP_NO_ID of node 0 */
    uint32_t label;  /* label id in trace->frames */
    uint32_t depth;
    uint32_t kind; /* enum tp_stack_kind */
};

void tp_stack_tree_init(struct tp_stack_tree *tree, struct tp_arena *arena);
/* Returns the child with that kind and label; adds it if it is new. */
uint32_t tp_stack_tree_child(struct tp_stack_tree *tree, uint32_t parent, enum tp_stack_kind kind, uint32_t label);

/* A piece of time to visit; its segments have the same tag. */
struct tp_stack_piece {
    int64_t a, b;
    uint32_t tag;
};

/* A part of a piece with an unchanged stack. */
struct tp_stack_segment {
    int64_t a, b;
    uint32_t tag;
    uint32_t event; /* innermost event, or TP_NO_ID if the stack is empty */
    uint32_t node;  /* node of the tree, if the walk has one */
    struct tp_fold fold;
};

typedef void (*tp_stack_visit)(void *context, const struct tp_stack_segment *segment);

struct tp_stack_walk {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_stack_tree *tree; /* may be NULL */
    tp_stack_visit visit;
    void *context;
    struct tp_stack_scratch *scratch; /* NULL before the first walk; reused for further threads */
};

/* Visits the segments of `count` sorted, disjoint pieces on one thread, in order of time. thread TP_NO_ID: all stacks
 * are empty. */
void tp_stack_walk(struct tp_stack_walk *walk, uint32_t thread, const struct tp_stack_piece *pieces, size_t count);

/* Visits the idle pieces first .. end - 1 of a device on their threads (tp_idle_thread), thread by thread. The tag of a
 * segment is the index of its piece in gpu->idle. */
void tp_stack_walk_idle(struct tp_stack_walk *walk, const struct tp_gpu *gpu, uint32_t first, uint32_t end);

/* Visits chosen idle pieces in the same way. chosen: ascending indexes in gpu->idle. */
void tp_stack_walk_chosen(struct tp_stack_walk *walk, const struct tp_gpu *gpu, const uint32_t *chosen, uint32_t count);

/* Returns the thread of an idle piece: that of the launch of the operation that ends the gap, else the main thread of
 * the device, or TP_NO_ID if no operation of the device has a launch. */
static inline uint32_t tp_idle_thread(const struct tp_model *model, const struct tp_gpu *gpu,
                                      const struct tp_idle_piece *piece)
{
    const struct tp_event *launch = piece->next == TP_NO_ID ? NULL : tp_launch_of_device(model, piece->next);
    return launch ? launch->thread : gpu->main_thread;
}

#endif
