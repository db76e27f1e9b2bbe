/* Finds functions in files without symbols: see eh_frame.h. The formats are in the Linux Standard Base, "Exception
 * Frames". */
#include "writer/spool/eh_frame.h"

#include <string.h>

/* Encodings of numbers (DW_EH_PE_*): the low bits are the format, and the bits above them say what the number is
 * relative to. */
enum {
    FORM = 0x0f,
    FORM_POINTER = 0x00,
    FORM_U2 = 0x02,
    FORM_U4 = 0x03,
    FORM_U8 = 0x04,
    FORM_S2 = 0x0a,
    FORM_S4 = 0x0b,
    FORM_S8 = 0x0c,
    BASE = 0x70,
    FROM_ZERO = 0x00,
    FROM_HERE = 0x10,
    IS_INDIRECT = 0x80,
    TABLE_OF_S4 = 0x3b, /* the table consists of signed 4-byte numbers, relative to the header */
    NOT_THERE = 0xff
};

enum { HEADER_BYTES = 4, ROW_BYTES = 8, MAX_AUGMENTATION = 16 };

/* A position in the segment. `is_bad` is set by a read outside the segment. */
struct cursor {
    const struct tp_eh_frame *frame;
    size_t at, end;
    bool is_bad;
};

static struct cursor cursor_at_address(const struct tp_eh_frame *frame, uint64_t address)
{
    uint64_t offset = address - frame->address;
    bool is_bad = address < frame->address || offset >= frame->size;
    return (struct cursor){.frame = frame, .at = is_bad ? 0 : (size_t)offset, .end = frame->size, .is_bad = is_bad};
}

static void read_bytes(struct cursor *c, void *to, size_t size)
{
    memset(to, 0, size);
    c->is_bad = c->is_bad || c->end - c->at < size;
    if (c->is_bad)
        return;
    memcpy(to, c->frame->bytes + c->at, size);
    c->at += size;
}

static uint8_t read_byte(struct cursor *c)
{
    uint8_t byte;
    read_bytes(c, &byte, sizeof byte);
    return byte;
}

static uint32_t read_u4(struct cursor *c)
{
    uint32_t number;
    read_bytes(c, &number, sizeof number);
    return number;
}

/* Skips a number in LEB128 format, which has 7 bits per byte. */
static void skip_leb128(struct cursor *c)
{
    while (!c->is_bad && read_byte(c) & 0x80)
        continue;
}

static uint64_t read_value_of_form(struct cursor *c, unsigned form)
{
    int16_t s2;
    int32_t s4;
    uint64_t u8;
    switch (form) {
    case FORM_U2:
    case FORM_S2:
        read_bytes(c, &s2, sizeof s2);
        return form == FORM_U2 ? (uint16_t)s2 : (uint64_t)(int64_t)s2;
    case FORM_U4:
    case FORM_S4:
        read_bytes(c, &s4, sizeof s4);
        return form == FORM_U4 ? (uint32_t)s4 : (uint64_t)(int64_t)s4;
    case FORM_POINTER:
    case FORM_U8:
    case FORM_S8:
        read_bytes(c, &u8, sizeof u8);
        return u8;
    default:
        c->is_bad = true;
        return 0;
    }
}

static uint64_t read_pointer(struct cursor *c, uint8_t encoding)
{
    uint64_t here = c->frame->address + c->at, value = read_value_of_form(c, encoding & FORM);
    unsigned base = encoding & (BASE | IS_INDIRECT);
    c->is_bad = c->is_bad || (base != FROM_ZERO && base != FROM_HERE);
    return value + (base == FROM_HERE ? here : 0);
}

/* Reads the length of a description and limits the cursor to its end. A description is that of a function (FDE), or a
 * part that several functions share (CIE). */
static void limit_to_description(struct cursor *c)
{
    uint32_t length = read_u4(c);
    c->is_bad = c->is_bad || length == 0 || length == UINT32_MAX || length > c->end - c->at;
    c->end = c->is_bad ? c->at : c->at + length;
}

