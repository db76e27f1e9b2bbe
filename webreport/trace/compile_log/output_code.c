/* Reads the calls in the code that Inductor generates for a graph: see compile_parts.h.
 *
 * Comments above a call name its source nodes (`# Topologically Sorted Source Nodes: [x, y], Original ATen: [..]`) and
 * its key (`# [Provenance debug handles] KERNEL:3`). */
#include "webreport/trace/compile_log/compile_parts.h"

#include <stdio.h>

#define SOURCE_NODES "# Topologically Sorted Source Nodes: ["
#define HANDLE "# [Provenance debug handles] "

/* Returns true for the first line of the function that makes the calls: `def call(` or `def partition_3(`. */
static bool is_start_of_calls(struct tp_str line)
{
    line = tp_compile_trim_left(line);
    if (tp_str_starts(line, "def call("))
        return true;
    size_t at = sizeof "def partition_" - 1;
    if (!tp_str_starts(line, "def partition_"))
        return false;
    while (at < line.len && tp_is_digit(line.ptr[at]))
        at++;
    return at < line.len && at > sizeof "def partition_" - 1 && line.ptr[at] == '(';
}

/* Returns the function that a line calls: `triton_..`, `cpp_..`, `extern_kernels.X` or `torch.ops.X`, also after
 * `NAME = `. Returns len 0 for other lines. */
static struct tp_str called_function(struct tp_str line)
{
    struct tp_str text = tp_compile_trim_left(line), none = {NULL, 0};
    size_t word = tp_compile_word_length(text);
    if (text.len == line.len)
        return none;
    if (word && text.len > word + 3 && memcmp(text.ptr + word, " = ", 3) == 0)
        text = (struct tp_str){text.ptr + word + 3, text.len - word - 3};
    size_t end = 0;
    while (end < text.len && (tp_is_word_character(text.ptr[end]) || text.ptr[end] == '.'))
        end++;
    struct tp_str name = {text.ptr, end};
    if (end == text.len || text.ptr[end] != '(')
        return none;
    if (tp_str_starts(name, "extern_kernels.") || tp_str_starts(name, "torch.ops."))
        return name;
    if (!tp_str_starts(name, "triton_") && !tp_str_starts(name, "cpp_"))
        return none;
    if (tp_str_ends(name, ".run"))
        name.len -= 4;
    return tp_compile_word_length(name) == name.len ? name : none;
}

/* Adds the names in "x, y], .." to the nodes of a call. */
static void add_nodes(struct tp_compile_reader *r, struct tp_compile_call *call, struct tp_str list)
{
    struct tp_vec *nodes = &r->log->nodes;
    call->first_node = (uint32_t)nodes->count;
    for (size_t at = 0; at < list.len && list.ptr[at] != ']' && nodes->count < TP_MAX_COMPILE_ITEMS;) {
        size_t end = at;
        while (end < list.len && list.ptr[end] != ',' && list.ptr[end] != ']')
            end++;
        struct tp_str name = tp_str_trim((struct tp_str){list.ptr + at, end - at});
        if (name.len)
            *(struct tp_str *)tp_vec_push(nodes) =
                (struct tp_str){tp_arena_copy(r->arena, name.ptr, name.len), name.len};
        at = end + (end < list.len && list.ptr[end] == ',');
    }
    call->node_count = (uint32_t)nodes->count - call->first_node;
}

/* Returns the key of a call without a comment that names it: "FUNCTION:N". */
static struct tp_str make_key(struct tp_compile_reader *r, struct tp_str function, size_t number)
{
    size_t room = function.len + 24;
    char *key = tp_arena_alloc(r->arena, room);
    int size = snprintf(key, room, "%.*s:%zu", (int)function.len, function.ptr, number);
    return (struct tp_str){key, (size_t)size};
}

void tp_compile_read_output_code(struct tp_compile_reader *r, struct tp_str text)
{
    struct tp_compile_draft *draft = tp_compile_draft_new(r);
    struct tp_str line, nodes = {NULL, 0}, key = {NULL, 0};
    bool is_inside = false;
    for (size_t at = 0; tp_compile_next_line(text, &at, &line);) {
        struct tp_str trimmed = tp_str_trim(line), function;
        is_inside |= is_start_of_calls(line);
        if (!is_inside)
            continue;
        if (tp_str_starts(trimmed, SOURCE_NODES)) {
            nodes = (struct tp_str){trimmed.ptr + strlen(SOURCE_NODES), trimmed.len - strlen(SOURCE_NODES)};
        } else if (tp_str_starts(trimmed, HANDLE)) {
            key = (struct tp_str){trimmed.ptr + strlen(HANDLE), trimmed.len - strlen(HANDLE)};
        } else if ((function = called_function(line)).len) {
            struct tp_compile_call *call =
                tp_compile_draft_call(r, draft, key.len ? key : make_key(r, function, draft->calls.count + 1));
            if (!call)
                break;
            add_nodes(r, call, nodes);
            nodes = key = (struct tp_str){NULL, 0};
        }
    }
    draft->has_nodes = draft->is_code = true;
    tp_compile_draft_keep(r, draft);
}
