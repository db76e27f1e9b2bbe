/* Represents call stacks as nodes of one trie: see stack.h. */
#include "webreport/trace/stack.h"

#include "webreport/trace/frame.h"

enum { MAX_PARTS = 8 }; /* maximum number of parts of a frame that contains ";"; a longer frame is split */

/* ---- frames ---- */

static uint32_t add_frame(struct tp_stacks *stacks, struct tp_str text)
{
    uint32_t frame = tp_strings_add(&stacks->frames, text);
    while (stacks->without_address.count < stacks->frames.count)
        *(uint32_t *)tp_vec_push(&stacks->without_address) = TP_NO_ID;
    return frame;
}

static uint32_t find_frame_without_address(struct tp_stacks *stacks, uint32_t frame)
{
    uint32_t known = *TP_AT(&stacks->without_address, uint32_t, frame);
    if (known != TP_NO_ID)
        return known;
    known = add_frame(stacks, tp_frame_without_address(stacks->frames.arena, stacks->frames.items[frame]));
    *TP_AT(&stacks->without_address, uint32_t, frame) = known;
    return known;
}

/* ---- texts of call stacks ---- */

/* Returns the path of a frame up to the end of the folder that contains the last ";". Returns the whole frame if no
 * folder contains it. */
static struct tp_str path_to_semicolon_folder(struct tp_str text)
{
    struct tp_frame frame;
    const char *mark = memrchr(text.ptr, ';', text.len);
    if (!mark || !tp_frame_parse(&frame, text))
        return text;
    for (size_t i = (size_t)(mark - text.ptr); i < frame.path.len; i++)
        if (text.ptr[i] == '/' || text.ptr[i] == '\\')
            return (struct tp_str){text.ptr, i + 1};
    return text;
}

void tp_stacks_add_known_frame(struct tp_strings *known, struct tp_str name)
{
    if (name.len && memchr(name.ptr, ';', name.len))
        tp_strings_add(known, path_to_semicolon_folder(name));
}

/* Returns the length of the last frame in a text: the text after the last ";", or a known frame that contains ";". */
static size_t length_of_last_frame(struct tp_str text, const struct tp_strings *known)
{
    size_t start = text.len, length = 0;
    for (unsigned parts = 0; parts < (known->count ? MAX_PARTS : 1); parts++) {
        start -= start > 0 && parts > 0; /* skips the ";" before the part that was tried last */
        while (start > 0 && text.ptr[start - 1] != ';')
            start--;
        struct tp_str frame = {text.ptr + start, text.len - start};
        if (parts == 0 || tp_strings_find(known, path_to_semicolon_folder(frame)) != TP_NO_ID)
            length = frame.len;
        if (start == 0)
            break;
    }
    return length;
}

/* Returns true for an inline function of tracepress's header, such as "include/tracepress_calls.h(64):
 * tracepress_begin_kind". Such frames are left out of stacks. */
static bool is_recorder_frame(struct tp_str frame)
{
    const char *space = frame.len ? memrchr(frame.ptr, ' ', frame.len) : NULL;
    size_t before = space ? (size_t)(space - frame.ptr) : 0;
    struct tp_str function = {frame.ptr + before + 1, frame.len - before - (space != NULL)};
    if (!space || !tp_str_starts(function, "tracepress_"))
        return false;
    const char *slash = before ? memrchr(frame.ptr, '/', before) : NULL;
    struct tp_str file =
        slash ? (struct tp_str){slash + 1, (size_t)(space - slash - 1)} : (struct tp_str){frame.ptr, before};
    return tp_str_starts(file, "tracepress") && tp_str_find(file, ".h(") > 0;
}

static void add_stack_of_text(struct tp_stacks *stacks, uint32_t id, struct tp_str text, const struct tp_strings *known)
{
    uint32_t node = TP_NO_ID, common = TP_NO_ID;
    bool is_common = true; /* true while no frame so far has an object address */
    for (;;) {
        size_t size = length_of_last_frame(text, known);
        text.len -= size;
        if (size && !is_recorder_frame((struct tp_str){text.ptr + text.len, size})) {
            uint32_t frame = add_frame(stacks, (struct tp_str){text.ptr + text.len, size});
            uint32_t plain = find_frame_without_address(stacks, frame);
            node = tp_keys_pair(&stacks->nodes, node, frame);
            is_common &= plain == frame;
            common = is_common ? node : tp_keys_pair(&stacks->nodes, common, plain);
        }
        if (text.len == 0)
            break;
        text.len--; /* removes the ";" before the frame */
    }
    stacks->node_by_text[id] = node;
    stacks->plain_node_by_text[id] = common;
}

