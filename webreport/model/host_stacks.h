/* What a thread was doing at a time: the stack of its host events, for given pieces of time (D5).
 *
 * The stack at time t holds every host event of the thread with start <= t < end, in key order: no tree is needed, so
 * events that stick out of their parent count as well. Stacks deeper than TP_HOST_STACK_LIMIT are cut there (inner
 * events are missed). */
#ifndef TP_WEBREPORT_MODEL_HOST_STACKS_H
#define TP_WEBREPORT_MODEL_HOST_STACKS_H

#include "webreport/model/host_model.h"
#include "writer/base/id_map.h"

struct tp_host_stack_scratch;

enum { TP_HOST_STACK_LIMIT = 1024 };

/* What a stack is folded to, in the order of the texts. */
enum tp_host_fold_kind {
    TP_HOST_FOLD_ANNOTATION,
    TP_HOST_FOLD_LINE,
    TP_HOST_FOLD_NONE,
    TP_HOST_FOLD_OPERATOR,
    TP_HOST_FOLD_PYTHON,
    TP_HOST_FOLD_RUNTIME,
};

/* One text that stands for a stack: its innermost project line, else innermost annotation, else outermost operator,
 * runtime call or Python frame. `text` is a line id for lines, a frame id otherwise. */
struct tp_host_fold {
    uint32_t kind, text;
};

const char *tp_host_fold_kind_text(enum tp_host_fold_kind kind);
struct tp_str tp_host_fold_text(const struct tp_host *host, struct tp_host_fold fold);

/* Paths of frames: node 0 is the empty stack, a node's key is (parent, kind, frame). */
struct tp_host_stack_tree {
    struct tp_id_map children;
    struct tp_vec nodes; /* struct tp_host_stack_node */
};

struct tp_host_stack_node {
    uint32_t parent, frame, depth;
    uint8_t kind; /* enum tp_frame_kind */
};

void tp_host_stack_tree_init(struct tp_host_stack_tree *tree, struct tp_arena *arena);
uint32_t tp_host_stack_tree_child(struct tp_host_stack_tree *tree, uint32_t parent, enum tp_frame_kind kind,
                                  uint32_t frame);

/* A piece of time to look at; tag comes back with its segments. */
struct tp_host_stack_piece {
    int64_t a, b;
    uint32_t tag;
};

/* A time within a piece during which the stack did not change. */
struct tp_host_stack_segment {
    int64_t a, b;
    uint32_t tag;
    uint32_t event; /* innermost, TP_NO_ID when the stack is empty */
    uint32_t node;  /* of the tree, when one was given */
    struct tp_host_fold fold;
};

typedef void (*tp_host_stack_visit)(void *context, const struct tp_host_stack_segment *segment);

struct tp_host_stack_walk {
    struct tp_host *host;
    struct tp_host_stack_tree *tree; /* may be NULL */
    tp_host_stack_visit visit;
    void *context;
    struct tp_host_stack_scratch *scratch; /* NULL at first; kept from one thread to the next */
};

/* Visits the segments of sorted, disjoint pieces on one thread (TP_NO_ID: every stack is empty). */
void tp_host_stack_walk(struct tp_host_stack_walk *walk, uint32_t thread, const struct tp_host_stack_piece *pieces,
                        size_t piece_count);

#endif
