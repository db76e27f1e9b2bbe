/* CSV: see csv.h. */
#include "writer/text/csv_cell.h"

#include <stdbool.h>
#include <string.h>

#include "writer/base/put.h"

/* Spreadsheets split pasted text at line feeds and tabs: each part may be a formula. Of full width are ＝ ＋ － ＠. */
static bool is_formula(const char *text, size_t size)
{
    static const char *const wide[] = {"\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
    while (size && *text == ' ') {
        text++;
        size--;
    }
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (size >= 3 && memcmp(text, wide[i], 3) == 0)
            return true;
    return size && *text && strchr("=+-@", *text);
}

static bool is_break(char c)
{
    return c == '\t' || c == '\r' || c == '\n';
}

/* A text that is its own cell, as millions are: nothing in it is a quote or breaks it, and it begins with a letter or
 * the like. False: it may need more. */
static bool put_plain(struct tp_buf *out, struct tp_str text)
{
    bool is_odd = false;
    if (text.len == 0 || (unsigned char)text.ptr[0] <= '@' || (unsigned char)text.ptr[0] >= 0x80)
        return false;
    for (size_t i = 0; i < text.len; i++)
        is_odd |= text.ptr[i] == '"' || (unsigned char)text.ptr[i] < ' ';
    char *at = is_odd ? NULL : tp_put_at(out, text.len + 2);
    if (at)
        tp_put_done(out, TP_PUT_TEXT(tp_put_bytes(TP_PUT_TEXT(at, "\""), text.ptr, text.len), "\""));
    return !is_odd;
}

void tp_csv_text(struct tp_buf *out, struct tp_str text)
{
    if (put_plain(out, text))
        return;
    tp_buf_putc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        bool begins = i == 0 || is_break(text.ptr[i - 1]);
        if ((i == 0 && is_break(text.ptr[0])) || (begins && is_formula(text.ptr + i, text.len - i)))
            tp_buf_putc(out, '\'');
        if (text.ptr[i] == '"')
            tp_buf_putc(out, '"');
        tp_buf_putc(out, text.ptr[i]);
    }
    tp_buf_putc(out, '"');
}
