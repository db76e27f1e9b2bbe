/* Recognizes formats by bytes, JSON members or file names: see signs.h. */
#include "webreport/trace/inputs/signs.h"

#include <string.h>

#include "writer/base/str.h"

size_t tp_sign_skip_space(const char *text, size_t size, size_t at)
{
    while (at < size && text[at] && strchr(" \t\r\n", text[at]))
        at++;
    return at;
}

bool tp_sign_has_key(const char *text, size_t size, const char *key)
{
    const char *end = text + size, *at = text;
    size_t length = strlen(key);
    while ((at = memmem(at, (size_t)(end - at), key, length)) != NULL) {
        at = text + tp_sign_skip_space(text, size, (size_t)(at - text) + length);
        if (at == end || *at == ':')
            return true;
    }
    return false;
}

bool tp_sign_is_trace(const char *text, size_t size)
{
    size_t at = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    at = tp_sign_skip_space(text, size, at);
    if (at == size)
        return false;
    if (text[at] == '{')
        return tp_sign_has_key(text + at, size - at, "\"traceEvents\"");
    return text[at] == '[' && tp_sign_has_key(text + at, size - at, "\"ph\"");
}

size_t tp_sign_ending_bytes(const char *name, const char *endings)
{
    struct tp_str whole = tp_str_of(name);
    for (const char *at = endings; *at;) {
        size_t size = strcspn(at, " ");
        if (whole.len >= size && memcmp(whole.ptr + whole.len - size, at, size) == 0)
            return size;
        at += size + (at[size] == ' ');
    }
    return 0;
}

bool tp_sign_has_ending(const char *name, const char *endings)
{
    return tp_sign_ending_bytes(name, endings) > 0;
}

/* Returns true if JSON begins at `text`. Reads the next character too, because a protobuf message may also begin
 * with the code of a bracket. */
static bool does_json_begin_at(const char *text, size_t size)
{
    const char *followers = *text == '{' ? "\"}" : *text == '[' ? "{[]" : "";
    size_t at = tp_sign_skip_space(text, size, 1);
    return *followers && (at == size || (text[at] && strchr(followers, text[at])));
}

struct tp_input_head tp_sign_make_head(const void *bytes, size_t size, const char *name)
{
    struct tp_input_head head = {.text = size ? bytes : "", .size = size, .name = name};
    head.at = size ? tp_sign_skip_space(bytes, size, 0) : 0;
    head.is_json = head.at < size && does_json_begin_at(head.text + head.at, size - head.at);
    head.has_events = head.is_json && head.text[head.at] == '{' && tp_sign_has_key(bytes, size, "\"traceEvents\"");
    return head;
}

static bool has_required_text(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    return !sign->inside || memmem(head->text, head->size, sign->inside, strlen(sign->inside));
}

bool tp_sign_matches_any(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    (void)head;
    (void)sign;
    return true;
}

bool tp_sign_has_bytes(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    return head->size >= sign->offset + sign->size && memcmp(head->text + sign->offset, sign->bytes, sign->size) == 0 &&
           has_required_text(head, sign);
}

/* ---- JSON formats ---- */

static bool is_json_with_bracket(const struct tp_input_head *head, char bracket)
{
    return head->is_json && head->text[head->at] == bracket;
}

bool tp_sign_has_json_keys(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    if (!is_json_with_bracket(head, '{') || head->has_events || !has_required_text(head, sign))
        return false;
    for (size_t k = 0; k < sizeof sign->keys / sizeof *sign->keys && sign->keys[k]; k++)
        if (!tp_sign_has_key(head->text, head->size, sign->keys[k]))
            return false;
    return true;
}

bool tp_sign_is_memory_timeline(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    (void)sign;
    size_t at = is_json_with_bracket(head, '[') ? tp_sign_skip_space(head->text, head->size, head->at + 1) : head->size;
    return at < head->size && head->text[at] == '[';
}

bool tp_sign_is_proton(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    (void)sign;
    const char *list = head->text + head->at;
    size_t size = head->size - head->at;
    return is_json_with_bracket(head, '[') && tp_sign_has_key(list, size, "\"children\"") &&
           tp_sign_has_key(list, size, "\"metrics\"") && !tp_sign_has_key(list, size, "\"ph\"");
}

/* ---- cProfile, and formats recognized by file name ---- */

/* Recognizes a profile of cProfile: a dictionary in Python's marshal format whose first key is a tuple of file, line
 * and function. Ignores the bit 0x80, which marshal sets for objects with several references. */
bool tp_sign_is_pstats(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    const char *text = head->text;
    (void)sign;
    if (head->size < 6 || (text[0] & 0x7F) != '{')
        return false;
    return ((text[1] & 0x7F) == ')' && text[2] == 3) || ((text[1] & 0x7F) == '(' && memcmp(text + 2, "\3\0\0", 4) == 0);
}

bool tp_sign_is_event_file(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    (void)sign;
    return head->name && !head->is_json && strstr(head->name, ".tfevents.");
}

bool tp_sign_has_nsys_name(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    (void)sign;
    return head->name && !head->is_json && tp_sign_has_ending(head->name, ".nsys-rep .qdrep .qdstrm");
}
