/* What a thread was doing at a time: the stack of its host events, for given pieces of time (section 6).
 *
 * The stack at time t holds every host event of the thread with start <= t < end, in the order of the tree, so events
 * that stick out of their parent count as well. Stacks deeper than TP_STACK_LIMIT are cut there (inner events are
 * missed): only broken traces have such. A walk reads the facts alone; several may go on at once, each with an arena
 * of its own. */
#ifndef TP_WEBREPORT_MODEL_STACK_WALK_H
#define TP_WEBREPORT_MODEL_STACK_WALK_H

#include "webreport/model/facts.h"
#include "writer/base/id_map.h"

enum { TP_STACK_LIMIT = 1024 };

/* What stands on a stack (all but line), and what a stack is folded to (all but module); in the order of the texts. */
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

/* "annotation", "frame", "line" .. Static. */
const char *tp_stack_kind_text(enum tp_stack_kind kind);

/* The one text that stands for a stack: its innermost project line; else its innermost annotation but ProfilerStep;
 * else its outermost operator, runtime call or frame; else "[no host event]". */
struct tp_fold {
    uint32_t kind; /* enum tp_stack_kind */
    uint32_t text; /* line id of a line, else label id, in trace->frames */
};

struct tp_str tp_fold_text(const struct tp_model *model, struct tp_fold fold);

/* Order by (kind, text): <0, 0, >0. */
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
/* The child of that kind and label, made when new. */
uint32_t tp_stack_tree_child(struct tp_stack_tree *tree, uint32_t parent, enum tp_stack_kind kind, uint32_t label);

/* A piece of time to look at; tag comes back with its segments. */
struct tp_stack_piece {
    int64_t a, b;
    uint32_t tag;
};

/* A time within a piece during which the stack did not change. */
struct tp_stack_segment {
    int64_t a, b;
    uint32_t tag;
    uint32_t event; /* innermost, TP_NO_ID when the stack is empty */
    uint32_t node;  /* of the tree, when one was given */
    struct tp_fold fold;
};

typedef void (*tp_stack_visit)(void *context, const struct tp_stack_segment *segment);

struct tp_stack_walk {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_stack_tree *tree; /* may be NULL */
    tp_stack_visit visit;
    void *context;
    struct tp_stack_scratch *scratch; /* NULL at first; kept from one thread to the next */
};

/* Visits the segments of `count` sorted, disjoint pieces on one thread, in order of time (TP_NO_ID: every stack is
 * empty). */
void tp_stack_walk(struct tp_stack_walk *walk, uint32_t thread, const struct tp_stack_piece *pieces, size_t count);

/* Visits idle pieces first .. end - 1 of a device on the threads they are charged to, thread by thread; the tag of a
 * segment is the index of its piece in gpu->idle. */
void tp_stack_walk_idle(struct tp_stack_walk *walk, const struct tp_gpu *gpu, uint32_t first, uint32_t end);

/* The same of chosen pieces: indexes in gpu->idle, ascending. */
void tp_stack_walk_chosen(struct tp_stack_walk *walk, const struct tp_gpu *gpu, const uint32_t *chosen, uint32_t count);

/* The thread that an idle piece is charged to: that of the launch of the operation that ends the gap, else the main
 * thread of the device; TP_NO_ID when none of its operations is linked. */
static inline uint32_t tp_idle_thread(const struct tp_model *model, const struct tp_gpu *gpu,
                                      const struct tp_idle_piece *piece)
{
    const struct tp_event *launch = piece->next == TP_NO_ID ? NULL : tp_launch_of_device(model, piece->next);
    return launch ? launch->thread : gpu->main_thread;
}

#endif
