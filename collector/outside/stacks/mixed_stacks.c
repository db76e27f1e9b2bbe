/* Merges native and Python frames: see mixed_stacks.h. */
#include "collector/outside/stacks/mixed_stacks.h"

enum { MOST_FRAMES = 1024 }; /* maximum number of frames of a native stack; Python stacks have fewer */

/* Nodes of the frames of a stack, innermost first. */
struct frames {
    uint32_t nodes[MOST_FRAMES];
    size_t count;
};

static void list_frames(struct frames *frames, const struct tp_code_places *places, uint32_t node)
{
    frames->count = 0;
    for (; node && frames->count < MOST_FRAMES; node = tp_code_node_at(places, node)->outer)
        frames->nodes[frames->count++] = node;
}

static bool is_frame_in_interpreter_loop(const struct tp_code_places *places, uint32_t node)
{
    const struct tp_code_frame *frame = tp_code_frame_at(places, node);
    const struct tp_code_file *file = TP_AT(&places->files, struct tp_code_file, frame->file);
    return frame->address >= file->loop && frame->address - file->loop < file->loop_bytes;
}

static bool is_frame_entered_from_c(const struct tp_code_places *places, uint32_t node)
{
    return tp_code_python_is_entry(tp_code_frame_at(places, node));
}

static uint32_t add_frame(struct tp_code_places *places, uint32_t outer, uint32_t node)
{
    const struct tp_code_frame frame = *tp_code_frame_at(places, node);
    return frame.file == TP_CODE_PYTHON ? tp_code_add_python_node(places, outer, tp_code_python_text(&frame), false)
                                        : tp_code_add_node(places, outer, frame.file, frame.address);
}

static bool is_code_of_frame_unknown(const struct tp_code_places *places, uint32_t node)
{
    return tp_code_frame_at(places, node)->file == TP_CODE_UNKNOWN;
}

/* Replaces each native frame of the interpreter's loop by the Python frames of that call, outermost first. Drops
 * unknown outermost frames, because functions without frame pointers produce wrong addresses there. */
static uint32_t merge_frames(struct tp_code_places *places, const struct frames *native, const struct frames *python)
{
    uint32_t node = 0;
    size_t next = python->count;
    for (size_t i = native->count; i-- > 0;) {
        if (!is_frame_in_interpreter_loop(places, native->nodes[i])) {
            node = !node && is_code_of_frame_unknown(places, native->nodes[i])
                       ? 0
                       : add_frame(places, node, native->nodes[i]);
            continue;
        }
        do
            node = next ? add_frame(places, node, python->nodes[--next]) : node;
        while (next && !is_frame_entered_from_c(places, python->nodes[next - 1]));
    }
    return node;
}

/* Adds the native frames of the innermost interpreter call as callees of the Python stack. Adds all native frames if
 * the native stack contains no such call. Drops unknown frames, because functions without frame pointers produce wrong
 * addresses. */
static uint32_t splice_python_frames(struct tp_code_places *places, const struct frames *native,
                                     const struct frames *python)
{
    uint32_t node = 0;
    size_t inside = 0;
    while (inside < native->count && !is_frame_in_interpreter_loop(places, native->nodes[inside]))
        inside++;
    for (size_t i = python->count; i-- > 0;)
        node = add_frame(places, node, python->nodes[i]);
    for (size_t i = inside; i-- > 0;)
        if (!is_code_of_frame_unknown(places, native->nodes[i]))
            node = add_frame(places, node, native->nodes[i]);
    return node;
}

uint32_t tp_mixed_stack_merge(struct tp_code_places *places, uint32_t native, uint32_t python, bool *is_aligned)
{
    struct frames inner, outer;
    size_t loops = 0, calls = 0;
    *is_aligned = true;
    if (!python)
        return native;
    list_frames(&inner, places, native);
    list_frames(&outer, places, python);
    for (size_t i = 0; i < inner.count; i++)
        loops += is_frame_in_interpreter_loop(places, inner.nodes[i]);
    for (size_t i = 0; i < outer.count; i++)
        calls += is_frame_entered_from_c(places, outer.nodes[i]);
    *is_aligned = loops == calls && calls > 0;
    return *is_aligned ? merge_frames(places, &inner, &outer) : splice_python_frames(places, &inner, &outer);
}
