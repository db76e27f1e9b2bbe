/* Finds functions and lines in Python's code objects: see python_code.h. */
#include "collector/outside/python/python_code.h"

#include <inttypes.h>
#include <stdio.h>

#include "writer/base/limits.h"

enum { PLACES = 8192, MOST_CHARACTERS = 2048, FRAME_TEXT_BYTES = 1024, FILE_TEXT_BYTES = 640, NAME_TEXT_BYTES = 320 };

struct tp_python_place {
    uint64_t address, name, file, lines;
    int64_t at;
    uint32_t pid, text;
    int32_t first;
};

void tp_python_code_init(struct tp_python_code *code, struct tp_arena *arena, struct tp_strings *texts)
{
    *code = (struct tp_python_code){.texts = texts,
                                    .places = tp_arena_array(arena, PLACES, sizeof(struct tp_python_place))};
    tp_buf_init(&code->table, TP_MAX_OUTSIDE_LINES_BYTES);
}

void tp_python_code_release(struct tp_python_code *code)
{
    tp_buf_release(&code->table);
}

/* ---- texts ---- */

/* Appends a character to `to` as UTF-8. Replaces characters that would end a frame's text early. Returns false if there
 * is no room. */
static bool add_character(char *to, size_t room, size_t *size, uint32_t c)
{
    c = c == ';' ? ',' : c < ' ' || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? '?' : c;
    size_t bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (*size + bytes > room)
        return false;
    static const uint8_t heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes - 1; i > 0; i--, c >>= 6)
        to[*size + i] = (char)(0x80 | (c & 0x3f));
    to[*size] = (char)(heads[bytes] | c);
    *size += bytes;
    return true;
}

/* Returns the bytes per character of a Python string, from its state word. Sets *is_ascii if all characters are ASCII.
 * Returns 0 for kinds of strings that names never have. The flags start at bit 2, or at bit 16 in builds of 3.15. */
static unsigned character_bytes(uint32_t state, bool *is_ascii)
{
    enum { KIND = 7, COMPACT = 8, ASCII = 16, BEFORE = 2, LONG_BEFORE = 16 };
    uint32_t flags = state >> BEFORE & COMPACT ? state >> BEFORE : state >> LONG_BEFORE;
    unsigned kind = flags & KIND;
    *is_ascii = (flags & ASCII) != 0;
    return flags & COMPACT && (kind == 1 || kind == 2 || kind == 4) ? kind : 0;
}

/* Reads the first characters of a Python string into `to`, and sets *size to their bytes. Returns false if the object
 * is not a string. */
static bool read_text(struct tp_other_memory *memory, const struct tp_python_layout *layout, uint64_t at, char *to,
                      size_t room, size_t *size)
{
    uint8_t head[TP_PYTHON_TEXT_BYTES], characters[MOST_CHARACTERS * 4];
    uint32_t state;
    int64_t count;
    bool is_ascii;
    *size = 0;
    if (!tp_other_memory_read(memory, at, head, (size_t)layout->text_non_ascii))
        return false;
    memcpy(&state, head + layout->text_state, sizeof state);
    memcpy(&count, head + layout->text_size, sizeof count);
    unsigned width = character_bytes(state, &is_ascii);
    if (!width || count < 1 || (is_ascii && width != 1))
        return false;
    size_t kept = count < MOST_CHARACTERS ? (size_t)count : MOST_CHARACTERS;
    if (!tp_other_memory_read(memory, at + (uint64_t)(is_ascii ? layout->text_ascii : layout->text_non_ascii),
                              characters, kept * width))
        return false;
    for (size_t i = 0; i < kept; i++) {
        uint32_t c = 0;
        memcpy(&c, characters + i * width, width); /* copies the low bytes, because the supported systems are
                                                    * little-endian */
        if (!add_character(to, room, size, c))
            break;
    }
    return true;
}

/* ---- lines ---- */

static uint32_t read_number(const uint8_t *table, size_t size, size_t *at)
{
    uint32_t value = 0;
    for (unsigned shift = 0; *at < size; shift += 6) {
        uint8_t byte = table[(*at)++];
        value |= shift < 30 ? (uint32_t)(byte & 63) << shift : 0;
        if (!(byte & 64))
            break;
    }
    return value;
}

/* Returns the line for the code unit `wanted` from a line table of Python 3.11 or later. Each entry contains
 * its kind, its number of code units, and further fields that depend on the kind. */
static int64_t line_from_location_table(int64_t line, const uint8_t *table, size_t size, int64_t wanted)
{
    enum { WITHOUT_COLUMN = 13, LONG = 14, NONE = 15, FIRST_ONE_LINE = 10 };
    int64_t address = 0;
    for (size_t at = 0; at < size && address <= wanted;) {
        unsigned head = table[at++], kind = head >> 3 & 15;
        if (kind == LONG || kind == WITHOUT_COLUMN) {
            uint32_t delta = read_number(table, size, &at);
            line += delta & 1 ? -(int64_t)(delta >> 1) : (int64_t)(delta >> 1);
            for (int i = 0; i < (kind == LONG ? 3 : 0); i++)
                read_number(table, size, &at);
        } else if (kind != NONE) {
            line += kind >= FIRST_ONE_LINE ? kind - FIRST_ONE_LINE : 0;
            at += kind >= FIRST_ONE_LINE ? 2 : 1;
        }
        address += 2 * (int64_t)((head & 7) + 1);
    }
    return line;
}

