/* Reads the fields of one protobuf message, without a schema and without copies. Unknown fields are the caller's to
 * skip. Groups (wire types 3 and 4) make a message broken, because Perfetto has none. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_WIRE_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

enum tp_wire_type { TP_WIRE_NUMBER = 0, TP_WIRE_FIXED64 = 1, TP_WIRE_BYTES = 2, TP_WIRE_FIXED32 = 5 };

/* The unread part of a message. */
struct tp_wire {
    const unsigned char *at, *end;
    bool is_broken; /* true if a field could not be read; no further field is then returned */
};

struct tp_wire_field {
    uint32_t number;     /* number of the field, 1 to 2^29 - 1 */
    uint32_t type;       /* enum tp_wire_type */
    uint64_t value;      /* value of a number or of the bits of a fixed field; 0 for bytes */
    struct tp_str bytes; /* content of a field with bytes; otherwise ptr NULL */
};

static inline struct tp_wire tp_wire_of(struct tp_str message)
{
    const unsigned char *at = (const unsigned char *)message.ptr;
    return (struct tp_wire){at, at ? at + message.len : at, false};
}

/* Reads a number of variable length. Returns false, and marks the message as broken, if the message ends inside the
 * number or the number has more than ten bytes. */
bool tp_wire_read_long_number(struct tp_wire *wire, uint64_t *value);

static inline bool tp_wire_read_number(struct tp_wire *wire, uint64_t *value)
{
    if (__builtin_expect(wire->at < wire->end && *wire->at < 0x80, 1)) {
        *value = *wire->at++;
        return true;
    }
    return tp_wire_read_long_number(wire, value);
}

/* Reads the next field. Returns false at the end of the message or if the message is broken. */
bool tp_wire_next_field(struct tp_wire *wire, struct tp_wire_field *field);

/* Does the same as tp_wire_next_field. Inline for fields below 2048 with a number or a short text, because a trace has
 * dozens of them for each event. */
static inline bool tp_wire_next(struct tp_wire *wire, struct tp_wire_field *field)
{
    const unsigned char *at = wire->at;
    if (wire->end - at < 2 || at[0] < 8 || wire->is_broken)
        return tp_wire_next_field(wire, field);
    unsigned tag = *at++;
    if (tag >= 0x80) {
        tag = (tag & 0x7F) | (unsigned)*at++ << 7;
        if (tag < 16 << 3 || tag >= 0x4000 || at == wire->end)
            return tp_wire_next_field(wire, field);
    }
    unsigned type = tag & 7, value = *at++;
    field->number = tag >> 3;
    field->type = type;
    field->value = value;
    field->bytes = (struct tp_str){NULL, 0};
    if (type == TP_WIRE_NUMBER) {
        if (value >= 0x80 && (at == wire->end || *at >= 0x80)) {
            wire->at = at - 1;
            return tp_wire_read_long_number(wire, &field->value);
        }
        if (value >= 0x80)
            field->value = (value & 0x7F) | (unsigned)*at++ << 7;
        wire->at = at;
        return true;
    }
    if (type != TP_WIRE_BYTES || value >= 0x80 || (size_t)(wire->end - at) < value)
        return tp_wire_next_field(wire, field);
    field->value = 0;
    field->bytes = (struct tp_str){(const char *)at, value};
    wire->at = at + value;
    return true;
}

/* Returns true if a field has the number `number` and the type `type`. A known number with another type counts as an
 * unknown field, as in protobuf's own parsers. */
static inline bool tp_wire_is(const struct tp_wire_field *field, uint32_t number, enum tp_wire_type type)
{
    return field->number == number && field->type == (uint32_t)type;
}

/* Returns the double whose bits a fixed 64-bit field has. */
static inline double tp_wire_real(const struct tp_wire_field *field)
{
    double real;
    memcpy(&real, &field->value, sizeof real);
    return real;
}

/* A number field that tp_wire_read_numbers reads. */
struct tp_wire_number {
    uint32_t field;
    uint64_t *value; /* set to the value of the last field with this number; unchanged if the field is missing */
};

/* Reads the number fields of a message that `wanted` lists. Returns false if the message is broken. */
bool tp_wire_read_numbers(struct tp_str message, const struct tp_wire_number *wanted, size_t count);

#endif
