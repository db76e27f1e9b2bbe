/* Writes cells of CSV: see csv_cell.h. */
#include "writer/text/csv_cell.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "writer/base/put.h"
#include "writer/base/utf8.h"

/* Ranges of invisible characters: controls, spaces of all widths, joiners, direction marks, fillers, variation
 * selectors, tags. Unicode 15, general categories Cc, Zs, Zl, Zp, Cf and Default_Ignorable_Code_Point. */
static const struct {
    uint32_t first, last;
} invisible[] = {{0x0000, 0x0020}, {0x007F, 0x00A0}, {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x061C, 0x061C},
                 {0x115F, 0x1160}, {0x1680, 0x1680}, {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x2000, 0x200F},
                 {0x2028, 0x202F}, {0x205F, 0x206F}, {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164},
                 {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF}};

/* Returns the first character of a text and sets *length to its length in bytes. For invalid UTF-8, returns the first
 * byte. */
static uint32_t first_character(const char *text, size_t size, size_t *length)
{
    int bytes = tp_utf8_length(text, size);
    *length = bytes > 1 ? (size_t)bytes : 1;
    return tp_utf8_get(text, (int)*length);
}

static bool is_invisible(uint32_t character)
{
    bool is_one = false;
    for (size_t i = 0; i < sizeof invisible / sizeof *invisible; i++)
        is_one |= character >= invisible[i].first && character <= invisible[i].last;
    return is_one;
}

static bool is_line_break(char c)
{
    return c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

/* Returns whether a spreadsheet may treat the text as a formula. Spreadsheets split pasted text at line feeds and tabs,
 * and each part may be a formula. Some spreadsheets ignore invisible characters before a formula. Full-width and small
 * signs are treated as plain signs. is_part: the text follows a line feed or tab and ends at the next one. */
static bool may_be_formula(const char *text, size_t size, bool is_part)
{
    static const uint32_t signs[] = {'=',    '+',    '-',    '@',    0xFF1D, 0xFF0B, 0xFF0D,
                                     0xFF20, 0xFE66, 0xFE62, 0xFE63, 0xFE6B, 0x2212};
    size_t length;
    uint32_t character = 0;
    for (; size; text += length, size -= length) {
        character = first_character(text, size, &length);
        if (!is_invisible(character) || (is_part && is_line_break(*text)))
            break;
    }
    for (size_t i = 0; size && i < sizeof signs / sizeof *signs; i++)
        if (character == signs[i])
            return true;
    return false;
}

/* Writes a text without quotes and breaks that begins with a letter; most texts have this form. Returns false, and
 * writes nothing, for other texts. */
static bool put_text_without_quotes(struct tp_buf *out, struct tp_str text)
{
    bool is_odd = false;
    if (text.len == 0 || (unsigned char)text.ptr[0] <= '@' || (unsigned char)text.ptr[0] >= 0x7F)
        return false;
    for (size_t i = 0; i < text.len; i++)
        is_odd |= text.ptr[i] == '"' || (unsigned char)text.ptr[i] < ' ';
    char *at = is_odd ? NULL : tp_put_at(out, text.len + 2);
    if (at)
        tp_put_finish(out, TP_PUT_TEXT(tp_put_bytes(TP_PUT_TEXT(at, "\""), text.ptr, text.len), "\""));
    return !is_odd;
}

void tp_csv_put_text(struct tp_buf *out, struct tp_str text)
{
    if (put_text_without_quotes(out, text))
        return;
    tp_buf_putc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        bool begins = i == 0 || is_line_break(text.ptr[i - 1]);
        if ((i == 0 && is_line_break(text.ptr[0])) || (begins && may_be_formula(text.ptr + i, text.len - i, i > 0)))
            tp_buf_putc(out, '\'');
        if (text.ptr[i] == '"')
            tp_buf_putc(out, '"');
        tp_buf_putc(out, text.ptr[i]);
    }
    tp_buf_putc(out, '"');
}
