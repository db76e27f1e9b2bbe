/* Call stacks as a tree of frames: see stacks.h.
 *
 * A frame that contains ";" is stored as several nodes, innermost last, so that two stacks have the same text exactly
 * when they are the same node. */
#include "webreport/model/stacks.h"

enum { ABOVE, FRAME }; /* numbers of a node tuple: enclosing node, frame */

void tp_stacks_init(struct tp_stacks *stacks, const struct tp_trace *trace, struct tp_arena *arena)
{
    memset(stacks, 0, sizeof *stacks);
    tp_strings_init(&stacks->frames, arena, 0);
    tp_keys_init(&stacks->nodes, arena, 2);
    stacks->lengths = TP_VEC(arena, uint64_t);
    stacks->frame_of_name = tp_arena_array(arena, trace->names.count, sizeof *stacks->frame_of_name);
    stacks->node_of_argument = tp_arena_array(arena, trace->stacks.count, sizeof *stacks->node_of_argument);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The frame without object addresses (" at 0x7f12.."), which differ from call to call. */
static struct tp_str clean_frame(struct tp_arena *arena, struct tp_str frame)
{
    if (tp_str_find(frame, " at 0x") < 0)
        return frame;
    char *out = tp_arena_alloc(arena, frame.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < frame.len;) {
        if (frame.len - i > 6 && memcmp(frame.ptr + i, " at 0x", 6) == 0 && is_hex(frame.ptr[i + 6])) {
            for (i += 6; i < frame.len && is_hex(frame.ptr[i]);)
                i++;
        } else {
            out[n++] = frame.ptr[i++];
        }
    }
    return (struct tp_str){out, n};
}

static uint32_t push_frame(struct tp_stacks *stacks, uint32_t below, uint32_t frame)
{
    uint32_t node = tp_keys_pair(&stacks->nodes, below, frame);
    if (node == stacks->lengths.count) {
        uint64_t enclosing = below == TP_NO_ID ? 0 : 1 + tp_stack_length(stacks, below);
        *(uint64_t *)tp_vec_push(&stacks->lengths) = enclosing + stacks->frames.items[frame].len;
    }
    return node;
}

/* Pushes the parts of a text between ";", the last one outermost. */
static uint32_t push_text(struct tp_stacks *stacks, uint32_t below, struct tp_str text, bool keeps_empty)
{
    struct tp_arena *arena = stacks->frames.arena;
    for (size_t end = text.len;;) {
        size_t start = end;
        while (start > 0 && text.ptr[start - 1] != ';')
            start--;
        struct tp_str part = {text.ptr + start, end - start};
        if (part.len || keeps_empty)
            below = push_frame(stacks, below, tp_strings_add(&stacks->frames, clean_frame(arena, part)));
        if (start == 0)
            return below;
        end = start - 1;
    }
}

uint32_t tp_stacks_push(struct tp_stacks *stacks, const struct tp_trace *trace, uint32_t below, uint32_t name)
{
    enum { SEVERAL = UINT32_MAX };
    uint32_t *frame = &stacks->frame_of_name[name];
    if (!*frame) {
        struct tp_str text = trace->names.items[name];
        bool is_one = !text.len || !memchr(text.ptr, ';', text.len);
        *frame = is_one ? 1 + tp_strings_add(&stacks->frames, clean_frame(stacks->frames.arena, text)) : SEVERAL;
    }
    if (*frame == SEVERAL)
        return push_text(stacks, below, trace->names.items[name], true);
    return push_frame(stacks, below, *frame - 1);
}

uint32_t tp_stacks_of_argument(struct tp_stacks *stacks, const struct tp_trace *trace, uint32_t id)
{
    uint32_t *node = &stacks->node_of_argument[id];
    if (!*node)
        *node = 1 + push_text(stacks, TP_NO_ID, trace->stacks.items[id], false); /* TP_NO_ID becomes 0: asked again */
    return *node - 1;
}

uint64_t tp_stack_length(const struct tp_stacks *stacks, uint32_t node)
{
    return node == TP_NO_ID ? 0 : *TP_AT(&stacks->lengths, uint64_t, node);
}

struct tp_str tp_stack_frame(const struct tp_stacks *stacks, uint32_t node)
{
    return stacks->frames.items[tp_keys_get(&stacks->nodes, node)[FRAME]];
}

uint32_t tp_stack_below(const struct tp_stacks *stacks, uint32_t node)
{
    return tp_keys_get(&stacks->nodes, node)[ABOVE];
}

size_t tp_stack_write(const struct tp_stacks *stacks, uint32_t node, char *out, size_t size)
{
    size_t n = 0;
    while (node != TP_NO_ID && n < size) {
        struct tp_str frame = tp_stack_frame(stacks, node);
        size_t part = frame.len < size - n ? frame.len : size - n;
        if (part)
            memcpy(out + n, frame.ptr, part);
        n += part;
        node = tp_stack_below(stacks, node);
        if (node != TP_NO_ID && n < size)
            out[n++] = ';';
    }
    return n;
}

/* Order of what follows when one frame is the beginning of the other: ";" or the end against `longer`'s next byte. */
static int compare_rest(bool has_more, unsigned char next)
{
    if (!has_more)
        return -1;
    return (';' > next) - (';' < next);
}

int tp_stack_compare(const struct tp_stacks *stacks, uint32_t x, uint32_t y)
{
    while (x != y) {
        if (x == TP_NO_ID || y == TP_NO_ID)
            return x == TP_NO_ID ? -1 : 1;
        uint32_t x_below = tp_stack_below(stacks, x), y_below = tp_stack_below(stacks, y);
        struct tp_str p = tp_stack_frame(stacks, x), q = tp_stack_frame(stacks, y);
        size_t n = p.len < q.len ? p.len : q.len;
        int order = n ? memcmp(p.ptr, q.ptr, n) : 0;
        if (order)
            return order;
        if (p.len < q.len)
            return compare_rest(x_below != TP_NO_ID, (unsigned char)q.ptr[n]);
        if (p.len > q.len)
            return -compare_rest(y_below != TP_NO_ID, (unsigned char)p.ptr[n]);
        x = x_below;
        y = y_below;
    }
    return 0;
}
