/* Represents call stacks as nodes of one trie. A node is a frame and the node of its caller, so equal stacks have equal
 * numbers.
 *
 * A "Call stack" argument lists frames innermost first, joined by ";". Only this module splits such texts; all other
 * modules walk nodes. ";" is not escaped. So a frame that contains ";" is kept whole only if the trace shows that it is
 * one frame: a Python call has the same name, or is in the same folder "a;b". Otherwise the frame is split. Empty
 * frames between two ";" do not count.
 *
 * The nodes of arguments are made after the trace is read. Building the model adds the nodes of Python events, on one
 * thread. Then the trie is read-only. */
#ifndef TP_WEBREPORT_TRACE_STACK_H
#define TP_WEBREPORT_TRACE_STACK_H

#include "writer/base/keys.h"
#include "writer/base/str.h"

/* A stack, as its innermost frame and the stack of the caller. */
struct tp_stack {
    uint32_t parent; /* node of the caller's stack; TP_NO_ID for the outermost frame */
    uint32_t frame;  /* id in frames */
};

struct tp_stacks {
    struct tp_strings frames; /* texts of frames by frame id */
    /* by frame id, as uint32_t: the id of the frame without its object address (tp_frame_without_address) */
    struct tp_vec without_address;
    struct tp_keys nodes;           /* nodes as struct tp_stack */
    const struct tp_strings *names; /* names of the trace */
    uint32_t *frame_of_name;        /* by name id: 1 + frame id; 0 if not yet known */
    uint32_t *node_of_text;         /* by id of an argument's text: node of its stack */
    uint32_t *plain_node_of_text;   /* by id of an argument's text: node of its stack without object addresses */
};

/* Adds to `known` the part of a call's name that shows how frames with ";" are kept whole: the folder with the ";",
 * otherwise the whole name. */
void tp_stacks_add_known_frame(struct tp_strings *known, struct tp_str name);

/* Fills *stacks with the stacks of `texts` ("Call stack" arguments, by id). Allocates from `arena`, whose guard must be
 * set. names: names of the trace, which must outlive *stacks. known: filled by tp_stacks_add_known_frame. */
void tp_stacks_build(struct tp_stacks *stacks, const struct tp_strings *texts, const struct tp_strings *names,
                     const struct tp_strings *known, struct tp_arena *arena);

/* Returns the node of an argument, with frames as in the file. text: id of the argument; TP_NO_ID gives TP_NO_ID. */
static inline uint32_t tp_stacks_of_text(const struct tp_stacks *stacks, uint32_t text)
{
    return text == TP_NO_ID ? TP_NO_ID : stacks->node_of_text[text];
}

/* Returns the node of an argument without object addresses, which differ from call to call. text: id of the argument;
 * TP_NO_ID gives TP_NO_ID. */
static inline uint32_t tp_stacks_without_addresses(const struct tp_stacks *stacks, uint32_t text)
{
    return text == TP_NO_ID ? TP_NO_ID : stacks->plain_node_of_text[text];
}

/* Returns the node for a call of `name` (name id, used without its address) from stack `parent` (TP_NO_ID: outermost
 * call). */
uint32_t tp_stacks_call(struct tp_stacks *stacks, uint32_t parent, uint32_t name);

/* Returns the frame and parent of a node. node must not be TP_NO_ID. */
static inline struct tp_stack tp_stack_at(const struct tp_stacks *stacks, uint32_t node)
{
    const uint32_t *key = tp_keys_get(&stacks->nodes, node);
    return (struct tp_stack){key[0], key[1]};
}

static inline struct tp_str tp_stack_frame_text(const struct tp_stacks *stacks, uint32_t frame)
{
    return tp_strings_get(&stacks->frames, frame);
}

/* Fills *frames (uint32_t, emptied first) with the frame ids of a stack, outermost first, at most `most` of them. */
void tp_stack_frames(const struct tp_stacks *stacks, uint32_t node, size_t most, struct tp_vec *frames);

/* Returns true if the text of a stack is empty. TP_NO_ID is an empty stack. */
bool tp_stack_is_empty(const struct tp_stacks *stacks, uint32_t node);
/* Returns the length in bytes of the text of a stack: its frames innermost first, joined by ";". 0 for TP_NO_ID. */
uint64_t tp_stack_length(const struct tp_stacks *stacks, uint32_t node);
/* Writes the first `size` bytes of the text of a stack, without a NUL. Returns the number of bytes written. */
size_t tp_stack_write(const struct tp_stacks *stacks, uint32_t node, char *out, size_t size);
/* Compares the texts of two stacks without building them. Returns <0, 0 or >0. */
int tp_stack_compare(const struct tp_stacks *stacks, uint32_t x, uint32_t y);

/* Returns whether a "Call stack" has anything except semicolons and blanks. */
static inline bool tp_stack_has_frames(struct tp_str stack)
{
    for (size_t i = 0; i < stack.len; i++)
        if (stack.ptr[i] != ';' && stack.ptr[i] != ' ')
            return true;
    return false;
}

#endif
