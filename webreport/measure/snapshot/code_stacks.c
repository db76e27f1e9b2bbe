/* Names the code of call stacks: see code_stacks.h. */
#include "webreport/measure/snapshot/code_stacks.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "writer/base/limits.h"
#include "writer/base/utf8.h"

static const struct tp_code_frame *frame_of(const struct tp_code_stacks *stacks, const struct tp_vec *list, size_t i)
{
    return tp_code_frame(&stacks->frames, *TP_AT(list, uint32_t, i));
}

static void list_frames(const struct tp_code_stacks *stacks, uint32_t stack, struct tp_code_view *view,
                        struct tp_code_stack *code)
{
    const struct tp_snapshot_stacks *all = &stacks->frames.snapshot->stacks;
    for (; stack; stack = tp_snapshot_stacks_parent(all, stack)) {
        uint32_t number = tp_keys_get(&all->nodes, stack - 1)[1];
        const struct tp_code_frame *frame = tp_code_frame(&stacks->frames, number);
        code->has_empty_cache |= (frame->flags & TP_CODE_EMPTY_CACHE) != 0;
        if (frame->flags & TP_CODE_IGNORED)
            continue;
        if (!(frame->flags & TP_CODE_PYTHON)) {
            *(uint32_t *)tp_vec_push(&view->cpp) = number;
            continue;
        }
        if (frame->original != TP_NO_ID)
            *(uint32_t *)tp_vec_push(&view->python) = frame->original;
        if (code->node == stacks->frames.no_name)
            code->node = frame->node;
        *(uint32_t *)tp_vec_push(&view->python) = number;
    }
}

/* Returns the text of the scratch memory, empty. */
static struct tp_vec *clear_text(struct tp_code_stacks *stacks)
{
    stacks->view.text.count = 0;
    return &stacks->view.text;
}

/* Returns a text as a text in the arena; a very long text is cut. */
static struct tp_str cut_text(const struct tp_vec *text)
{
    if (!text->count)
        return (struct tp_str){"", 0};
    if (text->count <= TP_MAX_SNAPSHOT_STACK_BYTES)
        return (struct tp_str){text->data, text->count};
    return (struct tp_str){text->data, tp_utf8_fitting_bytes(text->data, text->count, TP_MAX_SNAPSHOT_STACK_BYTES)};
}

static uint32_t add_name(struct tp_code_stacks *stacks, const struct tp_vec *text)
{
    return tp_strings_add(&stacks->frames.names, cut_text(text));
}

/* ---- names of C++ frames ---- */

/* Returns the name of an autograd node in the name of a C++ function, such as "MmBackward0"; ptr NULL if none. */
static struct tp_str backward_node(struct tp_str name)
{
    static const char word[] = "Backward", prefix[] = "autograd::";
    static const char *const others[] = {"AccumulateGrad", "CopyBackwards", "CopySlices", NULL};
    enum { WORD = sizeof word - 1 };
    size_t searched = 0; /* end of the word that has no such name */
    for (size_t from = 0; from < name.len; from++) {
        size_t end = from, found = 0;
        struct tp_str rest = {name.ptr + from, name.len - from};
        while (from >= searched && end < name.len && tp_is_word_character(name.ptr[end]))
            end++;
        for (size_t at = from + 1; at + WORD <= end; at++)
            if (memcmp(name.ptr + at, word, WORD) == 0)
                found = at + WORD;
        searched = end > searched ? end : searched;
        if (found) {
            while (found < name.len && tp_is_digit(name.ptr[found]))
                found++;
            return (struct tp_str){name.ptr + from, found - from};
        }
        for (const char *const *other = others; *other && tp_str_starts(rest, prefix); other++) {
            struct tp_str after = {rest.ptr + sizeof prefix - 1, rest.len - (sizeof prefix - 1)};
            if (tp_str_starts(after, *other))
                return (struct tp_str){after.ptr, strlen(*other)};
        }
    }
    return (struct tp_str){NULL, 0};
}

/* Returns the name of an operator in the name of a C++ function at::_ops::NAME::, without its overload; ptr NULL if
 * none. */
