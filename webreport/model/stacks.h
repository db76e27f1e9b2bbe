/* Call stacks as nodes (enclosing stack, frame): equal texts have equal nodes, text is made only on demand.
 *
 * The text of a stack lists its frames innermost first, joined by ";". Object addresses (" at 0x..") are removed (D15).
 */
#ifndef TP_WEBREPORT_MODEL_STACKS_H
#define TP_WEBREPORT_MODEL_STACKS_H

#include <stdint.h>

#include "webreport/trace/trace.h"
#include "writer/base/keys.h"
#include "writer/base/str.h"

struct tp_stacks {
    struct tp_strings frames;
    struct tp_keys nodes;       /* (enclosing node, frame id) */
    struct tp_vec lengths;      /* uint64_t per node: bytes of its text */
    uint32_t *frame_of_name;    /* by name id: frame + 1, 0 not asked yet, UINT32_MAX several frames */
    uint32_t *node_of_argument; /* by id in trace->stacks: node + 1, 0 not asked yet */
};

void tp_stacks_init(struct tp_stacks *stacks, const struct tp_trace *trace, struct tp_arena *arena);
/* Node of the frame(s) named by a Python event on top of `below` (TP_NO_ID: outermost). */
uint32_t tp_stacks_push(struct tp_stacks *stacks, const struct tp_trace *trace, uint32_t below, uint32_t name);
/* Node of a "Call stack" argument (id in trace->stacks). */
uint32_t tp_stacks_of_argument(struct tp_stacks *stacks, const struct tp_trace *trace, uint32_t id);

/* Bytes of the text of a node; 0 for TP_NO_ID. */
uint64_t tp_stack_length(const struct tp_stacks *stacks, uint32_t node);
/* Writes the first `size` bytes of the text (no NUL); returns the bytes written. */
size_t tp_stack_write(const struct tp_stacks *stacks, uint32_t node, char *out, size_t size);
/* Innermost frame of a node and the node that encloses it. */
struct tp_str tp_stack_frame(const struct tp_stacks *stacks, uint32_t node);
uint32_t tp_stack_below(const struct tp_stacks *stacks, uint32_t node);
/* Order of the texts: <0, 0, >0, without making them. */
int tp_stack_compare(const struct tp_stacks *stacks, uint32_t x, uint32_t y);

#endif
