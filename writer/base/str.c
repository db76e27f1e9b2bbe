/* Implements text views and the table of distinct texts: see str.h. */
#include "writer/base/str.h"

#include "writer/base/error.h"
#include "writer/base/limits.h"

int tp_str_compare(struct tp_str a, struct tp_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.ptr, b.ptr, n) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* Length up to which texts are searched byte by byte, bytes. memmem first builds a table, which costs more for short
 * texts. */
enum { SHORT_TEXT = 128 };

struct tp_str tp_str_trim(struct tp_str text)
{
    while (text.len && text.ptr[0] == ' ')
        text.ptr++, text.len--;
    while (text.len && text.ptr[text.len - 1] == ' ')
        text.len--;
    return text;
}

void tp_vec_add_text(struct tp_vec *vec, struct tp_str text)
{
    if (vec->capacity - vec->count < text.len)
        tp_vec_grow(vec, vec->count + text.len);
    if (text.len)
        memcpy(TP_AT(vec, char, vec->count), text.ptr, text.len);
    vec->count += text.len;
}

ptrdiff_t tp_str_find(struct tp_str text, const char *needle)
{
    size_t n = strlen(needle);
    if (!n || n > text.len)
        return n ? -1 : 0;
    if (text.len > SHORT_TEXT) {
        const char *at = memmem(text.ptr, text.len, needle, n);
        return at ? at - text.ptr : -1;
    }
    /* end: position after the last possible match */
    const char *at = text.ptr, *end = text.ptr + text.len - n + 1;
    while (at < end && (at = memchr(at, *needle, (size_t)(end - at))) && memcmp(at, needle, n) != 0)
        at++;
    return at && at < end ? at - text.ptr : -1;
}

static inline unsigned char lower_case(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* Returns the position of the first `byte` at or after `from`, or the length of the text. */
static size_t find_byte(struct tp_str text, size_t from, int byte)
{
    const char *at = from < text.len ? memchr(text.ptr + from, byte, text.len - from) : NULL;
    return at ? (size_t)(at - text.ptr) : text.len;
}

/* Finds candidates by searching for the first letter in both cases with memchr, because kernel names can have
 * kilobytes. */
ptrdiff_t tp_str_find_ignore_case(struct tp_str text, const char *needle)
{
    size_t n = strlen(needle);
    unsigned char first = (unsigned char)*needle;
    bool is_letter = first >= 'a' && first <= 'z';
    if (!n || n > text.len)
        return n ? -1 : 0;
    text.len -= n - 1; /* from here on, text.len is the number of possible positions */
    size_t small = find_byte(text, 0, first), large = is_letter ? find_byte(text, 0, first - 32) : text.len;
    for (size_t at; (at = small < large ? small : large) < text.len;) {
        size_t k = 1;
        while (k < n && lower_case(text.ptr[at + k]) == (unsigned char)needle[k])
            k++;
        if (k == n)
            return (ptrdiff_t)at;
        if (at == small)
            small = find_byte(text, at + 1, first);
        else
            large = find_byte(text, at + 1, first - 32);
    }
    return -1;
}

void tp_strings_init(struct tp_strings *strings, struct tp_arena *arena, uint64_t max_bytes)
{
    memset(strings, 0, sizeof *strings);
    strings->arena = arena;
    strings->max_bytes = max_bytes ? max_bytes : TP_MAX_STRING_TABLE_BYTES;
    strings->slot_count = 32;
    strings->slots = tp_arena_array(arena, strings->slot_count, sizeof *strings->slots);
}

static struct tp_string_slot *find_slot(const struct tp_strings *strings, struct tp_str text, uint64_t hash)
{
    uint32_t mask = strings->slot_count - 1, i = (uint32_t)(hash >> 32) & mask;
    for (;; i = (i + 1) & mask) {
        struct tp_string_slot *slot = &strings->slots[i];
        if (!slot->used || (slot->hash == hash && tp_str_equal(strings->items[slot->id], text)))
            return slot;
    }
}

static void grow_slots(struct tp_strings *strings)
{
    struct tp_string_slot *old = strings->slots;
    uint32_t old_count = strings->slot_count, mask = old_count * 2 - 1;
    strings->slots = tp_arena_array(strings->arena, (size_t)old_count * 2, sizeof *old);
    strings->slot_count = old_count * 2;
    for (uint32_t k = 0; k < old_count; k++) {
        if (!old[k].used)
            continue;
        uint32_t i = (uint32_t)(old[k].hash >> 32) & mask;
        while (strings->slots[i].used)
            i = (i + 1) & mask;
        strings->slots[i] = old[k];
    }
    tp_arena_free_item(strings->arena, old, old_count * sizeof *old);
}

uint32_t tp_strings_add(struct tp_strings *strings, struct tp_str text)
{
    uint64_t hash = tp_hash_bytes(text.ptr, text.len);
    struct tp_string_slot *slot = find_slot(strings, text, hash);
    if (slot->used)
        return slot->id;
    if (text.len > strings->max_bytes - strings->bytes || strings->count >= TP_NO_ID - 1)
        tp_arena_fail(strings->arena, TP_ELIMIT);
    if (strings->count == strings->capacity) {
        uint32_t capacity = strings->capacity ? strings->capacity * 2 : 16;
        strings->items = tp_arena_resize(strings->arena, strings->items, strings->capacity * sizeof *strings->items,
                                         capacity * sizeof *strings->items);
        strings->capacity = capacity;
    }
    uint32_t id = strings->count++;
    strings->items[id] = (struct tp_str){tp_arena_copy(strings->arena, text.ptr, text.len), text.len};
    strings->bytes += text.len;
    *slot = (struct tp_string_slot){hash, id, 1};
    if (strings->count > strings->slot_count / 2)
        grow_slots(strings);
    return id;
}

uint32_t tp_strings_find(const struct tp_strings *strings, struct tp_str text)
{
    struct tp_string_slot *slot = find_slot(strings, text, tp_hash_bytes(text.ptr, text.len));
    return slot->used ? slot->id : TP_NO_ID;
}

bool tp_strings_contain_byte(const struct tp_strings *strings, char byte)
{
    bool has_any = false;
    for (uint32_t i = 0; i < strings->count && !has_any; i++)
        has_any = memchr(strings->items[i].ptr, byte, strings->items[i].len) != NULL;
    return has_any;
}