static struct tp_str operator_name(struct tp_str name)
{
    static const char prefix[] = "at::_ops::";
    ptrdiff_t at = tp_str_find(name, prefix);
    if (at < 0)
        return (struct tp_str){NULL, 0};
    struct tp_str found = {name.ptr + at + sizeof prefix - 1, 0};
    size_t left = name.len - (size_t)at - (sizeof prefix - 1);
    while (found.len < left && tp_is_word_character(found.ptr[found.len]))
        found.len++;
    if (!found.len || left < found.len + 2 || memcmp(found.ptr + found.len, "::", 2) != 0)
        return (struct tp_str){NULL, 0};
    if (isupper((unsigned char)found.ptr[found.len - 1]))
        for (size_t i = found.len; i-- > 0;)
            if (found.ptr[i] == '_') {
                found.len = i;
                break;
            }
    return found;
}

/* Returns the name of a stack without Python frames: its autograd node, or its outermost operator. */
static uint32_t cpp_name(struct tp_code_stacks *stacks, const struct tp_vec *cpp)
{
    struct tp_strings *names = &stacks->frames.names;
    for (size_t i = 0; i < cpp->count; i++) {
        struct tp_str node = backward_node(frame_of(stacks, cpp, i)->function);
        if (node.ptr)
            return tp_strings_add(names, node);
    }
    for (size_t i = cpp->count; i-- > 0;) {
        struct tp_str operator= operator_name(frame_of(stacks, cpp, i)->function);
        if (!operator.ptr)
            continue;
        struct tp_vec *text = clear_text(stacks);
        tp_vec_add_text(text, tp_str_of("aten::"));
        tp_vec_add_text(text, operator);
        return add_name(stacks, text);
    }
    return stacks->frames.no_name;
}

/* ---- phases ---- */

static unsigned all_flags(const struct tp_code_stacks *stacks, const struct tp_vec *list)
{
    unsigned flags = 0;
    for (size_t i = 0; i < list->count; i++)
        flags |= frame_of(stacks, list, i)->flags;
    return flags;
}

/* Returns whether one of the innermost frames, up to the first frame outside of torch, belongs to torch.distributed. */
static bool is_in_distributed(const struct tp_code_stacks *stacks, const struct tp_vec *python)
{
    for (size_t i = 0; i < python->count; i++) {
        unsigned flags = frame_of(stacks, python, i)->flags;
        if (!(flags & TP_CODE_TORCH))
            return false;
        if (flags & TP_CODE_DISTRIBUTED)
            return true;
    }
    return false;
}

static enum tp_code_phase find_phase(const struct tp_code_stacks *stacks, const struct tp_code_view *view)
{
    unsigned python = all_flags(stacks, &view->python), cpp = all_flags(stacks, &view->cpp);
    bool has_forward = python & TP_CODE_FORWARD;
    if (is_in_distributed(stacks, &view->python) || (cpp & TP_CODE_COLLECTIVE))
        return TP_PHASE_COMMUNICATION;
    if (python & TP_CODE_OPTIMIZER)
        return TP_PHASE_OPTIMIZER;
    if (python & TP_CODE_RECOMPUTE)
        return TP_PHASE_RECOMPUTE;
    if ((cpp & TP_CODE_ENGINE) || ((python & TP_CODE_BACKWARD) && !has_forward))
        return TP_PHASE_BACKWARD;
    if (python & TP_CODE_DATA)
        return TP_PHASE_INPUTS;
    if (!has_forward && (python & (TP_CODE_INIT | TP_CODE_WEIGHTS)))
        return TP_PHASE_WEIGHTS;
    if (has_forward)
        return TP_PHASE_FORWARD;
    return view->python.count ? TP_PHASE_OTHER : TP_PHASE_NO_PYTHON;
}

/* ---- names ---- */

/* Returns the innermost Python frame with one of the flags; NULL if none exists. */
static const struct tp_code_frame *innermost(const struct tp_code_stacks *stacks, const struct tp_vec *python,
                                             unsigned flags)
{
    for (size_t i = 0; i < python->count; i++)
        if (frame_of(stacks, python, i)->flags & flags)
            return frame_of(stacks, python, i);
    return NULL;
}

