/* Reads filters of rows: see where.h. */
#include "webreport/ask/where.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

/* Position in the text of a filter. */
struct reading {
    struct tp_str text;
    size_t at;
    struct tp_arena *arena;
};

static char next(const struct reading *r)
{
    return r->at < r->text.len ? r->text.ptr[r->at] : '\0';
}

static void skip_space(struct reading *r)
{
    while (next(r) == ' ' || next(r) == '\t' || next(r) == '\n' || next(r) == '\r')
        r->at++;
}

static struct tp_str read_word(struct reading *r)
{
    struct tp_str word = {r->text.ptr + r->at, 0};
    while (tp_is_word_character(next(r))) {
        r->at++;
        word.len++;
    }
    return word;
}

static bool is_word(struct tp_str word, const char *lower)
{
    return word.len == strlen(lower) && strncasecmp(word.ptr, lower, word.len) == 0;
}

static const char *read_comparison(struct reading *r)
{
    /* the longer ones come first, because the others are their beginnings */
    static const char *const signs[] = {"<=", ">=", "!=", "=", "<", ">"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        struct tp_str rest = {r->text.ptr + r->at, r->text.len - r->at};
        if (tp_str_starts(rest, signs[i])) {
            r->at += strlen(signs[i]);
            return signs[i];
        }
    }
    return is_word(read_word(r), "like") ? "like" : NULL;
}

/* Reads the rest of a text after its opening quote. Two quotes stand for one. */
static bool read_text(struct reading *r, struct tp_str *text)
{
    char *copy = tp_arena_alloc(r->arena, r->text.len - r->at + 1);
    size_t size = 0;
    for (; r->at < r->text.len; r->at++) {
        if (next(r) == '\'') {
            if (r->at + 1 >= r->text.len || r->text.ptr[r->at + 1] != '\'') {
                r->at++;
                *text = (struct tp_str){copy, size};
                return true;
            }
            r->at++;
        }
        copy[size++] = next(r);
    }
    return false;
}

static bool read_number(struct reading *r, struct tp_where_term *term)
{
    char digits[64], *end;
    size_t size = 0;
    while (size < sizeof digits - 1 && (tp_is_digit(next(r)) || next(r) == '.' || (next(r) == '-' && size == 0)))
        digits[size++] = r->text.ptr[r->at++];
    digits[size] = '\0';
    if (!size || !tp_is_digit(digits[size - 1]) || digits[0] == '.' || tp_is_word_character(next(r)))
        return false;
    errno = 0;
    term->integer = strtoll(digits, &end, 10);
    term->is_integer = *end == '\0' && errno == 0;
    term->real = strtod(digits, &end);
    return *end == '\0' && isfinite(term->real);
}

static bool read_term(struct reading *r, struct tp_where_term *term)
{
    skip_space(r);
    term->column = read_word(r);
    if (!term->column.len || tp_is_digit(term->column.ptr[0]))
        return false;
    skip_space(r);
    term->comparison = read_comparison(r);
    if (!term->comparison)
        return false;
    skip_space(r);
    term->is_text = next(r) == '\'';
    r->at += term->is_text;
    return term->is_text ? read_text(r, &term->text) : read_number(r, term);
}

int tp_where_read(struct tp_where *where, struct tp_str text, struct tp_arena *arena, struct tp_error *err)
{
    struct reading r = {text, 0, arena};
    *where = (struct tp_where){.count = 0};
    skip_space(&r);
    while (r.at < text.len) {
        if (where->count == TP_MAX_ASK_WHERE_TERMS)
            return tp_error_set(err, TP_EUSAGE, r.at, "where: at most %d comparisons", TP_MAX_ASK_WHERE_TERMS);
        if (!read_term(&r, &where->terms[where->count]))
            return tp_error_set(err, TP_EUSAGE, r.at, "where: byte %zu is wrong", r.at);
        where->count++;
        size_t before = r.at;
        skip_space(&r);
        if (r.at == text.len)
            return TP_OK;
        if (r.at == before || !is_word(read_word(&r), "and") || tp_is_word_character(next(&r)))
            return tp_error_set(err, TP_EUSAGE, r.at, "where: byte %zu is wrong", r.at);
        size_t after = r.at;
        skip_space(&r);
        if (r.at == after || r.at == text.len)
            return tp_error_set(err, TP_EUSAGE, r.at, "where: byte %zu is wrong", r.at);
    }
    return TP_OK;
}
