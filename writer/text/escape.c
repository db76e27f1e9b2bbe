/* Escapes HTML: copies runs of harmless bytes, and replaces the other characters one by one. */
#include "writer/text/escape.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/* Table of bytes that need a check: control characters, the five markup characters, and all bytes beyond ASCII. */
static const uint8_t special[256] = {
    [0 ... 8] = 1, [11 ... 31] = 1, ['&'] = 1, ['<'] = 1, ['>'] = 1, ['"'] = 1, ['\''] = 1, [127 ... 255] = 1};

/* Returns the length of the valid UTF-8 sequence at p (at most `left` bytes), or 0 if the sequence is invalid. */
static size_t sequence_length(const uint8_t *p, size_t left)
{
    int length = tp_utf8_length((const char *)p, left);
    return length > 0 ? (size_t)length : 0;
}

static const char *character_reference(uint8_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return REPLACEMENT;
    }
}

/* Appends the replacement of the character at p. Returns the length of the character, bytes. */
static size_t put_replacement(struct tp_buf *out, const uint8_t *p, size_t left)
{
    size_t size = p[0] < 0x80 ? 0 : sequence_length(p, left);
    if (size == 0) {
        tp_buf_puts(out, character_reference(p[0]));
        return 1;
    }
    bool is_c1 = size == 2 && p[0] == 0xC2 && p[1] < 0xA0;
    unsigned bidi = tp_utf8_bidi_length((const char *)p, size);
    bool is_no_character = size == 3 && p[0] == 0xEF && p[1] == 0xBF && p[2] >= 0xBE; /* true for U+FFFE and U+FFFF,
                                                                                       * which XML does not allow */
    if (is_c1 || is_no_character)
        tp_buf_puts(out, REPLACEMENT);
    else if (bidi)
        tp_buf_printf(out, "\\u%04x", bidi);
    else
        tp_buf_add(out, p, size);
    return size;
}

void tp_html_escape(struct tp_buf *out, struct tp_str text)
{
    const uint8_t *bytes = (const uint8_t *)text.ptr;
    size_t from = 0;
    for (size_t i = 0; i < text.len;) {
        if (__builtin_expect(!special[bytes[i]], 1)) {
            i++;
            continue;
        }
        tp_buf_add(out, bytes + from, i - from);
        i += put_replacement(out, bytes + i, text.len - i);
        from = i;
    }
    if (from < text.len)
        tp_buf_add(out, bytes + from, text.len - from);
}

char *tp_name_escape(struct tp_arena *arena, struct tp_str text, const char *marks, size_t max_bytes)
{
    size_t size = text.len < max_bytes ? text.len : max_bytes;
    char *clean = size ? tp_arena_copy(arena, text.ptr, size) : tp_arena_copy(arena, "_", 1);
    for (char *c = clean; c < clean + size; c++) {
        bool is_plain = tp_is_digit(*c) || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z');
        if (!is_plain && (*c == '\0' || !strchr(marks, *c)))
            *c = '_';
    }
    return clean;
}

const char *tp_file_name_escape(struct tp_arena *arena, struct tp_str text)
{
    char *name = tp_name_escape(arena, text, "._-", TP_MAX_EXPORT_NAME_BYTES);
    if (*name == '.') /* a leading dot would make the file hidden, or denote the parent folder */
        *name = '_';
    return name;
}
