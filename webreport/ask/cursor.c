/* Makes and reads cursors: base64url("OFFSET:HASH"). See cursor.h. */
#include "webreport/ask/cursor.h"

#include <stdio.h>
#include <stdlib.h>

#include "webreport/ask/ask_input.h"
#include "writer/base/sha256.h"
#include "writer/text/base64.h"

/* Hashes a question about an input. process: of several in the file; NULL: none was named. */
static void make_hash(char out[13], const char *id, const char *process, struct tp_str question)
{
    struct tp_sha256 sha;
    uint8_t digest[32];
    char hex[65];
    tp_sha256_init(&sha);
    tp_sha256_add(&sha, id, strlen(id) + 1);
    if (process)
        tp_sha256_add(&sha, process, strlen(process) + 1);
    tp_sha256_add(&sha, question.ptr, question.len);
    tp_sha256_end(&sha, digest);
    tp_sha256_hex(digest, hex);
    memcpy(out, hex, 12);
    out[12] = '\0';
}

static void make_cursor(char out[TP_CURSOR_BYTES], int64_t offset, const char *hash)
{
    char plain[40];
    struct tp_buf text;
    size_t size = 0;
    int n = snprintf(plain, sizeof plain, "%lld:%s", (long long)offset, hash);
    tp_buf_init(&text, 0);
    tp_base64_add(&text, plain, (size_t)n);
    for (size_t i = 0; i < text.size && size + 1 < TP_CURSOR_BYTES; i++)
        if (text.data[i] != '=')
            out[size++] = text.data[i];
    out[size] = '\0'; /* digits, colons and letters a to f never give '+' or '/', which base64url replaces */
    tp_buf_release(&text);
}

/* Returns the value of a character of base64url; 64 for other characters. */
static unsigned value_of(char c)
{
    return c >= 'A' && c <= 'Z'   ? (unsigned)(c - 'A')
           : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 26
           : tp_is_digit(c)       ? (unsigned)(c - '0') + 52
           : c == '-' || c == '+' ? 62
           : c == '_' || c == '/' ? 63
                                  : 64;
}

/* Decodes base64url. Returns the number of bytes; 0 for other texts. */
static size_t decode(char *out, size_t most, struct tp_str text)
{
    unsigned bits = 0, count = 0;
    size_t size = 0;
    while (text.len && text.ptr[text.len - 1] == '=')
        text.len--;
    for (size_t i = 0; i < text.len; i++) {
        unsigned value = value_of(text.ptr[i]);
        if (value > 63 || size >= most)
            return 0;
        bits = (bits << 6 | value) & 0xFFFF;
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[size++] = (char)(bits >> count & 0xFF);
        }
    }
    return size;
}

enum tp_ask_code tp_cursor_read(struct tp_cursor_key *key, struct tp_ask_call *call, struct tp_str question)
{
    static const char hint[] = "ask again without cursor";
    char plain[48], *end;
    struct tp_str cursor = call->text[TP_ASK_CURSOR];
    *key = (struct tp_cursor_key){.offset = 0};
    const char *process = call->input ? call->input->process : NULL;
    make_hash(key->hash, call->input_id, process, question);
    if (*call->old_input_id)
        make_hash(key->old_hash, call->old_input_id, process, question);
    if (!cursor.ptr)
        return TP_ASK_ANSWERED;
    size_t size = decode(plain, sizeof plain - 1, cursor);
    plain[size] = '\0';
    key->offset = strtoll(plain, &end, 10);
    bool is_cursor = size && tp_is_digit(plain[0]) && *end == ':' && key->offset >= 0 && key->offset < INT64_MAX / 2;
    if (is_cursor && strcmp(end + 1, key->hash) == 0)
        return TP_ASK_ANSWERED;
    if (is_cursor && key->old_hash[0] && strcmp(end + 1, key->old_hash) == 0)
        return tp_call_fail(call, TP_ASK_CHANGED, hint, "the file changed since the answer with this cursor");
    return tp_call_fail(call, TP_ASK_STALE_CURSOR, hint, "the cursor belongs to another question or file");
}

void tp_cursor_write(struct tp_ask_call *call, const struct tp_cursor_key *key, int64_t offset)
{
    char text[TP_CURSOR_BYTES];
    if (offset < 0) {
        tp_json_member_null(&call->json, "next_cursor");
        return;
    }
    make_cursor(text, offset, key->hash);
    tp_json_member_text(&call->json, "next_cursor", text);
}
