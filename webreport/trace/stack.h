/* Represents call stacks as nodes of one trie. A node is a frame and the node of its caller, so equal stacks have equal
 * numbers.
 *
 * A "Call stack" argument lists frames innermost first, joined by ";". Only this module splits such texts; all other
 * modules walk nodes. ";" is not escaped. So a frame that contains ";" is kept whole only if the trace shows that it is
 * one frame: a Python call has the same name, or is in the same folder "a;b". Otherwise the frame is split. Empty
 * frames between two ";" are ignored.
 *
 * The nodes of arguments are made after the trace is read. Building the model adds the nodes of Python events, on one
 * thread. Then the trie is read-only. */
#ifndef TP_WEBREPORT_TRACE_STACK_H
#define TP_WEBREPORT_TRACE_STACK_H

#include "writer/base/keys.h"
#include "writer/base/str.h"

/* A stack: its innermost frame and the stack of the caller. */
struct tp_stack {
    uint32_t parent; /* node of the caller's stack; TP_NO_ID if the frame is the outermost */
    uint32_t frame;  /* innermost frame, id in frames */
};

struct tp_stacks {
    struct tp_strings frames; /* text of each frame, indexed by frame id */
    /* id of each frame without its object address, by frame id; TP_NO_ID: not yet computed; elements: uint32_t */
    struct tp_vec without_address;
    struct tp_keys nodes;           /* the nodes; a key is a struct tp_stack */
    const struct tp_strings *names; /* names of the trace */
    uint32_t *frame_by_name;        /* for each name id: 1 + frame id; 0 if not yet computed */
    uint32_t *node_by_text;         /* for each id of a "Call stack" text: node of its stack */
    uint32_t *plain_node_by_text;   /* for each id of a "Call stack" text: node of its stack without object addresses */
};

/* Adds a known frame that contains ";" to `known`, so that equal frames are not split. If a folder of its path contains
 * the ";", adds the path up to this folder, so that no frame in the folder is split. Ignores a name without ";". */
void tp_stacks_add_known_frame(struct tp_strings *known, struct tp_str name);

/* Fills *stacks with the stacks of `texts` ("Call stack" arguments, by id). Allocates from `arena`, whose guard must
 * be set. names: names of the trace, which must outlive *stacks. known: texts from tp_stacks_add_known_frame. */
void tp_stacks_build(struct tp_stacks *stacks, const struct tp_strings *texts, const struct tp_strings *names,
                     const struct tp_strings *known, struct tp_arena *arena);

/* Returns the node of a "Call stack" argument, with the frames as in the file. text: id of the argument. Returns
 * TP_NO_ID for TP_NO_ID. */
static inline uint32_t tp_stacks_node_of_text(const struct tp_stacks *stacks, uint32_t text)
{
    return text == TP_NO_ID ? TP_NO_ID : stacks->node_by_text[text];
}

/* Returns the node of a "Call stack" argument without object addresses, which differ from call to call. text: id of
 * the argument. Returns TP_NO_ID for TP_NO_ID. */
static inline uint32_t tp_stacks_without_addresses(const struct tp_stacks *stacks, uint32_t text)
{
    return text == TP_NO_ID ? TP_NO_ID : stacks->plain_node_by_text[text];
}

/* Returns the node for a call of the function `name` from the stack `parent`. name: name id; its object address is
 * ignored. parent: node; TP_NO_ID for an outermost call. */
uint32_t tp_stacks_add_call(struct tp_stacks *stacks, uint32_t parent, uint32_t name);

/* Returns the frame and the parent of a node, which must not be TP_NO_ID. */
static inline struct tp_stack tp_stack_at(const struct tp_stacks *stacks, uint32_t node)
{
    const uint32_t *key = tp_keys_get(&stacks->nodes, node);
    return (struct tp_stack){key[0], key[1]};
}

static inline struct tp_str tp_stack_frame_text(const struct tp_stacks *stacks, uint32_t frame)
{
    return tp_strings_get(&stacks->frames, frame);
}

/* Fills *frames with the frame ids of a stack, outermost first, at most `most` of them; elements: uint32_t. Drops
 * earlier contents. */
void tp_stack_frames(const struct tp_stacks *stacks, uint32_t node, size_t most, struct tp_vec *frames);

/* Returns true if the text of a stack is empty, as for TP_NO_ID. */
bool tp_stack_is_empty(const struct tp_stacks *stacks, uint32_t node);
/* Returns the length, bytes, of the text of a stack: its frames innermost first, joined by ";". Returns 0 for
 * TP_NO_ID. */
uint64_t tp_stack_length(const struct tp_stacks *stacks, uint32_t node);
/* Writes the first `size` bytes of the text of a stack, without a NUL. Returns the number of bytes written. */
size_t tp_stack_write(const struct tp_stacks *stacks, uint32_t node, char *out, size_t size);
/* Compares the texts of two stacks without building them. Returns <0, 0 or >0. */
int tp_stack_compare(const struct tp_stacks *stacks, uint32_t x, uint32_t y);

/* Returns true if a "Call stack" text has more than semicolons and blanks. */
static inline bool tp_stack_has_frames(struct tp_str stack)
{
    for (size_t i = 0; i < stack.len; i++)
        if (stack.ptr[i] != ';' && stack.ptr[i] != ' ')
            return true;
    return false;
}

#endif
