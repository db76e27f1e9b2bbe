/* Parses arbitrary lines as frames and stacks. A line that begins with "+" is the name of a call. Any other line is a
 * "Call stack" argument. Each line is also parsed as the text of a frame. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "webreport/trace/frame.h"
#include "webreport/trace/stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_STACKS = 64 };

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

/* ---- a frame ---- */

static bool points_into_text(struct tp_str part, struct tp_str text)
{
    return part.len == 0 || (part.ptr >= text.ptr && part.ptr + part.len <= text.ptr + text.len);
}

/* Checks that the joined parts of the frame give the text, and that the line number has the same digits as the text. */
static void check_frame_parts(const struct tp_frame *frame, struct tp_str text)
{
    const char *digits = text.ptr + frame->path.len + 1;
    const char *close = frame->function.ptr ? frame->function.ptr - 3 : text.ptr + text.len - 1;
    abort_unless(frame->path.len > 0 && frame->path.ptr == text.ptr && points_into_text(frame->function, text));
    abort_unless(digits[-1] == '(' && close > digits && *close == ')');
    abort_unless(!frame->function.ptr ||
                 (memcmp(close, "): ", 3) == 0 && frame->function.ptr + frame->function.len == text.ptr + text.len));
    for (const char *c = digits; c < close; c++)
        abort_unless((*c >= '0' && *c <= '9') || *c == '-');
    if (close - digits < 10)
        abort_unless(atoi(digits) == frame->line);
}

static void check_frame(struct tp_str text, struct tp_arena *arena)
{
    struct tp_frame frame, place;
    bool is_frame = tp_frame_parse(&frame, text), is_place = tp_frame_parse_place(&place, text);
    struct tp_frame parts;
    struct tp_code code = tp_frame_code(&parts, text);
    struct tp_str label = tp_frame_label(arena, text);
    abort_unless(is_place || !is_frame);
    if (is_place)
        check_frame_parts(&place, text);
    if (is_frame)
        abort_unless(frame.path.len == place.path.len && frame.function.ptr == place.function.ptr);
    abort_unless(!code.is_line || code.origin == TP_ORIGIN_USER || code.origin == TP_ORIGIN_LIBRARY);
    abort_unless(!code.is_line || (is_frame && code.skip <= parts.path.len));
    abort_unless(points_into_text(tp_frame_short_path(text), text));
    abort_unless(label.len <= text.len && tp_frame_without_address(arena, text).len <= text.len);
    abort_unless(tp_frame_same_function(text, text));
}

/* ---- stacks ---- */

/* Returns the text without empty parts, so that texts and their nodes can be compared even if frames contain ";". */
static struct tp_str join_nonempty_parts(struct tp_arena *arena, struct tp_str text)
{
    char *out = tp_arena_alloc(arena, text.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ';' || (n && out[n - 1] != ';'))
            out[n++] = text.ptr[i];
    return (struct tp_str){out, n && out[n - 1] == ';' ? n - 1 : n};
}

static struct tp_str stack_text(struct tp_arena *arena, const struct tp_stacks *stacks, uint32_t node)
{
    uint64_t length = tp_stack_length(stacks, node);
    char *out = tp_arena_alloc(arena, length + 1);
    abort_unless(tp_stack_write(stacks, node, out, length + 1) == length);
    return (struct tp_str){out, length};
}

static int order_sign(int order)
{
    return (order > 0) - (order < 0);
}

static void check_stacks(const struct tp_strings *texts, const struct tp_strings *known, struct tp_arena *arena)
{
    struct tp_stacks stacks;
    struct tp_str written[MAX_STACKS];
    uint32_t count = texts->count < MAX_STACKS ? texts->count : MAX_STACKS;
    tp_stacks_build(&stacks, texts, known, known, arena);
    for (uint32_t i = 0; i < texts->count; i++) {
        struct tp_str text = stack_text(arena, &stacks, tp_stacks_node_of_text(&stacks, i));
        abort_unless(tp_str_equal(join_nonempty_parts(arena, text), join_nonempty_parts(arena, texts->items[i])));
        abort_unless(known->count || tp_str_equal(text, join_nonempty_parts(arena, texts->items[i])));
        if (i < count)
            written[i] = text;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++) {
            uint32_t x = tp_stacks_node_of_text(&stacks, i), y = tp_stacks_node_of_text(&stacks, k);
            abort_unless(order_sign(tp_stack_compare(&stacks, x, y)) ==
                         order_sign(tp_str_compare(written[i], written[k])));
            abort_unless(known->count || (x == y) == tp_str_equal(written[i], written[k]));
        }
}

static void check_stacks_of_text(struct tp_str bytes, struct tp_arena *arena)
{
    struct tp_strings texts, known;
    tp_strings_init(&texts, arena, 0);
    tp_strings_init(&known, arena, 0);
    for (size_t at = 0, end; at <= bytes.len; at = end + 1) {
        const char *stop = at < bytes.len ? memchr(bytes.ptr + at, '\n', bytes.len - at) : NULL;
        end = stop ? (size_t)(stop - bytes.ptr) : bytes.len;
        struct tp_str line = {bytes.ptr + at, end - at};
        bool is_name = line.len && line.ptr[0] == '+';
        if (is_name)
            tp_stacks_add_known_frame(&known, (struct tp_str){line.ptr + 1, line.len - 1});
        else
            tp_strings_add(&texts, line);
        check_frame(line, arena);
    }
    check_frame(bytes, arena);
    check_stacks(&texts, &known, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard) == 0)
        check_stacks_of_text((struct tp_str){size ? (const char *)data : "", size}, &arena);
    tp_arena_release(&arena);
    return 0;
}
