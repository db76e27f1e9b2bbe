/* Compiles a template in one pass: finds the next tag, and adds tokens for the text before the tag and for the tag. See
 * mustache.h. */
#include "webreport/print/mustache.h"

#include <string.h>

#include "writer/base/limits.h"

struct compiler {
    struct tp_str name, text;
    struct tp_vec tokens;
    uint32_t open[TP_MAX_TEMPLATE_DEPTH]; /* indexes of the tokens of sections that are still open */
    unsigned open_count;
    struct tp_str opening, closing; /* current opening and closing delimiters */
    size_t done;                    /* position in the template up to which the tokens are complete */
    struct tp_error *err;
};

/* A tag in the template: position of its first byte and of the byte after it, including delimiters, and its trimmed
 * content. */
struct tag {
    size_t begin, end;
    char sign; /* character that selects the kind of tag, such as '#'; 0 for a plain variable */
    struct tp_str content;
};

static bool is_blank_char(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct tp_str trim_blanks(struct tp_str text)
{
    while (text.len && is_blank_char(text.ptr[0]))
        text.ptr++, text.len--;
    while (text.len && is_blank_char(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

static int set_error(struct compiler *c, size_t at, int code, const char *what, struct tp_str name)
{
    unsigned line = 1;
    for (size_t i = 0; i < at && i < c->text.len; i++)
        line += c->text.ptr[i] == '\n';
    int shown = name.len > 60 ? 60 : (int)name.len;
    return tp_error_set(c->err, code, at, "template %.*s:%u: %s%s%.*s%s", (int)(c->name.len > 60 ? 60 : c->name.len),
                        c->name.ptr, line, what, shown ? " '" : "", shown, shown ? name.ptr : "", shown ? "'" : "");
}

static struct tp_mustache_token *add_token(struct compiler *c, enum tp_mustache_kind kind, struct tp_str text)
{
    struct tp_mustache_token *token = tp_vec_push(&c->tokens);
    token->kind = kind;
    token->text = text;
    return token;
}

/* Returns the position of the first `needle` at or after `from`; SIZE_MAX if none exists. */
static size_t find_text_from(struct tp_str text, size_t from, struct tp_str needle)
{
    const char *hit = from < text.len ? memmem(text.ptr + from, text.len - from, needle.ptr, needle.len) : NULL;
    return hit ? (size_t)(hit - text.ptr) : SIZE_MAX;
}

/* Reads the tag whose opening delimiter is at `begin`. */
static int read_tag(struct compiler *c, size_t begin, struct tag *tag)
{
    struct tp_str text = c->text, close = c->closing;
    size_t from = begin + c->opening.len;
    char sign = from < text.len ? text.ptr[from] : 0;
    char triple[TP_MAX_DELIMITER_BYTES + 1];
    if (sign == '{') {
        triple[0] = '}';
        memcpy(triple + 1, close.ptr, close.len);
        close = (struct tp_str){triple, close.len + 1};
    } else if (!sign || !strchr("#^/>&!=", sign)) {
        sign = 0;
    }
    from += sign != 0;
    size_t at = find_text_from(text, from, close);
    if (at == SIZE_MAX)
        return set_error(c, begin, TP_EFORMAT, "tag is not closed", (struct tp_str){"", 0});
    tag->begin = begin;
    tag->end = at + close.len;
    tag->sign = sign;
    tag->content = (struct tp_str){text.ptr + from, at - from};
    if (sign == '=' && tag->content.len && tag->content.ptr[tag->content.len - 1] == '=')
        tag->content.len--;
    tag->content = trim_blanks(tag->content);
    return 0;
}

/* Returns whether the tag is the only text on its line, apart from blanks. If so, sets *begin and *end to the bounds of
 * the whole line. */
static bool is_alone_on_line(const struct compiler *c, const struct tag *tag, size_t *begin, size_t *end)
{
    const char *s = c->text.ptr;
    size_t a = tag->begin, b = tag->end, size = c->text.len;
    if (!tag->sign || tag->sign == '{' || tag->sign == '&')
        return false;
    while (a > c->done && (s[a - 1] == ' ' || s[a - 1] == '\t'))
        a--;
    if (a > 0 && s[a - 1] != '\n')
        return false;
    while (b < size && (s[b] == ' ' || s[b] == '\t'))
        b++;
    if (b + 1 < size && s[b] == '\r' && s[b + 1] == '\n')
        b += 2;
    else if (b < size && s[b] == '\n')
        b++;
    else if (b < size)
        return false;
    *begin = a;
    *end = b;
    return true;
}

static int set_delimiters(struct compiler *c, const struct tag *tag)
{
    struct tp_str text = tag->content, opening = text;
    size_t i = 0;
    while (i < text.len && !is_blank_char(text.ptr[i]))
        i++;
    opening.len = i;
    struct tp_str closing = trim_blanks((struct tp_str){text.ptr + i, text.len - i});
    for (size_t k = 0; k < closing.len; k++)
        if (is_blank_char(closing.ptr[k]))
            closing.len = 0;
    if (!opening.len || !closing.len || memchr(text.ptr, '=', text.len))
        return set_error(c, tag->begin, TP_EFORMAT, "bad delimiters", text);
    if (opening.len > TP_MAX_DELIMITER_BYTES || closing.len > TP_MAX_DELIMITER_BYTES)
        return set_error(c, tag->begin, TP_ELIMIT, "delimiter longer than 16 bytes", (struct tp_str){"", 0});
    c->opening = opening;
    c->closing = closing;
    return 0;
}

static int open_section(struct compiler *c, const struct tag *tag)
{
    if (c->open_count == TP_MAX_TEMPLATE_DEPTH)
        return set_error(c, tag->begin, TP_ELIMIT, "more than 64 sections inside each other at", tag->content);
    c->open[c->open_count++] = (uint32_t)c->tokens.count;
    add_token(c, tag->sign == '#' ? TP_MUSTACHE_SECTION : TP_MUSTACHE_INVERTED, tag->content);
    return 0;
}

static int close_section(struct compiler *c, const struct tag *tag)
{
    if (!c->open_count)
        return set_error(c, tag->begin, TP_EFORMAT, "no open section", tag->content);
    uint32_t open = c->open[--c->open_count];
    if (!tp_str_equal(TP_AT(&c->tokens, struct tp_mustache_token, open)->text, tag->content))
        return set_error(c, tag->begin, TP_EFORMAT, "another section is open than", tag->content);
    add_token(c, TP_MUSTACHE_END, tag->content);
    TP_AT(&c->tokens, struct tp_mustache_token, open)->jump = (uint32_t)c->tokens.count;
    return 0;
}

static int compile_tag(struct compiler *c, const struct tag *tag, struct tp_str indent)
{
    switch (tag->sign) {
    case '#':
    case '^':
        return open_section(c, tag);
    case '/':
        return close_section(c, tag);
    case '=':
        return set_delimiters(c, tag);
    case '>':
        add_token(c, TP_MUSTACHE_PARTIAL, tag->content)->indent = indent;
        return 0;
    case '{':
    case '&':
        add_token(c, TP_MUSTACHE_RAW, tag->content);
        return 0;
    case '!':
        return 0;
    default:
        add_token(c, TP_MUSTACHE_ESCAPED, tag->content);
        return 0;
    }
}

static void add_text_token(struct compiler *c, size_t end)
{
    if (end > c->done)
        add_token(c, TP_MUSTACHE_TEXT, (struct tp_str){c->text.ptr + c->done, end - c->done});
}

int tp_mustache_compile(struct tp_mustache *out, struct tp_arena *arena, struct tp_str name, struct tp_str text,
                        struct tp_error *err)
{
    struct compiler c = {.name = name, .text = text, .opening = TP_STR("{{"), .closing = TP_STR("}}"), .err = err};
    c.tokens = TP_VEC(arena, struct tp_mustache_token);
    if (text.len > TP_MAX_TEMPLATE_BYTES)
        return set_error(&c, 0, TP_ELIMIT, "longer than 1 MiB", (struct tp_str){"", 0});
    for (size_t at = 0; (at = find_text_from(text, at, c.opening)) != SIZE_MAX; at = c.done) {
        struct tag tag = {0};
        int code = read_tag(&c, at, &tag);
        if (code)
            return code;
        size_t begin = tag.begin, end = tag.end;
        is_alone_on_line(&c, &tag, &begin, &end);
        add_text_token(&c, begin);
        code = compile_tag(&c, &tag, (struct tp_str){text.ptr + begin, tag.begin - begin});
        if (code)
            return code;
        c.done = end;
    }
    add_text_token(&c, text.len);
    if (c.open_count) {
        struct tp_str open = TP_AT(&c.tokens, struct tp_mustache_token, c.open[c.open_count - 1])->text;
        return set_error(&c, (size_t)(open.ptr - text.ptr), TP_EFORMAT, "section is not closed:", open);
    }
    *out = (struct tp_mustache){.name = name, .tokens = c.tokens.data, .token_count = (uint32_t)c.tokens.count};
    return 0;
}
