/* Visits the stacks of host events of a thread within given slices of time (section 6). The stack at time t contains
 * every host event of the thread with start <= t < end, in the order of the tree. So events that end after their parent
 * count as well. Stacks deeper than TP_STACK_LIMIT lose their inner events; only broken traces have such stacks. A walk
 * only reads the facts, so several walks can run at the same time, each with a separate arena. */
#ifndef TP_WEBREPORT_MODEL_STACK_WALK_H
#define TP_WEBREPORT_MODEL_STACK_WALK_H

#include "webreport/model/facts.h"
#include "writer/base/id_map.h"

enum { TP_STACK_LIMIT = 1024 };

/* Kinds of stack entries and of folds, in the order of their texts. A stack entry is never a line, and a fold is never
 * a module. */
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

/* Fold of a stack: one text that represents the stack. It is the first of these that exists: the innermost project
 * line, the innermost annotation except ProfilerStep, the outermost operator, runtime call or frame, "[no host event]".
 */
struct tp_fold {
    uint32_t kind; /* enum tp_stack_kind */
    uint32_t text; /* in trace->frames: line id for a line, otherwise label id */
};

struct tp_str tp_fold_text(const struct tp_model *model, struct tp_fold fold);

/* Compares two folds by (kind, text). Returns <0, 0 or >0. */
int tp_fold_compare(const struct tp_model *model, struct tp_fold x, struct tp_fold y);

/* Stacks as nodes of a trie; node 0 is the empty stack. A child has a larger number than its parent. */
struct tp_stack_tree {
    struct tp_id_map children;
    struct tp_vec nodes; /* nodes as struct tp_stack_node */
};

struct tp_stack_node {
    uint32_t parent; /* parent node; TP_NO_ID for node 0 */
    uint32_t label;  /* label id in trace->frames */
    uint32_t depth;
    uint32_t kind; /* enum tp_stack_kind */
};

void tp_stack_tree_init(struct tp_stack_tree *tree, struct tp_arena *arena);
/* Returns the child of `parent` with this kind and label. Adds a new child. */
uint32_t tp_stack_tree_child(struct tp_stack_tree *tree, uint32_t parent, enum tp_stack_kind kind, uint32_t label);

/* A slice of time to visit. All its segments get its tag. */
struct tp_stack_slice {
    int64_t a, b;
    uint32_t tag;
};

/* A part of a slice during which the stack does not change. */
struct tp_stack_segment {
    int64_t a, b;
    uint32_t tag;
    uint32_t event; /* innermost event, or TP_NO_ID if the stack is empty */
    uint32_t node;  /* node of the stack in `tree`, if the walk has a tree */
    struct tp_fold fold;
};

typedef void (*tp_stack_visit)(void *context, const struct tp_stack_segment *segment);

struct tp_stack_walk {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_stack_tree *tree; /* receives the visited stacks; may be NULL */
    tp_stack_visit visit;
    void *context;
    /* memory that is reused for further threads; NULL before the first walk */
    struct tp_stack_scratch *scratch;
};

/* Visits the segments of `count` sorted, disjoint slices on one thread, in order of time. If thread is TP_NO_ID, all
 * stacks are empty. */
void tp_stack_walk(struct tp_stack_walk *walk, uint32_t thread, const struct tp_stack_slice *slices, size_t count);

/* Visits the idle slices first .. end - 1 of a device on their threads (tp_idle_thread), thread by thread. The tag of a
 * segment is the index of its slice in gpu->idle. */
void tp_stack_walk_idle(struct tp_stack_walk *walk, const struct tp_gpu *gpu, uint32_t first, uint32_t end);

/* Visits chosen idle slices like tp_stack_walk_idle. chosen: ascending indexes in gpu->idle. */
void tp_stack_walk_chosen(struct tp_stack_walk *walk, const struct tp_gpu *gpu, const uint32_t *chosen, uint32_t count);

/* Returns the thread of an idle slice: the thread that launched the operation at the end of the gap, otherwise the main
 * thread of the device. Returns TP_NO_ID if no operation of the device has a launch. */
static inline uint32_t tp_idle_thread(const struct tp_model *model, const struct tp_gpu *gpu,
                                      const struct tp_idle_slice *piece)
{
    const struct tp_event *launch = piece->next == TP_NO_ID ? NULL : tp_launch_of_device(model, piece->next);
    return launch ? launch->thread : gpu->main_thread;
}

#endif
