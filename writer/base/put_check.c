/* Checks whether a text is one JSON value, with a stack of bits instead of recursion: see tp_put_is_json in put.h. */
#include "writer/base/put.h"
#include "writer/base/utf8.h"

enum { MAX_DEPTH = 1024 };

struct cursor {
    const char *at, *end;
    unsigned depth, max_depth;
    uint8_t is_object[MAX_DEPTH / 8]; /* bit for each open bracket: 1 for an object, 0 for an array */
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

static bool skip_character(struct cursor *c, char want)
{
    if (c->at >= c->end || *c->at != want)
        return false;
    c->at++;
    return true;
}

static size_t skip_digits(struct cursor *c)
{
    const char *from = c->at;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        c->at++;
    return (size_t)(c->at - from);
}

static bool skip_number(struct cursor *c)
{
    skip_character(c, '-');
    if (!skip_character(c, '0') && !skip_digits(c))
        return false;
    if (skip_character(c, '.') && !skip_digits(c))
        return false;
    if (skip_character(c, 'e') || skip_character(c, 'E')) {
        if (!skip_character(c, '+'))
            skip_character(c, '-');
        return skip_digits(c) > 0;
    }
    return true;
}

static bool skip_escape(struct cursor *c)
{
    if (c->at >= c->end)
        return false;
    char kind = *c->at++;
    if (kind != 'u')
        return kind != '\0' && strchr("\"\\/bfnrt", kind) != NULL;
    for (int i = 0; i < 4; i++, c->at++)
        if (c->at >= c->end || !*c->at || !strchr("0123456789abcdefABCDEF", *c->at))
            return false;
    return true;
}

static bool skip_string(struct cursor *c)
{
    if (!skip_character(c, '"'))
        return false;
    while (c->at < c->end) {
        unsigned char byte = (unsigned char)*c->at;
        int n = tp_utf8_length(c->at, (size_t)(c->end - c->at));
        if (n < 0 || byte < 0x20)
            return false;
        c->at += n;
        if (byte == '"')
            return true;
        if (byte == '\\' && !skip_escape(c))
            return false;
    }
    return false;
}

static bool skip_word(struct cursor *c, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

static bool skip_scalar(struct cursor *c)
{
    if (c->at < c->end && *c->at == '"')
        return skip_string(c);
    return skip_word(c, "true") || skip_word(c, "false") || skip_word(c, "null") || skip_number(c);
}

static bool is_in_object(const struct cursor *c)
{
    unsigned level = c->depth - 1;
    return c->is_object[level / 8] >> (level % 8) & 1;
}

static bool skip_key(struct cursor *c)
{
    skip_blanks(c);
    if (!skip_string(c))
        return false;
    skip_blanks(c);
    return skip_character(c, ':');
}

/* Reads the text after an opening bracket. Returns false at a syntax error. *is_value: true if the closing bracket
 * follows immediately, which completes an empty object or array. */
static bool skip_opening_bracket(struct cursor *c, bool is_object, bool *is_value)
{
    if (c->depth >= c->max_depth)
        return false;
    unsigned bit = 1u << (c->depth % 8);
    uint8_t *byte = &c->is_object[c->depth / 8];
    *byte = (uint8_t)(is_object ? *byte | bit : *byte & ~bit);
    c->depth++;
    skip_blanks(c);
    *is_value = skip_character(c, is_object ? '}' : ']');
    if (*is_value)
        c->depth--;
    return *is_value || !is_object || skip_key(c);
}

/* Reads the text after a value: closing brackets, or a comma. Returns false at a syntax error. *is_done: true if the
 * outermost value is complete. */
static bool skip_closing_brackets(struct cursor *c, bool *is_done)
{
    for (;;) {
        skip_blanks(c);
        *is_done = c->depth == 0;
        if (*is_done)
            return c->at == c->end;
        if (skip_character(c, ','))
            return !is_in_object(c) || skip_key(c);
        if (!skip_character(c, is_in_object(c) ? '}' : ']'))
            return false;
        c->depth--;
    }
}

bool tp_put_is_json(struct tp_str text, unsigned max_depth)
{
    struct cursor c = {.at = text.ptr, .end = text.ptr + text.len, .max_depth = max_depth};
    if (!text.ptr)
        return false;
    if (c.max_depth > MAX_DEPTH)
        c.max_depth = MAX_DEPTH;
    for (bool is_done = false; !is_done;) {
        bool is_value = true;
        skip_blanks(&c);
        if (skip_character(&c, '{')) {
            if (!skip_opening_bracket(&c, true, &is_value))
                return false;
        } else if (skip_character(&c, '[')) {
            if (!skip_opening_bracket(&c, false, &is_value))
                return false;
        } else if (!skip_scalar(&c)) {
            return false;
        }
        if (is_value && !skip_closing_brackets(&c, &is_done))
            return false;
    }
    return true;
}
