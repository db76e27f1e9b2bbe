/* Text for a terminal: see terminal.h. */
#include "webreport/check/terminal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the character at `text`, 1 for what a terminal might obey: it is shown as '?'. */
static size_t character(const char *text, bool *is_safe)
{
    unsigned char first = (unsigned char)text[0];
    size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    bool is_broken = first >= 0x80 && first < 0xC2;
    for (size_t i = 1; i < size && !is_broken; i++)
        is_broken = ((unsigned char)text[i] & 0xC0) != 0x80;
    bool is_c1 = first == 0xC2 && (unsigned char)text[1] < 0xA0;
    *is_safe = !is_broken && !is_c1 && first >= 0x20 && first != 0x7F;
    return is_broken ? 1 : size;
}

size_t tp_terminal_put(struct tp_buf *out, const char *text, size_t columns)
{
    size_t used = 0;
    for (bool is_safe; *text && used < columns; used++) {
        size_t size = character(text, &is_safe);
        tp_buf_add(out, is_safe ? text : "?", is_safe ? size : 1);
        text += size;
    }
    return used;
}

size_t tp_terminal_width(const char *text)
{
    size_t count = 0;
    for (bool is_safe; *text; count++)
        text += character(text, &is_safe);
    return count;
}

void tp_terminal_pad(struct tp_buf *out, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        tp_buf_putc(out, ' ');
}

void tp_terminal_left(struct tp_buf *out, const char *text, size_t columns)
{
    tp_terminal_pad(out, columns - tp_terminal_put(out, text, columns));
}

void tp_terminal_right(struct tp_buf *out, const char *text, size_t columns)
{
    size_t width = tp_terminal_width(text);
    tp_terminal_pad(out, width < columns ? columns - width : 0);
    tp_terminal_put(out, text, SIZE_MAX);
}

void tp_terminal_wrap(struct tp_buf *out, const char *text, size_t indent)
{
    size_t whole = TP_TERMINAL_WIDTH - indent, used = 0;
    bool is_safe;
    while (*(text += strspn(text, " "))) {
        const char *end = text + strcspn(text, " ");
        size_t columns = 0;
        for (const char *at = text; at < end; columns++)
            at += character(at, &is_safe);
        if (used && used + 1 + columns > whole) {
            tp_buf_putc(out, '\n');
            used = 0;
        }
        tp_terminal_pad(out, used ? 1 : indent);
        used += used > 0;
        for (; text < end; used++) {
            if (used == whole) {
                tp_buf_putc(out, '\n');
                tp_terminal_pad(out, indent);
                used = 0;
            }
            tp_terminal_put(out, text, 1);
            text += character(text, &is_safe);
        }
    }
    tp_buf_putc(out, '\n');
}