/* Returns the forward functions outside of torch, outermost first, joined by " > ". */
static uint32_t module_name(struct tp_code_stacks *stacks, const struct tp_vec *python)
{
    struct tp_vec *text = clear_text(stacks);
    for (size_t i = python->count; i-- > 0;) {
        const struct tp_code_frame *frame = frame_of(stacks, python, i);
        if (!(frame->flags & TP_CODE_FORWARD) || (frame->flags & TP_CODE_TORCH))
            continue;
        if (text->count)
            tp_vec_add_text(text, tp_str_of(" > "));
        tp_vec_add_text(text, tp_code_name(stacks, frame->shown));
    }
    return add_name(stacks, text);
}

/* Returns the second part of the module, or the first one, or the line. */
static uint32_t layer_name(struct tp_code_stacks *stacks, const struct tp_code_stack *code)
{
    struct tp_str module = tp_code_name(stacks, code->module);
    ptrdiff_t at = tp_str_find(module, " > ");
    if (!module.len)
        return code->line;
    if (at < 0)
        return code->module;
    struct tp_str rest = {module.ptr + at + 3, module.len - (size_t)at - 3};
    ptrdiff_t end = tp_str_find(rest, " > ");
    rest.len = end < 0 ? rest.len : (size_t)end;
    return tp_strings_add(&stacks->frames.names, rest);
}

/* Returns "folder/file: function" of a frame. */
static uint32_t place_name(struct tp_code_stacks *stacks, const struct tp_code_frame *frame)
{
    struct tp_vec *text = clear_text(stacks);
    size_t from = frame->file.len;
    unsigned slashes = 0;
    while (from > 0 && (slashes += frame->file.ptr[from - 1] == '/') < 2)
        from--;
    tp_vec_add_text(text, (struct tp_str){frame->file.ptr + from, frame->file.len - from});
    tp_vec_add_text(text, tp_str_of(": "));
    tp_vec_add_text(text, frame->function);
    return add_name(stacks, text);
}

/* Returns the number of the path of a stack: all Python frames, or else the eight innermost C++ frames. */
static uint32_t add_path(struct tp_code_stacks *stacks, const struct tp_code_view *view)
{
    enum { CPP_FRAMES = 8 };
    const struct tp_vec *list = view->python.count ? &view->python : &view->cpp;
    size_t count = list == &view->cpp && list->count > CPP_FRAMES ? CPP_FRAMES : list->count;
    uint32_t path = 0;
    for (size_t i = count; i-- > 0;)
        path = 1 + tp_keys_pair(&stacks->paths, path, frame_of(stacks, list, i)->shown);
    return path;
}

static void describe(struct tp_code_stacks *stacks, uint32_t stack, struct tp_code_stack *code)
{
    uint32_t none = stacks->frames.no_name;
    struct tp_code_view *view = &stacks->view;
    view->python.count = view->cpp.count = 0;
    *code = (struct tp_code_stack){
        .is_known = true, .line = none, .site = none, .module = none, .layer = none, .node = none, .place = none};
    if (stack == 0)
        return;
    list_frames(stacks, stack, view, code);
    const struct tp_code_frame *line = innermost(stacks, &view->python, TP_CODE_PROJECT);
    const struct tp_code_frame *site = innermost(stacks, &view->python, TP_CODE_PROJECT | TP_CODE_PACKAGE);
    if (line) {
        code->line = line->shown;
        code->place = place_name(stacks, line);
    }
    if (!site && view->python.count)
        site = frame_of(stacks, &view->python, 0);
    code->site = site ? site->shown : cpp_name(stacks, &view->cpp);
    code->has_loss = innermost(stacks, &view->python, TP_CODE_LOSS) != NULL;
    code->module = module_name(stacks, &view->python);
    code->layer = layer_name(stacks, code);
    code->path = add_path(stacks, view);
    code->phase = (uint8_t)find_phase(stacks, view);
}

void tp_code_stacks_build(struct tp_code_stacks *stacks, const struct tp_snapshot *snapshot, struct tp_arena *arena)
{
    *stacks = (struct tp_code_stacks){.arena = arena,
                                      .view = {TP_VEC(arena, uint32_t), TP_VEC(arena, uint32_t), TP_VEC(arena, char)}};
    tp_code_frames_build(&stacks->frames, snapshot, arena);
    stacks->items = tp_arena_array(arena, tp_snapshot_stacks_count(&snapshot->stacks), sizeof *stacks->items);
    tp_keys_init(&stacks->paths, arena, 2);
}

