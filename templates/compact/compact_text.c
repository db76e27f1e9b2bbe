/* Implements compact_text.h: copies the text token by token and leaves out spaces next to punctuation. */
#include "templates/compact/compact_text.h"

#include <stdbool.h>
#include <string.h>

#include "templates/compact/script_text.h"

struct compactor {
    char *text; /* the text; its shortened form is written to its start */
    size_t size, at, used;
    char last; /* last character of the shortened form that is not a space; 0 at the start */
    enum tp_compact_kind kind;
};

static bool is_in(char c, const char *set)
{
    return c && strchr(set, c) != NULL;
}

static char char_at(const struct compactor *c, size_t at)
{
    return at < c->size ? c->text[at] : 0;
}

static void keep_char(struct compactor *c)
{
    char kept = c->text[c->at++];
    c->text[c->used++] = kept;
    if (!is_in(kept, " \n"))
        c->last = kept;
}

/* Copies a string or a regular expression. */
static void keep_quoted(struct compactor *c)
{
    size_t end = tp_script_quoted_end(c->text, c->size, c->at);
    while (c->at < end)
        keep_char(c);
}

/* Skips a comment. A comment for readers of the page is copied. */
static void skip_comment(struct compactor *c)
{
    bool is_kept = char_at(c, c->at + 2) == '!';
    char before = c->last;
    size_t end = c->at + 2;
    while (end < c->size && !(c->text[end] == '*' && char_at(c, end + 1) == '/'))
        end++;
    end = end + 2 < c->size ? end + 2 : c->size;
    while (c->at < end) {
        if (is_kept)
            keep_char(c);
        else
            c->at++;
    }
    c->last = before;
}

/* Returns whether a space between two characters of a script has no meaning. */
static bool is_space_idle_in_script(char before, char after)
{
    static const char punctuation[] = "{}()[];,=<>?:&|!*%+-";
    bool makes_operator = (is_in(before, "+-") && is_in(after, "+-")) || (before == '<' && after == '!') ||
                          (before == '-' && after == '>') || after == '/';
    return !makes_operator && (is_in(before, punctuation) || is_in(after, punctuation));
}

/* Returns whether the space or line end at c->at can be left out. The character before it is not a space. */
static bool is_space_idle(const struct compactor *c)
{
    char after = char_at(c, c->at + 1);
    bool is_line_end = c->text[c->at] == '\n';
    if (is_in(after, " \n") || !c->last)
        return !is_line_end || after == '\n' || !c->last;
    if (c->kind == TP_COMPACT_STYLE)
        return is_in(c->last, "{};:,(") || (!is_line_end && is_in(after, "{}"));
    return is_line_end ? is_in(c->last, "{;,(") : is_space_idle_in_script(c->last, after);
}

static bool starts_regular_expression(const struct compactor *c)
{
    return c->kind == TP_COMPACT_SCRIPT && tp_script_slash_opens_expression(c->text, c->used, c->last);
}

size_t tp_compact_text(char *text, size_t size, enum tp_compact_kind kind)
{
    struct compactor c = {.text = text, .size = size, .kind = kind};
    while (c.at < c.size) {
        char now = c.text[c.at];
        if (is_in(now, "'\""))
            keep_quoted(&c);
        else if (now == '/' && char_at(&c, c.at + 1) == '*')
            skip_comment(&c);
        else if (now == '/' && starts_regular_expression(&c))
            keep_quoted(&c);
        else if (now == '`')
            while (c.at < c.size)
                keep_char(&c);
        else if (is_in(now, " \n") && is_space_idle(&c))
            c.at++;
        else
            keep_char(&c);
    }
    return c.used;
}
