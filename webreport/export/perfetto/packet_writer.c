/* Writes packets of Perfetto traces: see packet_writer.h. Field numbers are those of Perfetto's messages TracePacket
 * and InternedData. */
#include "webreport/export/perfetto/packet_writer.h"

#include <string.h>

enum wire { WIRE_NUMBER = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

enum { MOST_NUMBER_BYTES = 10 };

void tp_packet_writer_init(struct tp_packet_writer *writer, struct tp_arena *arena, uint32_t sequence)
{
    *writer = (struct tp_packet_writer){.arena = arena, .sequence = sequence};
    tp_buf_init(&writer->out, 0);
    tp_buf_init(&writer->body, 0);
    tp_buf_init(&writer->interned, 0);
    tp_buf_init(&writer->scratch, 0);
    for (int i = 0; i < TP_PACKET_TABLES; i++)
        tp_strings_init(&writer->tables[i], arena, 0);
}

void tp_packet_writer_release(struct tp_packet_writer *writer)
{
    tp_buf_release(&writer->out);
    tp_buf_release(&writer->body);
    tp_buf_release(&writer->interned);
    tp_buf_release(&writer->scratch);
}

/* ---- fields ---- */

/* Writes a number of variable length to `at`. Returns the position after it. */
static char *put_number(char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (char)(value | 0x80);
    *at++ = (char)value;
    return at;
}

static void add_number(struct tp_buf *out, uint64_t value)
{
    char bytes[MOST_NUMBER_BYTES];
    tp_buf_add(out, bytes, (size_t)(put_number(bytes, value) - bytes));
}

static void add_tag(struct tp_buf *out, uint32_t field, enum wire wire)
{
    add_number(out, (uint64_t)field << 3 | wire);
}

void tp_field_number(struct tp_buf *out, uint32_t field, uint64_t value)
{
    add_tag(out, field, WIRE_NUMBER);
    add_number(out, value);
}

void tp_field_text(struct tp_buf *out, uint32_t field, struct tp_str text)
{
    add_tag(out, field, WIRE_BYTES);
    add_number(out, text.len);
    tp_buf_add(out, text.ptr, text.len);
}

void tp_field_fixed64(struct tp_buf *out, uint32_t field, uint64_t value)
{
    char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(value >> (8 * i));
    add_tag(out, field, WIRE_FIXED64);
    tp_buf_add(out, bytes, sizeof bytes);
}

void tp_field_real(struct tp_buf *out, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    tp_field_fixed64(out, field, bits);
}

size_t tp_field_begin(struct tp_buf *out, uint32_t field)
{
    add_tag(out, field, WIRE_BYTES);
    tp_buf_putc(out, '\0'); /* size of a message below 128 bytes; tp_field_end makes room for a longer size */
    return out->size;
}

void tp_field_end(struct tp_buf *out, size_t begin)
{
    char bytes[MOST_NUMBER_BYTES];
    if (out->failed)
        return;
    size_t size = out->size - begin, more = (size_t)(put_number(bytes, size) - bytes) - 1;
    if (more && tp_buf_reserve(out, more) == 0) {
        memmove(out->data + begin + more, out->data + begin, size);
        out->size += more;
        out->data[out->size] = '\0';
    }
    if (!out->failed)
        memcpy(out->data + begin - 1, bytes, more + 1);
}

/* ---- packets ---- */

void tp_packet_begin(struct tp_packet_writer *writer)
{
    tp_buf_clear(&writer->body);
    tp_buf_clear(&writer->interned);
    writer->needs_state = false;
}

/* Writes the current packet, whose time is `delta_ns` after the previous packet; -1 for none. */
static void write_packet(struct tp_packet_writer *writer, int64_t delta_ns, unsigned flags)
{
    enum { PACKET = 1, TIMESTAMP = 8, SEQUENCE = 10, INTERNED = 12, FLAGS = 13 };
    struct tp_buf *out = &writer->out;
    size_t packet = tp_field_begin(out, PACKET);
    if (delta_ns >= 0)
        tp_field_number(out, TIMESTAMP, (uint64_t)delta_ns);
    tp_field_number(out, SEQUENCE, writer->sequence);
    if (flags)
        tp_field_number(out, FLAGS, flags);
    if (writer->interned.size)
        tp_field_text(out, INTERNED, (struct tp_str){writer->interned.data, writer->interned.size});
    tp_buf_add(out, writer->body.data, writer->body.size);
    tp_field_end(out, packet);
    int failed = writer->body.failed ? writer->body.failed : writer->interned.failed;
    if (failed)
        out->failed = failed;
}

void tp_packet_end(struct tp_packet_writer *writer, int64_t ts_ns)
{
    enum { NEEDS_STATE = 2 };
    int64_t delta = ts_ns > writer->last_ns ? ts_ns - writer->last_ns : 0;
    writer->last_ns += delta;
    write_packet(writer, delta, writer->needs_state ? NEEDS_STATE : 0);
}

void tp_packet_end_timeless(struct tp_packet_writer *writer, unsigned flags)
{
    write_packet(writer, -1, flags);
}

/* ---- texts ---- */

/* Field of InternedData, and field of the text in its messages, for each table. */
static const struct {
    uint32_t field, text;
} table_fields[TP_PACKET_TABLES] = {
    [TP_PACKET_CATEGORIES] = {1, 2}, [TP_PACKET_NAMES] = {2, 2},   [TP_PACKET_KEYS] = {3, 2},
    [TP_PACKET_STRINGS] = {29, 2},   [TP_PACKET_STAGES] = {24, 2}, [TP_PACKET_ARGUMENTS] = {1001, 2},
};

static uint64_t intern(struct tp_packet_writer *writer, enum tp_packet_table table, struct tp_str text,
                       struct tp_str description)
{
    enum { DESCRIPTION = 3, CATEGORY = 4, COMPUTE = 2 };
    struct tp_buf *out = &writer->interned;
    uint32_t known = writer->tables[table].count, id = tp_strings_add(&writer->tables[table], text);
    writer->needs_state = true;
    if (id < known)
        return (uint64_t)id + 1;
    size_t entry = tp_field_begin(out, table_fields[table].field);
    tp_field_number(out, 1, (uint64_t)id + 1);
    tp_field_text(out, table_fields[table].text, text);
    if (description.len)
        tp_field_text(out, DESCRIPTION, description);
    if (table == TP_PACKET_STAGES && tp_str_equal(text, TP_STR("Kernel")))
        tp_field_number(out, CATEGORY, COMPUTE);
    tp_field_end(out, entry);
    return (uint64_t)id + 1;
}

uint64_t tp_packet_text(struct tp_packet_writer *writer, enum tp_packet_table table, struct tp_str text)
{
    return intern(writer, table, text, TP_STR(""));
}

uint64_t tp_packet_queue(struct tp_packet_writer *writer, struct tp_str name, struct tp_str description)
{
    return intern(writer, TP_PACKET_STAGES, name, description);
}
