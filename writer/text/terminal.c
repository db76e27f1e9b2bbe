/* Writes text for a terminal: see terminal.h. */
#include "writer/text/terminal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "writer/base/utf8.h"

/* Returns the length in bytes of the character at `at`, or 1 for an invalid byte. Sets *is_safe to whether the
 * character cannot control a terminal. */
static size_t character_length(struct tp_str text, size_t at, bool *is_safe)
{
    const unsigned char *p = (const unsigned char *)text.ptr + at;
    int size = tp_utf8_length(text.ptr + at, text.len - at);
    bool is_c0 = p[0] < 0x20 || p[0] == 0x7F, is_c1 = size == 2 && p[0] == 0xC2 && p[1] < 0xA0;
    *is_safe = size > 0 && !is_c0 && !is_c1 && !tp_utf8_bidi_length(text.ptr + at, text.len - at);
    return size > 0 ? (size_t)size : 1;
}

size_t tp_terminal_put(struct tp_buf *out, struct tp_str text, size_t columns)
{
    size_t used = 0;
    bool is_safe;
    for (size_t at = 0, size; at < text.len && used < columns; at += size, used++) {
        size = character_length(text, at, &is_safe);
        tp_buf_add(out, is_safe ? text.ptr + at : "?", is_safe ? size : 1);
    }
    return used;
}

size_t tp_terminal_width(struct tp_str text)
{
    size_t count = 0;
    bool is_safe;
    for (size_t at = 0; at < text.len; count++)
        at += character_length(text, at, &is_safe);
    return count;
}

void tp_terminal_clean(char *text, size_t size)
{
    bool is_safe;
    for (size_t at = 0, length; at < size; at += length) {
        length = character_length((struct tp_str){text, size}, at, &is_safe);
        if (!is_safe)
            memset(text + at, '?', length);
    }
}

static bool is_line_break(char c)
{
    return c == '\t' || c == '\r' || c == '\n';
}

void tp_terminal_clean_lines(char *text, size_t size)
{
    for (size_t at = 0, length; at < size; at += length + 1) {
        for (length = 0; at + length < size && !is_line_break(text[at + length]); length++)
            ;
        tp_terminal_clean(text + at, length);
    }
}

/* ---- commands in logs of CI services ---- */

/* Returns the number of bytes of spaces at the start of `text`. A space is any character that .NET's TrimStart
 * removes, because the runners of GitHub and Azure use it. */
static size_t length_of_leading_spaces(const char *text, size_t size)
{
    static const char *const wide[] = {"\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\xA8",
                                       "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};
    size_t at = 0, before = size;
    while (at < size && at != before) {
        before = at;
        while (at < size && (text[at] == ' ' || (text[at] >= 9 && text[at] <= 13)) && text[at] != '\n' &&
               text[at] != '\r')
            at++;
        for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
            if (size - at >= strlen(wide[i]) && memcmp(text + at, wide[i], strlen(wide[i])) == 0)
                at += strlen(wide[i]);
        if (size - at >= 3 && memcmp(text + at, "\xE2\x80", 2) == 0 && (unsigned char)text[at + 2] <= 0x8A)
            at += 3; /* the character is one of U+2000 to U+200A */
    }
    return at;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns whether the text begins with "##[", "##vso[" or "##teamcity[", which are commands anywhere in a line. */
static bool begins_with_bracket_command(const char *text, size_t size)
{
    size_t at = 2;
    if (size < 3 || text[0] != '#' || text[1] != '#')
        return false;
    while (at < size && is_letter(text[at]))
        at++;
    return at < size && text[at] == '[';
}

void tp_terminal_disable_commands(char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t first = at + length_of_leading_spaces(text + at, size - at);
        if (size - first >= 3 && text[first] == ':' && text[first + 1] == ':' && is_letter(text[first + 2]))
            text[first] = '?';
        for (at = first; at < size && text[at] != '\n' && text[at] != '\r'; at++)
            if (text[at] == '#' && begins_with_bracket_command(text + at, size - at))
                text[at + 1] = '?';
        at += at < size;
    }
}

void tp_terminal_disable_appended(struct tp_buf *out, size_t start)
{
    if (!out->failed && out->size > start)
        tp_terminal_disable_commands(out->data + start, out->size - start);
}

/* ---- columns ---- */

void tp_terminal_pad(struct tp_buf *out, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        tp_buf_putc(out, ' ');
}

void tp_terminal_put_left(struct tp_buf *out, const char *text, size_t columns)
{
    tp_terminal_pad(out, columns - tp_terminal_put(out, tp_str_of(text), columns));
}

void tp_terminal_put_right(struct tp_buf *out, const char *text, size_t columns)
{
    size_t width = tp_terminal_width(tp_str_of(text));
    tp_terminal_pad(out, width < columns ? columns - width : 0);
    tp_terminal_put(out, tp_str_of(text), SIZE_MAX);
}

void tp_terminal_put_wrapped(struct tp_buf *out, const char *text, size_t indent)
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
            size = character_length(word, at, &is_safe);
            tp_terminal_put(out, (struct tp_str){word.ptr + at, size}, 1);
        }
        text += word.len;
    }
    tp_buf_putc(out, '\n');
}
