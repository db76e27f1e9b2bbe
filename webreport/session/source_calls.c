/* Finds calls of operators in the text of Python files: see source_calls.h. */
#include "webreport/session/source_calls.h"

#include <string.h>

#include "writer/text/format.h"

/* ---- lines of a text ---- */

bool tp_source_next_line(struct tp_str text, size_t *at, struct tp_str *line)
{
    if (*at >= text.len)
        return false;
    const char *end = memchr(text.ptr + *at, '\n', text.len - *at);
    *line = (struct tp_str){text.ptr + *at, (end ? (size_t)(end - text.ptr) : text.len) - *at};
    *at += line->len + 1;
    return true;
}

size_t tp_source_line_indent(struct tp_str line)
{
    size_t indent = 0;
    while (indent < line.len && (line.ptr[indent] == ' ' || line.ptr[indent] == '\t' || line.ptr[indent] == '\r'))
        indent++;
    return indent;
}

static struct tp_str text_after(struct tp_str text, size_t at)
{
    return (struct tp_str){text.ptr + at, text.len - at};
}

static size_t length_of_identifier(struct tp_str text)
{
    size_t size = 0;
    while (size < text.len && tp_is_word_character(text.ptr[size]))
        size++;
    return size;
}

/* ---- names of operators ---- */

/* Operators that Python code calls by other names, each with the texts that mean a call. */
static const struct {
    const char *operator, * tokens[8];
} known_calls[] = {
    {"item", {".item(", "float(", "int(", "bool(", ".tolist("}},
    {"_local_scalar_dense", {".item(", "float(", "int(", "bool("}},
    {"to", {".to(", ".double(", ".float(", ".half(", ".bfloat16(", ".cpu(", ".cuda("}},
    {"_to_copy", {".to(", ".double(", ".float(", ".half(", ".bfloat16("}},
    {"copy", {".copy_("}},
    {"nll_loss_nd", {".nll_loss("}},
    {"cross_entropy_loss", {".cross_entropy("}},
};

/* Returns the name of an operator without its namespace and final underscores: "add" for "aten::add_". */
static struct tp_str operator_without_namespace(struct tp_str operator)
{
    for (size_t i = operator.len; i-- > 0;)
        if (operator.ptr[i] == ':') {
            operator= text_after(operator, i + 1);
            break;
        }
    while (operator.len && operator.ptr[operator.len - 1] == '_')
        operator.len--;
    return operator;
}

/* Returns true if modules of `class` call the operator `name`: BatchNorm2d calls batch_norm, GELU calls gelu. */
static bool is_module_class_of(struct tp_str class, struct tp_str name)
{
    size_t at = 0;
    if (!class.len || class.ptr[0] < 'A' || class.ptr[0] > 'Z')
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '_')
            continue;
        char c = at < class.len ? class.ptr[at] : '\0';
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != name.ptr[i])
            return false;
        at++;
    }
    struct tp_str rest = text_after(class, at);
    return !rest.len || (rest.len == 2 && tp_is_digit(rest.ptr[0]) && rest.ptr[1] == 'd');
}

/* ---- modules that a file creates ---- */

enum { MOST_VALUE_BYTES = 4096 }; /* largest number of bytes that are searched in an assigned value */

/* Returns the name to which a line assigns a value: "self.fc" for "self.fc = ..". Returns "" for other lines. *at:
 * position after the '='. */
static struct tp_str assignment_target(struct tp_str line, size_t *at)
{
    size_t begin = tp_source_line_indent(line), size;
    bool is_self = tp_str_starts(text_after(line, begin), "self.");
    size =
        is_self ? 5 + length_of_identifier(text_after(line, begin + 5)) : length_of_identifier(text_after(line, begin));
    struct tp_str name = {line.ptr + begin, size}, rest = text_after(line, begin + size);
    size_t blanks = tp_source_line_indent(rest);
    bool is_assigned =
        blanks + 1 < rest.len && rest.ptr[blanks] == '=' && rest.ptr[blanks + 1] != '=' && size > (is_self ? 5u : 0u);
    *at = begin + size + blanks + 1;
    return is_assigned ? name : TP_STR("");
}

