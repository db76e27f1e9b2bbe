/* Reads fields of protobuf messages: see wire.h. The encoding is described in "Encoding" of the protobuf
 * documentation. */
#include "webreport/trace/inputs/perfetto/wire.h"

bool tp_wire_read_long_number(struct tp_wire *wire, uint64_t *value)
{
    enum { LAST_SHIFT = 63 };
    const unsigned char *at = wire->at;
    *value = 0;
    for (unsigned shift = 0; shift <= LAST_SHIFT && at < wire->end; shift += 7) {
        unsigned char byte = *at++;
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            wire->at = at;
            return true;
        }
    }
    wire->is_broken = true;
    return false;
}

/* Reads a field of `size` bytes as a number in little-endian order. */
static bool read_fixed(struct tp_wire *wire, unsigned size, uint64_t *value)
{
    *value = 0;
    if ((size_t)(wire->end - wire->at) < size) {
        wire->is_broken = true;
        return false;
    }
    for (unsigned i = 0; i < size; i++)
        *value |= (uint64_t)wire->at[i] << (8 * i);
    wire->at += size;
    return true;
}

static bool read_bytes(struct tp_wire *wire, struct tp_str *bytes)
{
    uint64_t size;
    if (!tp_wire_read_number(wire, &size))
        return false;
    if (size > (uint64_t)(wire->end - wire->at)) {
        wire->is_broken = true;
        return false;
    }
    *bytes = (struct tp_str){(const char *)wire->at, (size_t)size};
    wire->at += size;
    return true;
}

bool tp_wire_next_field(struct tp_wire *wire, struct tp_wire_field *field)
{
    enum { NUMBER_BITS = 29 };
    uint64_t tag;
    if (wire->is_broken || wire->at >= wire->end || !tp_wire_read_number(wire, &tag))
        return false;
    field->number = (uint32_t)(tag >> 3);
    field->type = tag & 7;
    field->value = 0;
    field->bytes = (struct tp_str){NULL, 0};
    if (tag >> 3 == 0 || tag >> 3 >> NUMBER_BITS) {
        wire->is_broken = true;
        return false;
    }
    switch (field->type) {
    case TP_WIRE_NUMBER:
        return tp_wire_read_number(wire, &field->value);
    case TP_WIRE_FIXED64:
        return read_fixed(wire, 8, &field->value);
    case TP_WIRE_BYTES:
        return read_bytes(wire, &field->bytes);
    case TP_WIRE_FIXED32:
        return read_fixed(wire, 4, &field->value);
    default:
        wire->is_broken = true;
        return false;
    }
}

bool tp_wire_read_numbers(struct tp_str message, const struct tp_wire_number *wanted, size_t count)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    while (tp_wire_next(&wire, &field))
        for (size_t i = 0; i < count; i++)
            if (tp_wire_is(&field, wanted[i].field, TP_WIRE_NUMBER))
                *wanted[i].value = field.value;
    return !wire.is_broken;
}
