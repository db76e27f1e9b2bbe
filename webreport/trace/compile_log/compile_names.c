/* Implements compile_names.h. */
#include "webreport/trace/compile_log/compile_names.h"

/* Returns the length of "graph_N_" at the beginning of a name; 0 if it has none. */
static size_t graph_prefix_length(struct tp_str name)
{
    size_t at = sizeof "graph_" - 1;
    if (!tp_str_starts(name, "graph_"))
        return 0;
    while (at < name.len && tp_is_digit(name.ptr[at]))
        at++;
    return at > sizeof "graph_" - 1 && at < name.len && name.ptr[at] == '_' ? at + 1 : 0;
}

static struct tp_str join_with_colons(struct tp_arena *arena, struct tp_str space, struct tp_str name)
{
    struct tp_vec text = TP_VEC(arena, char);
    tp_vec_add_text(&text, space);
    tp_vec_add_text(&text, TP_STR("::"));
    tp_vec_add_text(&text, name);
    return (struct tp_str){text.data, text.count};
}

/* Splits "SPACE.NAME" or "SPACE::NAME", both also followed by ".OVERLOAD". Returns false for other texts. */
static bool split_operator(struct tp_str text, struct tp_str *space, struct tp_str *name)
{
    size_t at = tp_compile_word_length(text), sign = at;
    while (sign < text.len && (text.ptr[sign] == '.' || text.ptr[sign] == ':'))
        sign++;
    struct tp_str rest = {text.ptr + sign, text.len - sign};
    *space = (struct tp_str){text.ptr, at};
    *name = (struct tp_str){rest.ptr, tp_compile_word_length(rest)};
    if (!at || sign == at || !name->len)
        return false;
    rest = (struct tp_str){rest.ptr + name->len, rest.len - name->len};
    if (!rest.len)
        return true;
    struct tp_str overload = {rest.ptr + 1, rest.len - 1};
    return *rest.ptr == '.' && overload.len && tp_compile_word_length(overload) == overload.len;
}

struct tp_str tp_compile_operator_name(struct tp_arena *arena, struct tp_str name)
{
    const size_t external = sizeof "extern_kernels." - 1, registered = sizeof "torch.ops." - 1;
    struct tp_str space, text, rest = {name.ptr + external, name.len - external};
    if (tp_str_starts(name, "extern_kernels.") && rest.len && tp_compile_word_length(rest) == rest.len)
        return join_with_colons(arena, TP_STR("aten"), rest);
    rest = (struct tp_str){name.ptr + registered, name.len - registered};
    bool is_operator = tp_str_starts(name, "torch.ops.") && split_operator(rest, &space, &text);
    if (is_operator || split_operator(name, &space, &text))
        return join_with_colons(arena, space, text);
    size_t prefix = graph_prefix_length(name);
    return (struct tp_str){name.ptr + prefix, name.len - prefix};
}

struct tp_str tp_compile_kernel_family(struct tp_str name)
{
    size_t prefix = graph_prefix_length(name), least = sizeof "triton_" - 1, at;
    struct tp_str family = {name.ptr + prefix, name.len - prefix};
    if (tp_str_starts(family, "cpp_"))
        least = sizeof "cpp" - 1;
    else if (!tp_str_starts(family, "triton_"))
        return name;
    for (at = family.len; at && tp_is_digit(family.ptr[at - 1]); at--)
        ;
    if (at < family.len && at > least && family.ptr[at - 1] == '_')
        family.len = at - 1;
    return family;
}

bool tp_compile_has_name(const struct tp_strings *names)
{
    static const char *const beginnings[] = {"## Call CompiledFxGraph", "Torch-Compiled Region", "triton_", "cpp_fused",
                                             NULL};
    for (uint32_t i = 0; i < names->count; i++) {
        struct tp_str name = names->items[i];
        if (tp_str_starts_with_one_of(name, beginnings) || tp_str_ends(name, ": call") ||
            tp_str_find(name, ": partition_") >= 0 || tp_str_find(name, "_cpp_fused") >= 0)
            return true;
    }
    return false;
}
