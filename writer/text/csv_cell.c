/* CSV: see csv.h. */
#include "writer/text/csv_cell.h"

#include <stdbool.h>
#include <string.h>

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

void tp_csv_text(struct tp_buf *out, struct tp_str text)
{
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
