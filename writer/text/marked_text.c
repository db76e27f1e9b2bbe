/* Implements marked_text.h: marks are four control bytes, which begin and end code and bold words. */
#include "writer/text/marked_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CODE = 1, CODE_END, BOLD, BOLD_END };
static const char MARKS[] = {CODE, CODE_END, BOLD, BOLD_END, '\0'};

static bool is_mark(char c)
{
    return c >= CODE && c <= BOLD_END;
}

const char *tp_marked_text(struct tp_arena *arena, const char *own)
{
    char *marked = tp_arena_copy(arena, own, strlen(own)), *out = marked;
    bool is_code = false, is_bold = false;
    for (const char *in = own; *in; in++) {
        if (*in == '`') {
            is_code = !is_code;
            *out++ = is_code ? CODE : CODE_END;
        } else if (!is_code && in[0] == '*' && in[1] == '*') {
            is_bold = !is_bold;
            *out++ = is_bold ? BOLD : BOLD_END;
            in++;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
    return marked;
}

static size_t count_marks(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += is_mark(*text);
    return count;
}

/* Copies a text without marks. `to` has room for `size` bytes. Returns the number of copied bytes. */
static size_t copy_without_marks(char *to, const char *from, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        if (!is_mark(from[i]))
            to[count++] = from[i];
    return count;
}

const char *tp_marked_printf(struct tp_arena *arena, const char *format, ...)
{
    const char *marked = tp_marked_text(arena, format);
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    /* marked is the format without its backticks and asterisks, so the compiler has checked its conversions */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int size = vsnprintf(NULL, 0, marked, args);
    char *text = tp_arena_alloc(arena, (size_t)size + 1);
    vsnprintf(text, (size_t)size + 1, marked, again);
#pragma GCC diagnostic pop
    va_end(again);
    va_end(args);
    if (count_marks(text) != count_marks(marked))
        text[copy_without_marks(text, text, (size_t)size)] = '\0';
    return text;
}

struct tp_str tp_marked_argument(struct tp_arena *arena, struct tp_str text)
{
    size_t at = 0;
    while (at < text.len && !is_mark(text.ptr[at]))
        at++;
    if (at == text.len)
        return text;
    char *copy = tp_arena_alloc(arena, text.len);
    return (struct tp_str){copy, copy_without_marks(copy, text.ptr, text.len)};
}

const char *tp_marked_plain(struct tp_arena *arena, const char *marked)
{
    if (!marked)
        return NULL;
    char *plain = tp_arena_alloc(arena, 2 * strlen(marked) + 1), *out = plain;
    for (; *marked; marked++) {
        bool is_bold = *marked == BOLD || *marked == BOLD_END;
        *out++ = is_bold ? '*' : is_mark(*marked) ? '`' : *marked;
        if (is_bold)
            *out++ = '*';
    }
    *out = '\0';
    return plain;
}

bool tp_marked_next_run(struct tp_marked_walk *walk, struct tp_marked_run *run)
{
    for (; is_mark(*walk->rest); walk->rest++) {
        walk->is_code = *walk->rest == CODE || (walk->is_code && *walk->rest != CODE_END);
        walk->is_bold = *walk->rest == BOLD || (walk->is_bold && *walk->rest != BOLD_END);
    }
    size_t length = strcspn(walk->rest, MARKS);
    *run = (struct tp_marked_run){{walk->rest, length}, walk->is_code, walk->is_bold};
    walk->rest += length;
    return length > 0;
}
