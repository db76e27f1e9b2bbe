/* CSV: see csv.h. */
#include "writer/text/csv_cell.h"

void tp_csv_text(struct tp_buf *out, struct tp_str text)
{
    tp_buf_putc(out, '"');
    if (text.len && text.ptr[0] && strchr("=+-@\t\r", text.ptr[0]))
        tp_buf_putc(out, '\'');
    for (const char *quote; (quote = memchr(text.ptr ? text.ptr : "", '"', text.len));) {
        size_t size = (size_t)(quote - text.ptr) + 1;
        tp_buf_add(out, text.ptr, size);
        tp_buf_putc(out, '"');
        text.ptr += size;
        text.len -= size;
    }
    tp_buf_add(out, text.ptr, text.len);
    tp_buf_putc(out, '"');
}
