/* Text for a terminal: see terminal.h. */
#include "writer/text/terminal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "writer/base/utf8.h"

/* Bytes of the character at `at`, 1 for what is none. */
static size_t character(struct tp_str text, size_t at, bool *is_safe)
{
    const unsigned char *p = (const unsigned char *)text.ptr + at;
    int size = tp_utf8_length(text.ptr + at, text.len - at);
    bool is_c0 = p[0] < 0x20 || p[0] == 0x7F, is_c1 = size == 2 && p[0] == 0xC2 && p[1] < 0xA0;
    bool is_bidi = size == 3 && p[0] == 0xE2 &&
                   ((p[1] == 0x80 && p[2] >= 0xAA && p[2] <= 0xAE) || (p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9));
    *is_safe = size > 0 && !is_c0 && !is_c1 && !is_bidi;
    return size > 0 ? (size_t)size : 1;
}

size_t tp_terminal_put(struct tp_buf *out, struct tp_str text, size_t columns)
{
    size_t used = 0;
    bool is_safe;
    for (size_t at = 0, size; at < text.len && used < columns; at += size, used++) {
        size = character(text, at, &is_safe);
        tp_buf_add(out, is_safe ? text.ptr + at : "?", is_safe ? size : 1);
    }
    return used;
}

size_t tp_terminal_width(struct tp_str text)
{
    size_t count = 0;
    bool is_safe;
    for (size_t at = 0; at < text.len; count++)
        at += character(text, at, &is_safe);
    return count;
}

void tp_terminal_clean(char *text, size_t size)
{
    bool is_safe;
    for (size_t at = 0, length; at < size; at += length) {
        length = character((struct tp_str){text, size}, at, &is_safe);
        if (!is_safe)
            memset(text + at, '?', length);
    }
}

void tp_terminal_pad(struct tp_buf *out, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        tp_buf_putc(out, ' ');
}

void tp_terminal_left(struct tp_buf *out, const char *text, size_t columns)
{
    tp_terminal_pad(out, columns - tp_terminal_put(out, tp_str_of(text), columns));
}

void tp_terminal_right(struct tp_buf *out, const char *text, size_t columns)
{
    size_t width = tp_terminal_width(tp_str_of(text));
    tp_terminal_pad(out, width < columns ? columns - width : 0);
    tp_terminal_put(out, tp_str_of(text), SIZE_MAX);
}

void tp_terminal_wrap(struct tp_buf *out, const char *text, size_t indent)
{
    size_t whole = TP_TERMINAL_WIDTH - indent, used = 0;
    bool is_safe;
    while (*(text += strspn(text, " "))) {
        struct tp_str word = {text, strcspn(text, " ")};
        size_t columns = tp_terminal_width(word);
        if (used && used + 1 + columns > whole) {
            tp_buf_putc(out, '\n');
            used = 0;
        }
        tp_terminal_pad(out, used ? 1 : indent);
        used += used > 0;
        for (size_t at = 0, size; at < word.len; at += size, used++) {
            if (used == whole) {
                tp_buf_putc(out, '\n');
                tp_terminal_pad(out, indent);
                used = 0;
            }
            size = character(word, at, &is_safe);
            tp_terminal_put(out, (struct tp_str){word.ptr + at, size}, 1);
        }
        text += word.len;
    }
    tp_buf_putc(out, '\n');
}
