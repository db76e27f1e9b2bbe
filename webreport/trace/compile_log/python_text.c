/* Reads the source lines in tracebacks and in the text of FX graphs: see compile_parts.h.
 *
 * A traceback names frames outermost first: lines `  File "PATH", line N, in FUNCTION`, each followed by source code.
 * In the text of an FX graph, a comment `# File: PATH:N in FUNCTION, code: ..` precedes the nodes of a line, and an
 * empty line ends the group. */
#include "webreport/trace/compile_log/compile_parts.h"
#include "webreport/trace/json/value.h"

/* Returns the number of digits at the beginning of the text. */
static size_t count_digits(struct tp_str text)
{
    size_t n = 0;
    while (n < text.len && tp_is_digit(text.ptr[n]))
        n++;
    return n;
}

/* Drops the first `size` bytes of the text. */
static struct tp_str skip(struct tp_str text, size_t size)
{
    return (struct tp_str){text.ptr + size, text.len - size};
}

/* Adds the frame "PATH(LINE): FUNCTION" to the last stack. */
static void add_frame(struct tp_compile_reader *r, struct tp_str path, struct tp_str line, struct tp_str function)
{
    struct tp_vec text = TP_VEC(r->arena, char), *ids = &r->log->frame_ids;
    if (ids->count >= TP_MAX_COMPILE_ITEMS)
        return;
    tp_vec_add_text(&text, path);
    tp_vec_add_text(&text, TP_STR("("));
    tp_vec_add_text(&text, line);
    tp_vec_add_text(&text, TP_STR("): "));
    tp_vec_add_text(&text, function);
    *(uint32_t *)tp_vec_push(ids) = tp_strings_add(&r->log->frames, (struct tp_str){text.data, text.count});
}

/* Adds the frame of one line of a traceback. Does nothing for other lines. */
static void add_frame_of_line(struct tp_compile_reader *r, struct tp_str line)
{
    line = tp_compile_trim_left(line);
    if (!tp_str_starts(line, "File \""))
        return;
    line = skip(line, 6);
    ptrdiff_t quote = tp_str_find(line, "\"");
    if (quote <= 0)
        return;
    struct tp_str path = {line.ptr, (size_t)quote}, rest = skip(line, (size_t)quote);
    if (!tp_str_starts(rest, "\", line "))
        return;
    rest = skip(rest, 8);
    size_t digits = count_digits(rest);
    struct tp_str number = {rest.ptr, digits};
    rest = skip(rest, digits);
    if (digits && tp_str_starts(rest, ", in ") && rest.len > 5)
        add_frame(r, path, number, skip(rest, 5));
}

uint32_t tp_compile_traceback(struct tp_compile_reader *r, struct tp_str text)
{
    struct tp_vec *stacks = &r->log->stacks;
    uint32_t id = tp_strings_add(&r->tracebacks, text);
    if (id < stacks->count)
        return id;
    struct tp_compile_stack stack = {(uint32_t)r->log->frame_ids.count, 0};
    struct tp_str plain = tp_value_starts_with(text, '"') ? tp_value_text(r->arena, text) : text, line;
    for (size_t at = 0; tp_compile_next_line(plain, &at, &line);)
        add_frame_of_line(r, line);
    stack.count = (uint32_t)r->log->frame_ids.count - stack.first;
    *(struct tp_compile_stack *)tp_vec_push(stacks) = stack;
    return id;
}

/* ---- text of FX graphs ---- */

