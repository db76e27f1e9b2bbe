/* Any text as Markdown that shows it as it is. */
#include "writer/text/markdown_escape.h"

#include "writer/base/utf8.h"

/* Bytes of a character that Markdown takes as it is but that no text may hold: U+0080..9F, and the bidirectional
 * controls, which make a line read as another one. 0: it is none. */
static size_t put_invisible(struct tp_buf *out, const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    if (left >= 2 && p[0] == 0xC2 && p[1] >= 0x80 && p[1] < 0xA0) {
        tp_buf_putc(out, ' ');
        return 2;
    }
    unsigned bidi = tp_utf8_bidi(text, left);
    if (!bidi)
        return 0;
    tp_buf_printf(out, "\\\\u%04x", bidi);
    return bidi < 0x800 ? 2 : 3;
}

void tp_markdown_escape(struct tp_buf *out, struct tp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        size_t invisible = c < 0x80 ? 0 : put_invisible(out, text.ptr + i, text.len - i);

        if (invisible)
            i += invisible - 1;
        else if (c < ' ' || c == 0x7f)
            tp_buf_putc(out, ' ');
        else if (c == '<')
            tp_buf_puts(out, "&lt;");
        else if (c == '>')
            tp_buf_puts(out, "&gt;");
        else if (c == '&')
            tp_buf_puts(out, "&amp;");
        else if (c == '@')
            tp_buf_puts(out, "&#64;");
        else if (c == ':' && i + 2 < text.len && text.ptr[i + 1] == '/' && text.ptr[i + 2] == '/')
            tp_buf_puts(out, "&#58;");
        else if (strchr("\\`*_[]|~#!", c))
            tp_buf_printf(out, "\\%c", c);
        else
            tp_buf_putc(out, (char)c);
    }
}