/* Returns the encoding of the function addresses in all FDEs that share the CIE at `address`. */
static uint8_t pointer_encoding(const struct tp_eh_frame *frame, uint64_t address, bool *is_known)
{
    char letters[MAX_AUGMENTATION];
    uint8_t encoding = FORM_POINTER;
    size_t count = 0;
    struct cursor c = cursor_at_address(frame, address);
    limit_to_description(&c);
    c.is_bad = read_u4(&c) != 0 || c.is_bad;
    uint8_t version = read_byte(&c);
    do {
        letters[count] = (char)read_byte(&c);
    } while (letters[count] && ++count < sizeof letters && !c.is_bad);
    c.is_bad = c.is_bad || count == sizeof letters || (count > 0 && letters[0] != 'z');
    skip_leb128(&c); /* skips the alignment factors of code and data */
    skip_leb128(&c);
    if (version == 1)
        read_byte(&c); /* skips the register of the return address */
    else
        skip_leb128(&c);
    if (count > 0)
        skip_leb128(&c); /* skips the size of the augmentation data */
    for (size_t i = 1; i < count && letters[i] != 'R' && !c.is_bad; i++)
        if (letters[i] == 'P')
            read_value_of_form(&c, read_byte(&c) & FORM);
        else if (letters[i] == 'L')
            read_byte(&c);
    if (!c.is_bad && count > 0 && strchr(letters, 'R'))
        encoding = read_byte(&c);
    *is_known = !c.is_bad;
    return encoding;
}

/* Reads the function whose FDE is at `address`. */
static bool read_function(struct tp_eh_function *function, const struct tp_eh_frame *frame, uint64_t address)
{
    bool is_known;
    struct cursor c = cursor_at_address(frame, address);
    limit_to_description(&c);
    uint64_t here = frame->address + c.at, back = read_u4(&c);
    uint8_t encoding = pointer_encoding(frame, here - back, &is_known);
    if (c.is_bad || !is_known || back == 0)
        return false;
    function->start = read_pointer(&c, encoding);
    function->end = function->start + read_value_of_form(&c, encoding & FORM);
    return !c.is_bad && function->end > function->start;
}

/* Returns the start address of the function in row `i` of the table at offset `table`. *description: address of the
 * function's FDE. */
static uint64_t read_table_row(const struct tp_eh_frame *frame, size_t table, uint64_t i, uint64_t *description)
{
    int32_t row[2];
    memcpy(row, frame->bytes + table + i * ROW_BYTES, sizeof row);
    *description = frame->header + (uint64_t)(int64_t)row[1];
    return frame->header + (uint64_t)(int64_t)row[0];
}

bool tp_eh_frame_find_function(struct tp_eh_function *function, const struct tp_eh_frame *frame, uint64_t pc)
{
    /* bytes of the header: version, and the encodings of the section's address, of the row count and of the table */
    uint8_t head[HEADER_BYTES];
    uint64_t description = 0, first = 0;
    struct cursor c = cursor_at_address(frame, frame->header);
    read_bytes(&c, head, sizeof head);
    if (c.is_bad || head[0] != 1 || head[3] != TABLE_OF_S4 || head[2] == NOT_THERE)
        return false;
    read_value_of_form(&c, head[1] & FORM);
    uint64_t count = read_pointer(&c, head[2]), room = (c.end - c.at) / ROW_BYTES;
    if (c.is_bad || count == 0 || room == 0 || read_table_row(frame, c.at, 0, &description) > pc)
        return false;
    for (uint64_t last = (count < room ? count : room) - 1; first < last;) {
        uint64_t middle = first + (last - first + 1) / 2;
        if (read_table_row(frame, c.at, middle, &description) <= pc)
            first = middle;
        else
            last = middle - 1;
    }
    read_table_row(frame, c.at, first, &description);
    return read_function(function, frame, description) && pc >= function->start && pc < function->end;
}