const struct tp_code_stack *tp_code_stack(struct tp_code_stacks *stacks, uint32_t stack)
{
    struct tp_code_stack *code = &stacks->items[stack];
    if (!code->is_known)
        describe(stacks, stack, code);
    return code;
}

uint32_t tp_code_line_or_site(struct tp_code_stacks *stacks, uint32_t stack)
{
    const struct tp_code_stack *code = tp_code_stack(stacks, stack);
    return code->line != stacks->frames.no_name ? code->line : code->site;
}

/* Makes room for the texts of all paths. */
static void grow_texts(struct tp_code_stacks *stacks)
{
    uint32_t count = 1 + tp_keys_count(&stacks->paths);
    if (count <= stacks->path_text_count)
        return;
    stacks->path_texts =
        tp_arena_resize(stacks->arena, stacks->path_texts, stacks->path_text_count * sizeof *stacks->path_texts,
                        count * sizeof *stacks->path_texts);
    stacks->path_text_count = count;
}

/* Lists the frames of a path, innermost first. */
static void list_path(const struct tp_code_stacks *stacks, uint32_t path, struct tp_vec *shown)
{
    shown->count = 0;
    for (; path; path = tp_keys_get(&stacks->paths, path - 1)[0])
        *(uint32_t *)tp_vec_push(shown) = tp_keys_get(&stacks->paths, path - 1)[1];
}

/* A place in the text of a path. */
struct place {
    const struct tp_vec *shown; /* names of the frames, innermost first */
    size_t left;                /* frames whose names begin after this place */
    bool is_at_name;            /* a name is next, and not a separator */
    struct tp_str rest;         /* rest of the name or of the separator */
};

/* Moves to the next name or separator if the current one is used up. Returns false at the end of the text. */
static bool has_rest(const struct tp_code_stacks *stacks, struct place *place)
{
    while (!place->rest.len) {
        if (!place->left)
            return false;
        place->rest =
            place->is_at_name ? tp_code_name(stacks, *TP_AT(place->shown, uint32_t, --place->left)) : tp_str_of(";");
        place->is_at_name = !place->is_at_name;
    }
    return true;
}

int tp_code_stacks_compare_paths(struct tp_code_stacks *stacks, uint32_t a, uint32_t b)
{
    struct tp_vec *x = &stacks->view.python, *y = &stacks->view.cpp;
    list_path(stacks, a, x);
    list_path(stacks, b, y);
    struct place p = {.shown = x, .left = x->count, .is_at_name = true};
    struct place q = {.shown = y, .left = y->count, .is_at_name = true};
    while (p.left && q.left && *TP_AT(x, uint32_t, p.left - 1) == *TP_AT(y, uint32_t, q.left - 1)) {
        p.left--;
        q.left--;
        p.is_at_name = q.is_at_name = false; /* a separator follows the names that both have */
    }
    for (;;) {
        bool has_p = has_rest(stacks, &p), has_q = has_rest(stacks, &q);
        if (!has_p || !has_q)
            return has_p - has_q;
        size_t size = p.rest.len < q.rest.len ? p.rest.len : q.rest.len;
        int order = memcmp(p.rest.ptr, q.rest.ptr, size);
        if (order)
            return order;
        p.rest = (struct tp_str){p.rest.ptr + size, p.rest.len - size};
        q.rest = (struct tp_str){q.rest.ptr + size, q.rest.len - size};
    }
}

struct tp_str tp_code_stacks_path(struct tp_code_stacks *stacks, uint32_t path)
{
    grow_texts(stacks);
    if (path && !stacks->path_texts[path].ptr) {
        struct tp_vec shown = TP_VEC(stacks->arena, uint32_t), text = TP_VEC(stacks->arena, char);
        list_path(stacks, path, &shown);
        for (size_t i = shown.count; i-- > 0 && text.count <= TP_MAX_SNAPSHOT_STACK_BYTES;) {
            tp_vec_add_text(&text, tp_str_of(i + 1 < shown.count ? ";" : ""));
            tp_vec_add_text(&text, tp_code_name(stacks, *TP_AT(&shown, uint32_t, i)));
        }
        stacks->path_texts[path] = cut_text(&text);
    }
    return path ? stacks->path_texts[path] : (struct tp_str){"", 0};
}