void tp_stacks_build(struct tp_stacks *stacks, const struct tp_strings *texts, const struct tp_strings *names,
                     const struct tp_strings *known, struct tp_arena *arena)
{
    *stacks = (struct tp_stacks){.names = names, .without_address = TP_VEC(arena, uint32_t)};
    tp_strings_init(&stacks->frames, arena, 0);
    tp_keys_init(&stacks->nodes, arena, 2);
    stacks->frame_by_name = tp_arena_array(arena, names->count, sizeof *stacks->frame_by_name);
    stacks->node_by_text = tp_arena_array(arena, texts->count, sizeof *stacks->node_by_text);
    stacks->plain_node_by_text = tp_arena_array(arena, texts->count, sizeof *stacks->plain_node_by_text);
    for (uint32_t i = 0; i < texts->count; i++)
        add_stack_of_text(stacks, i, texts->items[i], known);
}

uint32_t tp_stacks_add_call(struct tp_stacks *stacks, uint32_t parent, uint32_t name)
{
    if (!stacks->frame_by_name[name])
        stacks->frame_by_name[name] =
            1 + find_frame_without_address(stacks, add_frame(stacks, stacks->names->items[name]));
    return tp_keys_pair(&stacks->nodes, parent, stacks->frame_by_name[name] - 1);
}

/* ---- walking over the frames of a stack ---- */

void tp_stack_frames(const struct tp_stacks *stacks, uint32_t node, size_t most, struct tp_vec *frames)
{
    frames->count = 0;
    while (node != TP_NO_ID) {
        struct tp_stack stack = tp_stack_at(stacks, node);
        *(uint32_t *)tp_vec_push(frames) = stack.frame;
        node = stack.parent;
    }
    uint32_t *items = frames->data;
    for (size_t i = 0, k = frames->count; i + 1 < k; i++) {
        uint32_t swapped = items[i];
        items[i] = items[--k];
        items[k] = swapped;
    }
    frames->count = frames->count < most ? frames->count : most;
}

bool tp_stack_is_empty(const struct tp_stacks *stacks, uint32_t node)
{
    struct tp_stack stack = node == TP_NO_ID ? (struct tp_stack){TP_NO_ID, TP_NO_ID} : tp_stack_at(stacks, node);
    return stack.parent == TP_NO_ID && tp_stack_frame_text(stacks, stack.frame).len == 0;
}

/* A position in the text of a stack: inside a frame, or at the ";" between two frames. */
struct cursor {
    struct tp_str rest;
    uint32_t node; /* node of the next frame; TP_NO_ID after the last frame */
    bool is_between;
};

static struct cursor start_cursor(uint32_t node)
{
    return (struct cursor){.rest = {"", 0}, .node = node};
}

/* Fills `rest` with the next text if `rest` is empty. Skips empty frames. Returns false at the end of the stack. */
static bool advance_cursor_to_text(struct cursor *c, const struct tp_stacks *stacks)
{
    while (c->rest.len == 0 && c->node != TP_NO_ID) {
        if (c->is_between) {
            c->rest = TP_STR(";");
        } else {
            struct tp_stack stack = tp_stack_at(stacks, c->node);
            c->rest = tp_stack_frame_text(stacks, stack.frame);
            c->node = stack.parent;
        }
        c->is_between = !c->is_between;
    }
    return c->rest.len > 0;
}

static void skip_bytes_of_cursor(struct cursor *c, size_t size)
{
    c->rest.ptr += size;
    c->rest.len -= size;
}

uint64_t tp_stack_length(const struct tp_stacks *stacks, uint32_t node)
{
    uint64_t length = 0;
    struct cursor c = start_cursor(node);
    for (; advance_cursor_to_text(&c, stacks); skip_bytes_of_cursor(&c, c.rest.len))
        length += c.rest.len;
    return length;
}

size_t tp_stack_write(const struct tp_stacks *stacks, uint32_t node, char *out, size_t size)
{
    size_t n = 0;
    struct cursor c = start_cursor(node);
    for (size_t part; n < size && advance_cursor_to_text(&c, stacks); n += part, skip_bytes_of_cursor(&c, part)) {
        part = c.rest.len < size - n ? c.rest.len : size - n;
        memcpy(out + n, c.rest.ptr, part);
    }
    return n;
}

int tp_stack_compare(const struct tp_stacks *stacks, uint32_t x, uint32_t y)
{
    struct cursor a = start_cursor(x), b = start_cursor(y);
    for (;;) {
        if (!a.rest.len && !b.rest.len && a.node == b.node && a.is_between == b.is_between)
            return 0;
        bool has_a = advance_cursor_to_text(&a, stacks), has_b = advance_cursor_to_text(&b, stacks);
        if (!has_a || !has_b)
            return has_a - has_b;
        size_t n = a.rest.len < b.rest.len ? a.rest.len : b.rest.len;
        int order = memcmp(a.rest.ptr, b.rest.ptr, n);
        if (order)
            return order;
        skip_bytes_of_cursor(&a, n);
        skip_bytes_of_cursor(&b, n);
    }
}
