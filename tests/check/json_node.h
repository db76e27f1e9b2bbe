/* Reads JSON strictly (RFC 8259, UTF-8) into a tree, for the checkers in this folder. It shares no code with
 * tracepress. Each checker is one program, so everything here is static. The trees are never freed. */
#ifndef TP_TESTS_JSON_NODE_H
#define TP_TESTS_JSON_NODE_H

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MAX_DEPTH = 512 };

/* A value. Objects and arrays have a list of children. `text` is decoded for strings, and as written for other
 * values. */
struct node {
    char type; /* kind of the value: { object, [ array, " string, 0 number, t true, f false, n null */
    const char *key, *text;
    size_t length; /* length of `text` in bytes, or number of children */
    struct node *first, *next;
};

struct reader {
    const char *start, *at, *end;
    const char *fault;
    unsigned depth;
};

static void *exit_if_out_of_memory(void *memory)
{
    if (!memory) {
        fputs("json_check: no memory\n", stderr);
        exit(2);
    }
    return memory;
}

static bool set_error_and_fail(struct reader *r, const char *why)
{
    if (!r->fault)
        r->fault = why;
    return false;
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

/* Returns the length of the well-formed UTF-8 sequence at `p`, or 0 if it is malformed. */
static size_t utf8_length(const unsigned char *p, const unsigned char *end)
{
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
               : (p[0] & 0xF0) == 0xE0       ? 3
               : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                             : 0;
    if (n == 0 || (size_t)(end - p) < n)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
        (p[0] == 0xF4 && p[1] > 0x8F))
        return 0;
    return n;
}

