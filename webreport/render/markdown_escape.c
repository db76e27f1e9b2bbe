/* Any text as Markdown that shows it as it is. */
#include "webreport/render/markdown_escape.h"

void tp_markdown_escape(struct tp_buf *out, struct tp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (c < ' ' || c == 0x7f)
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
