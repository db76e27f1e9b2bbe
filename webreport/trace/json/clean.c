/* Unescapes strings and makes values compact: see clean.h. Runs once for each distinct text, so clear code matters
 * more than speed. */
#include "webreport/trace/json/clean.h"

#include "webreport/trace/json/strict.h"
#include "writer/base/json_out.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

bool tp_clean_is_plain(struct tp_str raw)
{
    unsigned char bad = 0;
    for (size_t i = 0; i < raw.len; i++) {
        unsigned char c = (unsigned char)raw.ptr[i];
        bad |= (c >= 0x80) | (c < 0x20) | (c == '\\');
    }
    return !bad;
}

static void append_code_point(struct tp_buf *out, uint32_t c)
{
    char bytes[4];
    tp_buf_add(out, bytes, tp_utf8_put(bytes, c));
}

/* Returns the value of four hexadecimal digits at p; -1 if p has fewer digits. left: number of bytes at p. */
static int32_t parse_hex4(const char *p, size_t left)
{
    int32_t value = 0;
    if (left < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* Appends the character that the escape at raw[i] means. Returns the length of the escape, bytes. */
static size_t append_unescaped(struct tp_buf *out, struct tp_str raw, size_t i, unsigned *flags)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = i + 1 < raw.len ? raw.ptr[i + 1] : '\0';
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        tp_buf_putc(out, to[known - from]);
        return 2;
    }
    int32_t unit = c == 'u' ? parse_hex4(raw.ptr + i + 2, raw.len - i - 2) : -1;
    if (unit < 0) {
        *flags |= TP_CLEAN_ESCAPE;
        tp_buf_putc(out, '\\');
        return 1;
    }
    if (unit >= 0xD800 && unit < 0xDC00 && i + 7 < raw.len && raw.ptr[i + 6] == '\\' && raw.ptr[i + 7] == 'u') {
        int32_t low = parse_hex4(raw.ptr + i + 8, raw.len - i - 8);
        if (low >= 0xDC00 && low < 0xE000) {
            append_code_point(out, 0x10000u + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00));
            return 12;
        }
    }
    if (unit >= 0xD800 && unit < 0xE000) {
        *flags |= TP_CLEAN_UTF8;
        unit = 0xFFFD;
    }
    append_code_point(out, (uint32_t)unit);
    return 6;
}

unsigned tp_clean_string(struct tp_buf *out, struct tp_str raw, size_t max_bytes)
{
    unsigned flags = 0;
    size_t start = out->size;
    for (size_t i = 0; i < raw.len && !out->failed;) {
        unsigned char c = (unsigned char)raw.ptr[i];
        size_t before = out->size;
        if (c == '\\') {
            i += append_unescaped(out, raw, i, &flags);
        } else if (c < 0x80) {
            flags |= c < 0x20 ? TP_CLEAN_CONTROL : 0;
            tp_buf_putc(out, (char)c);
            i++;
        } else {
            int n = tp_utf8_length(raw.ptr + i, raw.len - i);
            if (n > 0)
                tp_buf_add(out, raw.ptr + i, (size_t)n);
            else
                tp_buf_add(out, "\xEF\xBF\xBD", 3);
            flags |= n > 0 ? 0 : TP_CLEAN_UTF8;
            i += (size_t)(n > 0 ? n : -n);
        }
        if (out->size - start > max_bytes) {
            out->size = before;
            out->data[before] = '\0';
            return flags | TP_CLEAN_CUT;
        }
    }
    return flags;
}

/* Returns the content of the string that begins with a quote at raw[i]. Sets *next to the index after the closing
 * quote, or to the end of the text. */
static struct tp_str find_string_at(struct tp_str raw, size_t i, size_t *next)
{
    size_t k = i + 1;
    while (k < raw.len && raw.ptr[k] != '"')
        k += raw.ptr[k] == '\\' ? 2 : 1;
    k = k < raw.len ? k : raw.len;
    *next = k < raw.len ? k + 1 : raw.len;
    return (struct tp_str){raw.ptr + i + 1, k - i - 1};
}

static bool is_word_byte(char c)
{
    return (unsigned char)c > ' ' && !strchr(",:[]{}\"", c);
}

/* Appends a bare word: a number or literal unchanged, "null" for other words (inf, nan). Returns the length of the
 * word in `raw`, bytes. */
static size_t append_bare_word(struct tp_buf *out, struct tp_str raw, size_t i, unsigned *flags)
{
    size_t n = 0;
    while (i + n < raw.len && raw.ptr[i + n] && is_word_byte(raw.ptr[i + n]))
        n++;
    struct tp_str word = {raw.ptr + i, n};
    char digit = n ? word.ptr[word.ptr[0] == '-' && n > 1] : '\0';
    bool is_known = (digit >= '0' && digit <= '9') || tp_str_equal(word, TP_STR("true")) ||
                    tp_str_equal(word, TP_STR("false")) || tp_str_equal(word, TP_STR("null"));
    if (!is_known)
        *flags |= TP_CLEAN_NOT_A_NUMBER;
    tp_buf_add(out, is_known ? word.ptr : "null", is_known ? n : 4);
    return n ? n : 1;
}

unsigned tp_clean_value(struct tp_buf *out, struct tp_str raw)
{
    struct tp_buf text;
    unsigned flags = 0;
    size_t start = out->size, depth = 0;
    tp_buf_init(&text, 0);
    for (size_t i = 0; i < raw.len;) {
        char c = raw.ptr[i];
        if ((unsigned char)c <= ' ') {
            i++;
        } else if (c == '"') {
            struct tp_json json;
            struct tp_str content = find_string_at(raw, i, &i);
            tp_buf_clear(&text);
            flags |= tp_clean_string(&text, content, TP_MAX_EVENT_BYTES);
            /* keeps the failure, because the next tp_buf_clear resets text.failed */
            out->failed = out->failed ? out->failed : text.failed;
            tp_json_init(&json, out);
            tp_json_str(&json, (struct tp_str){text.size ? text.data : "", text.size});
        } else if (strchr(",:[]{}", c)) {
            depth += c == '[' || c == '{';
            depth -= (c == ']' || c == '}') && depth;
            if ((c == ']' || c == '}') && out->size > start && out->data[out->size - 1] == ',') {
                out->size--; /* removes a trailing comma */
                flags |= TP_CLEAN_SYNTAX;
            }
            tp_buf_putc(out, c);
            i++;
        } else {
            i += append_bare_word(out, raw, i, &flags);
        }
        if (depth > TP_MAX_DEPTH) {
            out->size = start;
            tp_buf_puts(out, "null");
            flags |= TP_CLEAN_DEPTH;
            break;
        }
    }
    /* The result must be valid JSON. The scanner of events checks only brackets, so that texts such as [1,,2] or
     * 1.2.3 get here. */
    if (!out->failed && !tp_strict_is_json((struct tp_str){out->data + start, out->size - start})) {
        out->size = start;
        tp_buf_puts(out, "null");
        flags |= TP_CLEAN_SYNTAX;
    }
    tp_buf_release(&text);
    return flags;
}