static bool read_four_hex_digits(struct reader *r, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        if (r->at >= r->end || !isxdigit((unsigned char)*r->at))
            return set_error_and_fail(r, "bad \\u escape");
        int c = tolower((unsigned char)*r->at);
        *code = *code * 16 + (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

static char *put_code(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else {
        if (code >= 0x10000) {
            *out++ = (char)(0xF0 | code >> 18);
            *out++ = (char)(0x80 | (code >> 12 & 63));
        } else {
            *out++ = (char)(0xE0 | code >> 12);
        }
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

static bool read_escape(struct reader *r, char **out)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *found;
    uint32_t code, low;
    if (r->at >= r->end)
        return set_error_and_fail(r, "text ends in an escape");
    char c = *r->at++;
    if (c == 'u') {
        if (!read_four_hex_digits(r, &code))
            return false;
        if (code >= 0xD800 && code < 0xDC00 && r->end - r->at > 6 && r->at[0] == '\\' && r->at[1] == 'u') {
            r->at += 2;
            if (!read_four_hex_digits(r, &low))
                return false;
            code = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
        }
        *out = put_code(*out, code);
        return true;
    }
    found = c ? strchr(letters, c) : NULL;
    if (!found)
        return set_error_and_fail(r, "unknown escape");
    *(*out)++ = meant[found - letters];
    return true;
}

/* Reads a string, beginning with its opening quote. The decoded text is never longer than the written text. */
static bool read_string(struct reader *r, const char **text, size_t *length)
{
    const char *close = ++r->at;
    while (close < r->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= r->end)
        return set_error_and_fail(r, "unclosed string");
    char *out = exit_if_out_of_memory(malloc((size_t)(close - r->at) + 1));
    *text = out;
    while (*r->at != '"') {
        unsigned char c = (unsigned char)*r->at;
        size_t n = utf8_length((const unsigned char *)r->at, (const unsigned char *)r->end);
        if (c < 0x20 || n == 0)
            return set_error_and_fail(r, c < 0x20 ? "control character in a string" : "invalid UTF-8");
        if (c == '\\') {
            r->at++;
            if (!read_escape(r, &out))
                return false;
            continue;
        }
        memcpy(out, r->at, n);
        out += n;
        r->at += n;
    }
    r->at++;
    *out = 0;
    *length = (size_t)(out - *text);
    return true;
}

static size_t skip_digits(struct reader *r)
{
    const char *from = r->at;
    while (r->at < r->end && isdigit((unsigned char)*r->at))
        r->at++;
    return (size_t)(r->at - from);
}

static bool read_number(struct reader *r, struct node *node)
{
    const char *from = r->at;
    if (*r->at == '-')
        r->at++;
    bool zero = r->at < r->end && *r->at == '0';
    size_t n = skip_digits(r);
    if (n == 0 || (zero && n > 1))
        return set_error_and_fail(r, "bad number");
    if (r->at < r->end && *r->at == '.') {
        r->at++;
        if (!skip_digits(r))
            return set_error_and_fail(r, "bad fraction");
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        r->at++;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
            r->at++;
        if (!skip_digits(r))
            return set_error_and_fail(r, "bad exponent");
    }
    node->type = '0';
    node->length = (size_t)(r->at - from);
    node->text = exit_if_out_of_memory(strndup(from, node->length));
    return true;
}

static bool read_value(struct reader *r, struct node *node);

static bool read_container(struct reader *r, struct node *node, char close)
{
    struct node **last = &node->first;
    if (++r->depth > MAX_DEPTH)
        return set_error_and_fail(r, "too deep");
    r->at++;
    skip_blanks(r);
    if (r->at < r->end && *r->at == close) {
        r->at++;
        r->depth--;
        return true;
    }
    for (;; r->at++) {
        struct node *child = exit_if_out_of_memory(calloc(1, sizeof *child));
        size_t length;
        *last = child;
        last = &child->next;
        node->length++;
        skip_blanks(r);
        if (close == '}') {
            if (r->at >= r->end || *r->at != '"')
                return set_error_and_fail(r, "expected a key");
            if (!read_string(r, &child->key, &length))
                return false;
            skip_blanks(r);
            if (r->at >= r->end || *r->at++ != ':')
                return set_error_and_fail(r, "expected a colon");
        }
        if (!read_value(r, child))
            return false;
        skip_blanks(r);
        if (r->at >= r->end || (*r->at != ',' && *r->at != close))
            return set_error_and_fail(r, "expected a comma or the end of the list");
        if (*r->at == close)
            break;
    }
    r->at++;
    r->depth--;
    return true;
}

static bool read_value(struct reader *r, struct node *node)
{
    static const char *const words[] = {"true", "false", "null"};
    skip_blanks(r);
    if (r->at >= r->end)
        return set_error_and_fail(r, "expected a value");
    node->type = *r->at;
    if (*r->at == '{' || *r->at == '[')
        return read_container(r, node, *r->at == '{' ? '}' : ']');
    if (*r->at == '"')
        return read_string(r, &node->text, &node->length);
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(r->end - r->at) >= n && memcmp(r->at, words[i], n) == 0) {
            node->text = words[i];
            node->length = n;
            r->at += n;
            return true;
        }
    }
    return read_number(r, node);
}

static char *read_whole_file(const char *path, size_t *size)
{
    size_t capacity = 1 << 20;
    char *bytes = exit_if_out_of_memory(malloc(capacity + 1));
    int n;
    gzFile file = gzopen(path, "rb");
    if (!file) {
        fprintf(stderr, "json_check: cannot read %s\n", path);
        exit(2);
    }
    for (*size = 0; (n = gzread(file, bytes + *size, (unsigned)(capacity - *size))) > 0;) {
        *size += (size_t)n;
        if (*size == capacity)
            bytes = exit_if_out_of_memory(realloc(bytes, (capacity *= 2) + 1));
        if (capacity - *size > 1 << 30)
            break;
    }
    gzclose(file);
    bytes[*size] = 0;
    return bytes;
}

static bool load_json_file(const char *path, struct node *root)
{
    size_t size;
    char *bytes = read_whole_file(path, &size);
    struct reader r = {.start = bytes, .at = bytes, .end = bytes + size};
    bool good = read_value(&r, root);
    skip_blanks(&r);
    if (good && r.at != r.end)
        good = set_error_and_fail(&r, "text after the value");
    if (!good)
        printf("%s: byte %zu: %s\n", path, (size_t)(r.at - r.start), r.fault);
    free(bytes);
    return good;
}

/* Returns a member of an object, or NULL if the object has no such member. */
static struct node *find_member(const struct node *object, const char *key)
{
    for (struct node *child = object->first; child; child = child->next)
        if (child->key && strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

#endif