/* Returns the traceback of a comment "# File: PATH:N in FUNCTION, code: .."; ptr NULL for other lines. */
static struct tp_str traceback_of_comment(struct tp_compile_reader *r, struct tp_str line)
{
    struct tp_str none = {NULL, 0};
    line = tp_compile_trim_left(line);
    if (!tp_str_starts(line, "# File: "))
        return none;
    line = skip(line, 8);
    ptrdiff_t code = tp_str_find(line, ", code: ");
    if (code >= 0)
        line.len = (size_t)code;
    size_t at = line.len;
    while (at && memcmp(line.ptr + at - 1, " in ", line.len - at + 1 < 4 ? line.len - at + 1 : 4) != 0)
        at--;
    if (!at || line.len - at < 4)
        return none;
    struct tp_str function = skip(line, at + 3);
    size_t end = at - 1, begin = end;
    while (begin && tp_is_digit(line.ptr[begin - 1]))
        begin--;
    if (begin == end || begin < 2 || line.ptr[begin - 1] != ':' || memchr(function.ptr, ' ', function.len))
        return none;
    struct tp_vec text = TP_VEC(r->arena, char);
    tp_vec_add_text(&text, TP_STR("File \""));
    tp_vec_add_text(&text, (struct tp_str){line.ptr, begin - 1});
    tp_vec_add_text(&text, TP_STR("\", line "));
    tp_vec_add_text(&text, (struct tp_str){line.ptr + begin, end - begin});
    tp_vec_add_text(&text, TP_STR(", in "));
    tp_vec_add_text(&text, function);
    return (struct tp_str){text.data, text.count};
}

/* Returns the node that a line of an FX graph defines: `    NODE: "f32[8]" = ..`; len 0 for other lines. */
static struct tp_str defined_node(struct tp_str line)
{
    struct tp_str text = tp_compile_trim_left(line), node = {text.ptr, 0}, none = {NULL, 0};
    node.len = tp_compile_word_length(text);
    if (text.len == line.len || !node.len)
        return none;
    text = skip(text, node.len);
    if (tp_str_starts(text, ": \"")) {
        ptrdiff_t quote = tp_str_find(skip(text, 3), "\"");
        if (quote < 0)
            return none;
        text = skip(text, 3 + (size_t)quote + 1);
    }
    return tp_str_starts(text, " = ") ? node : none;
}

/* Fills `names` with the nodes of an FX graph that have a comment with a line, and `ids` with their tracebacks. */
static void read_lines_of_nodes(struct tp_compile_reader *r, struct tp_str text, struct tp_strings *names,
                                struct tp_vec *ids)
{
    struct tp_str line, now = {NULL, 0};
    for (size_t at = 0; tp_compile_next_line(text, &at, &line);) {
        struct tp_str comment = traceback_of_comment(r, line);
        if (comment.ptr)
            now = comment;
        else if (!tp_str_trim(line).len)
            now = (struct tp_str){NULL, 0};
        struct tp_str node = defined_node(line);
        if (node.len && now.ptr && tp_strings_add(names, node) == ids->count)
            *(uint32_t *)tp_vec_push(ids) = tp_compile_traceback(r, now);
    }
}

void tp_compile_read_fx_text(struct tp_compile_reader *r, struct tp_compile_draft *draft, struct tp_str text)
{
    struct tp_strings names;
    struct tp_vec ids = TP_VEC(r->arena, uint32_t), *stack_ids = &r->log->stack_ids;
    tp_strings_init(&names, r->arena, 0);
    read_lines_of_nodes(r, text, &names, &ids);
    for (size_t i = 0; i < draft->calls.count; i++) {
        struct tp_compile_call *call = TP_AT(&draft->calls, struct tp_compile_call, i);
        call->first_stack = (uint32_t)stack_ids->count;
        for (uint32_t n = 0; n < call->node_count && stack_ids->count < TP_MAX_COMPILE_ITEMS; n++) {
            uint32_t node = tp_strings_find(&names, tp_compile_node_at(r->log, call->first_node + n));
            if (node != TP_NO_ID)
                *(uint32_t *)tp_vec_push(stack_ids) = *TP_AT(&ids, uint32_t, node);
        }
        call->stack_count = (uint32_t)stack_ids->count - call->first_stack;
    }
    draft->has_stacks = true;
}
