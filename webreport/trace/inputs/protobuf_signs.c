/* Recognizes protobuf messages by their first fields: see signs.h. */
#include "webreport/trace/inputs/signs.h"

#include <stdint.h>
#include <string.h>

#include "writer/base/str.h"

struct message {
    const unsigned char *at, *end;
};

/* Reads a number of variable length (varint). Returns false if the text ends inside the number or the number has
 * more than ten bytes. */
static bool parse_varint(struct message *m, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 70 && m->at < m->end; shift += 7) {
        unsigned char byte = *m->at++;
        *out |= shift < 64 ? (uint64_t)(byte & 0x7F) << shift : 0;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Reads one field. Sets *number to its number, and *bytes to its content if the field has type LEN. Returns false at
 * the end of the message, or if the text is not a field. */
static bool parse_field(struct message *m, unsigned *number, struct message *bytes)
{
    uint64_t tag, size;
    *bytes = (struct message){NULL, NULL};
    if (m->at >= m->end || !parse_varint(m, &tag) || tag >> 3 == 0 || tag >> 3 > 1u << 29)
        return false;
    *number = (unsigned)(tag >> 3);
    switch (tag & 7) {
    case 0:
        return parse_varint(m, &size);
    case 1:
        size = 8;
        break;
    case 5:
        size = 4;
        break;
    case 2:
        if (!parse_varint(m, &size))
            return false;
        break;
    default:
        return false;
    }
    if (size > (uint64_t)(m->end - m->at))
        size = (uint64_t)(m->end - m->at); /* limits the size, because the first bytes of the file end inside this
                                              field */
    if ((tag & 7) == 2)
        *bytes = (struct message){m->at, m->at + size};
    m->at += size;
    return true;
}

/* Returns true if a message has one of the fields that the first TracePackets of every Perfetto file have. */
static bool is_perfetto_packet(struct message packet)
{
    static const unsigned char known[] = {8, 10, 11, 12, 33, 35, 36, 43, 44, 50, 52, 53, 59, 60};
    unsigned number;
    struct message bytes;
    bool is_one = false;
    while (!is_one && parse_field(&packet, &number, &bytes))
        is_one =
            (number < 128 && memchr(known, (int)number, sizeof known)) || ((number == 1 || number == 6) && bytes.at);
    return is_one;
}

static bool begins_with_plane_name(struct message text)
{
    struct tp_str name = {(const char *)text.at, (size_t)(text.end - text.at)};
    return text.at && (tp_str_starts(name, "/") || tp_str_starts(name, "Task Environment"));
}

/* Returns true if a message is an XPlane. Its field 2 is a name such as "/host:CPU". */
static bool is_xplane(struct message plane)
{
    unsigned number;
    struct message bytes;
    while (parse_field(&plane, &number, &bytes))
        if (number == 2 && bytes.at)
            return begins_with_plane_name(bytes);
    return false;
}

/* Returns true if a message is a ValueType of pprof, which has only two numbers. */
static bool is_value_type(struct message type)
{
    unsigned number, seen = 0;
    struct message bytes;
    if (type.end - type.at < 2 || type.end - type.at > 12)
        return false;
    while (parse_field(&type, &number, &bytes)) {
        if (number > 2 || bytes.at)
            return false;
        seen++;
    }
    return seen > 0 && type.at == type.end;
}

/* Returns true if the file begins with a message as field 1, as files of XProf, pprof and Perfetto do. Sets *first to
 * this message and *file to the text after it. */
static bool find_first_message(const struct tp_input_head *head, struct message *file, struct message *first)
{
    unsigned number;
    *file = (struct message){(const unsigned char *)head->text, (const unsigned char *)head->text + head->size};
    return head->size && head->text[0] == '\n' && !head->is_json && parse_field(file, &number, first) && number == 1 &&
           first->at;
}

bool tp_sign_is_xplane(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    struct message file, first;
    (void)sign;
    return find_first_message(head, &file, &first) && is_xplane(first);
}

bool tp_sign_is_pprof(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    struct message file, first;
    (void)sign;
    return find_first_message(head, &file, &first) && is_value_type(first);
}

bool tp_sign_is_perfetto(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    enum { PACKETS = 3 };
    struct message file, packet;
    unsigned number;
    (void)sign;
    if (!find_first_message(head, &file, &packet))
        return false;
    for (int packets = 0; packets < PACKETS && packet.at; packets++) {
        if (is_perfetto_packet(packet))
            return true;
        if (!parse_field(&file, &number, &packet) || number != 1)
            return false;
    }
    return false;
}