/* Returns the line for a byte offset from a line table of pairs. In 3.10, a pair is a byte count and the line change
 * for these bytes. Up to 3.9, the line changes after these bytes. */
static int64_t line_from_pair_table(bool is_before, int64_t line, const uint8_t *table, size_t size, int64_t wanted)
{
    enum { NO_LINE = -128 };
    int64_t address = 0;
    for (size_t at = 0; at + 1 < size; at += 2) {
        int delta = (int8_t)table[at + 1];
        address += table[at];
        if (is_before && address > wanted)
            break;
        line += is_before || delta != NO_LINE ? delta : 0;
        if (!is_before && address > wanted)
            break;
    }
    return line;
}

int64_t tp_python_find_line(int minor, int64_t first, const uint8_t *table, size_t size, int64_t at)
{
    return minor >= 11 ? line_from_location_table(first, table, size, at)
                       : line_from_pair_table(minor < 10, first, table, size, at);
}

static int64_t find_frame_line(struct tp_python_code *code, struct tp_other_memory *memory,
                               const struct tp_python_layout *layout, const struct tp_python_place *place)
{
    int64_t size = 0;
    tp_buf_clear(&code->table);
    if (!tp_other_memory_read(memory, place->lines + (uint64_t)layout->bytes_size, &size, sizeof size) || size < 0 ||
        size > TP_MAX_OUTSIDE_LINES_BYTES || tp_buf_reserve(&code->table, (size_t)size) != 0 ||
        (size &&
         !tp_other_memory_read(memory, place->lines + (uint64_t)layout->bytes_at, code->table.data, (size_t)size)))
        size = 0; /* an empty table makes the first line of the function the result */
    return tp_python_find_line(layout->minor, place->first, (const uint8_t *)code->table.data, (size_t)size, place->at);
}

/* ---- frames ---- */

static uint32_t make_frame_text(struct tp_python_code *code, struct tp_other_memory *memory,
                                const struct tp_python_layout *layout, const struct tp_python_place *place)
{
    char file[FILE_TEXT_BYTES], name[NAME_TEXT_BYTES], text[FRAME_TEXT_BYTES];
    size_t file_size, name_size;
    if (!read_text(memory, layout, place->name, name, sizeof name, &name_size) ||
        !read_text(memory, layout, place->file, file, sizeof file, &file_size))
        return TP_NO_ID;
    int n = snprintf(text, sizeof text, "%.*s(%" PRId64 "): %.*s", (int)file_size, file,
                     find_frame_line(code, memory, layout, place), (int)name_size, name);
    const struct tp_str all = {text, (size_t)n};
    if (code->texts->count >= TP_MAX_OUTSIDE_PYTHON_TEXTS && tp_strings_find(code->texts, all) == TP_NO_ID)
        return TP_NO_ID;
    return tp_strings_add(code->texts, all);
}

/* Returns the position of a frame as a byte offset in its code. */
static int64_t code_byte_offset(const struct tp_python_layout *layout, uint64_t address, uint64_t place)
{
    int64_t at = layout->code_bytes == TP_PYTHON_ABSENT ? (int64_t)(int32_t)place * (layout->minor == 10 ? 2 : 1)
                                                        : (int64_t)(place - address - (uint64_t)layout->code_bytes);
    return at > 0 ? at : 0;
}

uint32_t tp_python_code_text(struct tp_python_code *code, struct tp_other_memory *memory,
                             const struct tp_python_layout *layout, uint64_t address, const uint8_t *object,
                             uint64_t place)
{
    struct tp_python_place wanted = {
        .address = address, .pid = memory->pid, .at = code_byte_offset(layout, address, place)};
    memcpy(&wanted.name, object + layout->code_name, sizeof wanted.name);
    memcpy(&wanted.file, object + layout->code_file, sizeof wanted.file);
    memcpy(&wanted.lines, object + layout->code_lines, sizeof wanted.lines);
    memcpy(&wanted.first, object + layout->code_first_line, sizeof wanted.first);
    uint64_t hash = tp_hash_mix(address ^ (uint64_t)wanted.pid << 48, (uint64_t)wanted.at * 2 + 0xE7037ED1A0B428DBull);
    struct tp_python_place *known = &code->places[hash % PLACES];
    if (known->address == address && known->pid == wanted.pid && known->at == wanted.at && known->name == wanted.name &&
        known->file == wanted.file && known->lines == wanted.lines && known->first == wanted.first)
        return known->text;
    wanted.text = make_frame_text(code, memory, layout, &wanted);
    if (wanted.text != TP_NO_ID)
        *known = wanted;
    return wanted.text;
}
