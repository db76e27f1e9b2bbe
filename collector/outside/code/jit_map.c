/* Reads maps of generated code: see jit_map.h. */
#include "collector/outside/code/jit_map.h"

#include <stdio.h>
#include <string.h>

#include "writer/base/limits.h"

enum { PIECE_BYTES = 1 << 16, ADDRESS_BITS = 47 };

/* State while the map is read line by line. */
struct reading {
    struct tp_jit_wanted *wanted;
    size_t count;
    uint64_t hits_left;
};

void tp_jit_name(struct tp_jit_wanted *wanted, size_t count, struct tp_jit_name name, uint64_t *hits_left)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (wanted[middle].address < name.start)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < count && wanted[i].address - name.start < name.length && *hits_left; i++, --*hits_left) {
        wanted[i].name_at = name.at;
        wanted[i].name_bytes = (uint32_t)(name.bytes < TP_JIT_NAME_BYTES ? name.bytes : TP_JIT_NAME_BYTES);
    }
}

/* ---- lines ---- */

/* Reads a hexadecimal number with or without "0x" and the space after it. Returns the position after the space, or
 * NULL. */
static const char *parse_hex_number(uint64_t *number, const char *at, const char *end)
{
    int digits = 0;
    while (at < end && *at == ' ')
        at++;
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        at += 2;
    for (*number = 0; at < end && digits <= 16; at++, digits++) {
        char c = (char)(*at | 0x20);
        if (tp_is_digit(*at))
            *number = *number << 4 | (uint64_t)(*at - '0');
        else if (c >= 'a' && c <= 'f')
            *number = *number << 4 | (uint64_t)(c - 'a' + 10);
        else
            break;
    }
    return digits && digits <= 16 && at < end && *at == ' ' ? at : NULL;
}

/* Processes a line at file offset `place`. Of a line that is too long, `line` contains only the beginning. */
static void read_map_line(struct reading *r, const char *line, size_t size, uint64_t place)
{
    const char *end = line + size;
    struct tp_jit_name name = {0};
    const char *at = parse_hex_number(&name.start, line, end);
    at = at ? parse_hex_number(&name.length, at, end) : NULL;
    while (at && at < end && *at == ' ')
        at++;
    if (!at || at == end || name.start >> ADDRESS_BITS || !name.length || name.length >> ADDRESS_BITS)
        return;
    name.at = place + (uint64_t)(at - line);
    name.bytes = (uint64_t)(end - at);
    tp_jit_name(r->wanted, r->count, name, &r->hits_left);
}

/* Processes the complete lines in a buffer at file offset `place`. Returns the number of bytes processed. */
static size_t read_map_lines(struct reading *r, const char *bytes, size_t size, uint64_t place)
{
    size_t done = 0;
    for (const char *end; (end = memchr(bytes + done, '\n', size - done)); done = (size_t)(end - bytes) + 1)
        read_map_line(r, bytes + done, (size_t)(end - bytes) - done, place + done);
    return done;
}

void tp_jit_map_find_names(struct tp_jit_wanted *wanted, size_t count, const struct tp_input *map, uint64_t *left_bytes)
{
    struct reading r = {wanted, count, TP_MAX_OUTSIDE_GENERATED_HITS};
    char bytes[PIECE_BYTES];
    size_t kept = 0, got = 1;
    uint64_t place = 0;     /* file offset of bytes[0] */
    bool is_inside = false; /* true inside a line whose beginning was already processed */
    while (got && *left_bytes && r.hits_left && place + kept < TP_MAX_OUTSIDE_GENERATED_BYTES) {
        size_t room = sizeof bytes - kept;
        if (tp_input_read(&got, map, bytes + kept, room < *left_bytes ? room : (size_t)*left_bytes, 0, NULL) < 0)
            return;
        *left_bytes -= got;
        size_t size = kept + got, done = 0;
        const char *end = is_inside ? memchr(bytes, '\n', size) : NULL;
        if (is_inside)
            done = end ? (size_t)(end - bytes) + 1 : size;
        is_inside = is_inside && !end;
        done += read_map_lines(&r, bytes + done, size - done, place + done);
        if (done == 0 && size == sizeof bytes) { /* the buffer contains only a part of a very long line */
            read_map_line(&r, bytes, size, place);
            is_inside = true;
            done = size;
        }
        kept = size - done;
        memmove(bytes, bytes + done, kept);
        place += done;
    }
    if (!got && !is_inside && kept)
        read_map_line(&r, bytes, kept, place);
}

/* ---- names ---- */

/* Removes ":NUMBER" from the end of the text and stores the number. Returns false if the text has no such end. */
static bool split_number_suffix(struct tp_str *text, struct tp_str *number)
{
    size_t at = text->len;
    while (at && tp_is_digit(text->ptr[at - 1]))
        at--;
    *number = (struct tp_str){text->ptr + at, text->len - at};
    if (!at || text->ptr[at - 1] != ':' || !number->len)
        return false;
    text->len = at - 1;
    return true;
}

/* Splits a name of the JavaScript engine V8, such as "JS:*f file:///x/a.js:12:7", into function, path and line. The
 * part before the first colon is the kind of compilation. Before V8 10 (node 18), the column may be missing:
 * "LazyCompile:*f /x/a.js:12". */
static bool split_script_name(struct tp_str name, struct tp_str *function, struct tp_str *path, struct tp_str *line)
{
    static const char *const starts[] = {"JS:", "LazyCompile:", "Function:", "Script:", "Eval:"};
    size_t head = 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts && !head; i++)
        head = tp_str_starts(name, starts[i]) ? strlen(starts[i]) : 0;
    if (!head)
        return false;
    while (head < name.len && strchr("~^*+", name.ptr[head]))
        head++;
    const char *blank = memchr(name.ptr + head, ' ', name.len - head);
    struct tp_str column;
    if (!blank)
        return false;
    *function = (struct tp_str){name.ptr + head, (size_t)(blank - name.ptr) - head};
    *path = (struct tp_str){blank + 1, name.len - (size_t)(blank + 1 - name.ptr)};
    if (!split_number_suffix(path, &column))
        return false;
    if (!split_number_suffix(path, line)) {
        if (tp_str_starts(name, "JS:"))
            return false;
        *line = column;
    }
    if (tp_str_starts(*path, "file://"))
        *path = (struct tp_str){path->ptr + 7, path->len - 7};
    if (!function->len)
        *function = TP_STR("(anonymous)");
    return path->len > 0;
}

size_t tp_jit_write_frame(char *frame, size_t size, struct tp_str name)
{
    struct tp_str function, path, line;
    int all = split_script_name(name, &function, &path, &line)
                  ? snprintf(frame, size, "%.*s(%.*s): %.*s", (int)path.len, path.ptr, (int)line.len, line.ptr,
                             (int)function.len, function.ptr)
                  : snprintf(frame, size, "%.*s [jit]", (int)name.len, name.ptr);
    size_t length = all > 0 && (size_t)all < size ? (size_t)all : all > 0 ? size - 1 : 0;
    for (size_t i = 0; i < length; i++) /* replaces characters that would end a frame or a line early */
        if (frame[i] == ';' || (unsigned char)frame[i] < ' ')
            frame[i] = frame[i] == ';' ? ',' : ' ';
    return length;
}