/* Returns true if an assigned value creates a module that calls the operator `name`. Searches `value` up to the end of
 * its first line, or to the closing bracket if brackets are open there. */
static bool is_module_creation(struct tp_str value, struct tp_str name)
{
    int open = 0;
    value.len = value.len < MOST_VALUE_BYTES ? value.len : MOST_VALUE_BYTES;
    for (size_t i = 0; i < value.len; i++) {
        size_t size = length_of_identifier(text_after(value, i));
        if (size && i + size < value.len && value.ptr[i + size] == '(' &&
            is_module_class_of((struct tp_str){value.ptr + i, size}, name))
            return true;
        i += size;
        if (i >= value.len || !value.ptr[i] || (value.ptr[i] == '\n' && !open))
            break;
        open += strchr("([{", value.ptr[i]) ? 1 : strchr(")]}", value.ptr[i]) ? -1 : 0;
    }
    return false;
}

static void add_token(struct tp_source_tokens *tokens, struct tp_str token)
{
    for (size_t i = 0; i < tokens->items.count; i++)
        if (tp_str_equal(*TP_AT(&tokens->items, struct tp_str, i), token))
            return;
    *(struct tp_str *)tp_vec_push(&tokens->items) = token;
}

void tp_source_tokens_init(struct tp_source_tokens *tokens, struct tp_str text, struct tp_str operator,
                           struct tp_arena * arena)
{
    struct tp_str line, name = operator_without_namespace(operator);
    *tokens = (struct tp_source_tokens){.items = TP_VEC(arena, struct tp_str)};
    if (!name.len)
        return;
    for (size_t i = 0; i < sizeof known_calls / sizeof *known_calls; i++)
        for (unsigned k = 0; tp_str_equal(name, tp_str_of(known_calls[i].operator)) && k < 8; k++)
            if (known_calls[i].tokens[k])
                add_token(tokens, tp_str_of(known_calls[i].tokens[k]));
    if (!tokens->items.count) {
        add_token(tokens, tp_str_of(tp_text_printf(arena, ".%.*s(", (int)name.len, name.ptr)));
        add_token(tokens, tp_str_of(tp_text_printf(arena, ".%.*s_(", (int)name.len, name.ptr)));
        add_token(tokens, tp_str_of(tp_text_printf(arena, "%.*s(", (int)name.len, name.ptr)));
    }
    for (size_t at = 0, begin = 0, value; tp_source_next_line(text, &at, &line); begin = at) {
        struct tp_str to = assignment_target(line, &value);
        if (to.len && is_module_creation(text_after(text, begin + value), name))
            add_token(tokens, tp_str_of(tp_text_printf(arena, "%.*s(", (int)to.len, to.ptr)));
    }
}

/* ---- calls in a line ---- */

/* Returns true if `token` occurs in `line` at position `at`, and not as the end of a longer name. */
static bool is_token_at(struct tp_str line, size_t at, struct tp_str token)
{
    if (token.len > line.len - at || memcmp(line.ptr + at, token.ptr, token.len) != 0)
        return false;
    return token.ptr[0] == '.' || at == 0 || (!tp_is_word_character(line.ptr[at - 1]) && line.ptr[at - 1] != '.');
}

unsigned tp_source_tokens_count_in(const struct tp_source_tokens *tokens, struct tp_str line)
{
    unsigned count = 0;
    for (size_t at = 0; at < line.len; at++) {
        if (line.ptr[at] == '#' && (at == 0 || line.ptr[at - 1] == ' '))
            break;
        for (size_t i = 0; i < tokens->items.count; i++)
            if (is_token_at(line, at, *TP_AT(&tokens->items, struct tp_str, i))) {
                count++;
                break;
            }
    }
    return count;
}
