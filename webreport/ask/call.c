/* Writes the answers of calls: see call.h. */
#include "webreport/ask/call.h"

#include <stdarg.h>
#include <stdio.h>

#include "writer/base/utf8.h"

const char *tp_ask_code_text(enum tp_ask_code code)
{
    static const char *const texts[TP_ASK_CODES] = {
        [TP_ASK_ANSWERED] = "answered",       [TP_ASK_OUTSIDE_ROOTS] = "outside_roots",
        [TP_ASK_NOT_FOUND] = "not_found",     [TP_ASK_NOT_A_TRACE] = "not_a_trace",
        [TP_ASK_DAMAGED] = "damaged",         [TP_ASK_BAD_ARGUMENT] = "bad_argument",
        [TP_ASK_UNKNOWN_ID] = "unknown_id",   [TP_ASK_SQL_ERROR] = "sql_error",
        [TP_ASK_NOT_ALLOWED] = "not_allowed", [TP_ASK_TOO_SLOW] = "too_slow",
        [TP_ASK_TOO_LARGE] = "too_large",     [TP_ASK_STALE_CURSOR] = "stale_cursor",
        [TP_ASK_CHANGED] = "changed",         [TP_ASK_CANCELLED] = "cancelled"};
    return texts[code];
}

/* Copies a text and replaces ill-formed UTF-8, which a query can make, by U+FFFD. Returns the size of the copy. */
static size_t copy_well_formed(char *to, size_t room, const char *from, size_t size)
{
    static const char replacement[] = "\xef\xbf\xbd";
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        int n = tp_utf8_length(from + i, size - i);
        size_t length = n > 0 ? (size_t)n : sizeof replacement - 1;
        if (used + length > room)
            break;
        memcpy(to + used, n > 0 ? from + i : replacement, length);
        used += length;
        i += (size_t)(n > 0 ? n : -n);
    }
    return used;
}

enum tp_ask_code tp_call_fail(struct tp_ask_call *call, enum tp_ask_code code, const char *hint, const char *format,
                              ...)
{
    va_list arguments;
    call->problem.code = code;
    call->problem.hint = hint;
    char text[sizeof call->problem.message];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* a part of a character at the end of a cut text is left out or replaced */
    size_t size = copy_well_formed(call->problem.message, sizeof call->problem.message - 1, text, strlen(text));
    call->problem.message[size] = '\0';
    return code;
}

void tp_call_begin(struct tp_ask_call *call)
{
    tp_buf_clear(&call->answer);
    tp_json_init(&call->json, &call->answer);
    tp_json_object(&call->json);
    if (*call->input_id)
        tp_json_member_text(&call->json, "trace", call->input_id);
}

/* Returns the number of bytes of the first TP_MAX_ASK_TEXT_CHARACTERS characters. */
static size_t shown_bytes(struct tp_str text)
{
    unsigned characters = 0;
    for (size_t i = 0; i < text.len; i++) {
        characters += !tp_utf8_is_continuation(text.ptr[i]);
        if (characters > TP_MAX_ASK_TEXT_CHARACTERS)
            return i;
    }
    return text.len;
}

void tp_call_str(struct tp_ask_call *call, struct tp_str text)
{
    char room[4 * TP_MAX_ASK_TEXT_CHARACTERS + 4];
    size_t size = text.ptr ? shown_bytes(text) : 0, rest;
    if (size == text.len && (!text.ptr || (tp_utf8_is_valid(text.ptr, size, &rest) && rest == 0))) {
        tp_json_str(&call->json, text);
        return;
    }
    size_t copied = copy_well_formed(room, sizeof room - 4, text.ptr, size);
    if (size < text.len) {
        memcpy(room + copied, "...", 3);
        copied += 3;
    }
    tp_json_str(&call->json, (struct tp_str){room, copied});
}

void tp_call_member_str(struct tp_ask_call *call, const char *key, struct tp_str text)
{
    tp_json_key(&call->json, key);
    tp_call_str(call, text);
}

void tp_call_member_whole(struct tp_ask_call *call, const char *key, struct tp_str text)
{
    enum { LARGEST_GROWTH = 3 }; /* bytes of U+FFFD, which replaces an ill-formed byte */
    char *room = tp_arena_alloc(call->arena, LARGEST_GROWTH * text.len);
    size_t size = copy_well_formed(room, LARGEST_GROWTH * text.len, text.ptr, text.len);
    tp_json_member_str(&call->json, key, (struct tp_str){room, size});
}

void tp_call_member_text(struct tp_ask_call *call, const char *key, const char *text)
{
    tp_call_member_str(call, key, text ? tp_str_of(text) : (struct tp_str){NULL, 0});
}

void tp_call_absent(struct tp_ask_call *call, const char *reason)
{
    tp_json_member_text(&call->json, "status", "absent");
    tp_call_member_text(call, "reason", reason);
}

struct tp_call_mark tp_call_mark(const struct tp_ask_call *call)
{
    return (struct tp_call_mark){call->answer.size, call->json.needs_comma};
}

void tp_call_undo(struct tp_ask_call *call, struct tp_call_mark mark)
{
    call->answer.size = mark.size;
    if (call->answer.data)
        call->answer.data[mark.size] = '\0';
    call->json.needs_comma = mark.needs_comma;
}

bool tp_call_fits(const struct tp_ask_call *call, size_t more)
{
    return (int64_t)(call->answer.size + more) <= call->number[TP_ASK_MAX_BYTES];
}

enum tp_ask_code tp_call_fit(struct tp_ask_call *call, tp_call_writer *write)
{
    bool is_shorter_known = true;
    for (unsigned level = 0; is_shorter_known; level++) {
        tp_call_begin(call);
        is_shorter_known = write(call, level);
        tp_json_object_end(&call->json);
        if (tp_call_fits(call, 0))
            return TP_ASK_ANSWERED;
    }
    return tp_call_fail(call, TP_ASK_TOO_LARGE, "raise max_bytes", "the answer has %zu bytes, more than %lld",
                        call->answer.size, (long long)call->number[TP_ASK_MAX_BYTES]);
}
