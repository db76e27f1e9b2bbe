/* Splits C++ names: see cxx_text.h. */
#include "writer/text/cxx_text.h"

struct tp_str tp_text_after(struct tp_str text, size_t at)
{
    return (struct tp_str){text.ptr + at, text.len - at};
}

struct tp_str tp_text_before(struct tp_str text, size_t at)
{
    return (struct tp_str){text.ptr, at};
}

/* ---- brackets ---- */

/* Returns whether a letter is a bracket. Callers test this first, because all other letters leave the depth
 * unchanged. */
static inline bool is_bracket(char c)
{
    static const bool BRACKETS[256] = {
        ['('] = true, ['['] = true, ['{'] = true, ['<'] = true, [')'] = true, [']'] = true, ['}'] = true, ['>'] = true};
    return BRACKETS[(unsigned char)c];
}

/* Returns the depth of brackets after the letter at `i`, which must be a bracket. */
static size_t depth_after_bracket(struct tp_str text, size_t i, size_t depth)
{
    char c = text.ptr[i], before = i ? text.ptr[i - 1] : ' ';
    bool is_angle = c == '<' || c == '>';
    if (is_angle && i >= 8 && memcmp(text.ptr + i - 8, "operator", 8) == 0)
        return depth;
    if (c == '(' || c == '[' || c == '{' || (c == '<' && before != '<'))
        return depth + 1;
    return depth - (depth && c != '<' && (c != '>' || before != '-'));
}

size_t tp_cxx_depth_after(struct tp_str text, size_t i, size_t depth)
{
    return is_bracket(text.ptr[i]) ? depth_after_bracket(text, i, depth) : depth;
}

size_t tp_cxx_find_outside(struct tp_str text, char c, size_t at)
{
    size_t depth = 0;
    for (size_t i = at; i < text.len; i++) {
        if (text.ptr[i] == c && depth == 0)
            return i;
        if (is_bracket(text.ptr[i]))
            depth = depth_after_bracket(text, i, depth);
    }
    return text.len;
}

/* Returns the position of a function's parameters, or the length of the name. The parameters begin at the first ( that
 * is not part of "(anonymous namespace)" or "operator()". */
size_t tp_cxx_find_parameters(struct tp_str name)
{
    for (size_t i = tp_cxx_find_outside(name, '(', 1); i < name.len; i = tp_cxx_find_outside(name, '(', i)) {
        if (tp_str_starts(tp_text_after(name, i), "(anonymous namespace)"))
            i += 21;
        else if (i >= 8 && tp_str_starts(tp_text_after(name, i - 8), "operator()"))
            i += 2;
        else
            return i;
    }
    return name.len;
}

/* Returns the position after the last "::" outside of brackets. */
static size_t last_word_start(struct tp_str path)
{
    size_t at = 0, depth = 0;
    for (size_t i = 0; i < path.len; i++) {
        if (depth == 0 && i + 1 < path.len && path.ptr[i] == ':' && path.ptr[i + 1] == ':')
            at = i + 2;
        if (is_bracket(path.ptr[i]))
            depth = depth_after_bracket(path, i, depth);
    }
    return at;
}

/* ---- "path::word<arguments>" ---- */

void tp_cxx_split_arguments(struct tp_cxx_entity *entity, struct tp_str list)
{
    while (list.len) {
        size_t end = tp_cxx_find_outside(list, ',', 0);
        if (entity->count == TP_CXX_ARGUMENTS) {
            entity->has_more = true;
            return;
        }
        entity->arguments[entity->count++] = tp_str_trim(tp_text_before(list, end));
        list = tp_text_after(list, end < list.len ? end + 1 : end);
    }
}

struct tp_cxx_entity tp_cxx_split_name(struct tp_str text)
{
    struct tp_cxx_entity entity = {.count = 0};
    text = tp_str_trim(text);
    size_t word = last_word_start(text), open = tp_cxx_find_outside(text, '<', word);
    entity.path = tp_text_before(text, word);
    entity.word = (struct tp_str){text.ptr + word, open - word};
    if (open + 1 < text.len && text.ptr[text.len - 1] == '>')
        tp_cxx_split_arguments(&entity, (struct tp_str){text.ptr + open + 1, text.len - open - 2});
    return entity;
}

bool tp_cxx_is_number(struct tp_str text)
{
    size_t i = text.len && text.ptr[0] == '-', digits = i;
    while (i < text.len && tp_is_digit(text.ptr[i]))
        i++;
    digits = i - digits;
    while (i < text.len && strchr("ul", text.ptr[i]))
        i++;
    return digits > 0 && i == text.len;
}

/* Returns the value in a text, such as 128 for "C<128>" of CUTLASS and 2 for "(Enum)2". Returns other texts
 * unchanged. */
struct tp_str tp_cxx_inner_value(struct tp_str text)
{
    if (text.len && text.ptr[0] == '(' && !tp_str_starts(text, "(anonymous")) {
        size_t close = 0, depth = 0;
        do
            depth = tp_cxx_depth_after(text, close++, depth);
        while (close < text.len && depth);
        if (close < text.len)
            return tp_text_after(text, close);
    }
    struct tp_cxx_entity entity = tp_cxx_split_name(text);
    bool is_constant = tp_str_equal(entity.word, TP_STR("C")) || tp_str_equal(entity.word, TP_STR("constant")) ||
                       tp_str_equal(entity.word, TP_STR("integral_constant"));
    if (is_constant && entity.count && tp_cxx_is_number(entity.arguments[entity.count - 1]))
        return entity.arguments[entity.count - 1];
    return text;
}
