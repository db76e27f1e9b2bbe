/* The wire format of protobuf: see summary_wire.h. */
#include "webreport/measure/summary_wire.h"

static bool read_varint(struct tp_wire *w, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && w->at < w->end; shift += 7) {
        uint8_t byte = *w->at++;
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool read_fixed(struct tp_wire *w, size_t size)
{
    w->number = 0;
    if ((size_t)(w->end - w->at) < size)
        return false;
    memcpy(&w->number, w->at, size); /* little-endian, as every machine this runs on */
    w->at += size;
    return true;
}

bool tp_wire_next(struct tp_wire *w)
{
    uint64_t tag, size;
    if (!read_varint(w, &tag) || tag >> 32)
        return false;
    w->field = (unsigned)(tag >> 3);
    w->type = tag & 7;
    switch (w->type) {
    case TP_WIRE_VARINT:
        return read_varint(w, &w->number);
    case TP_WIRE_FIXED64:
        return read_fixed(w, 8);
    case TP_WIRE_FIXED32:
        return read_fixed(w, 4);
    case TP_WIRE_BYTES:
        if (!read_varint(w, &size) || size > (size_t)(w->end - w->at))
            return false;
        w->bytes = (struct tp_str){(const char *)w->at, (size_t)size};
        w->at += size;
        return true;
    default:
        return false;
    }
}

struct tp_wire tp_wire_of(const void *bytes, size_t size)
{
    return (struct tp_wire){.start = bytes, .at = bytes, .end = (const uint8_t *)bytes + size};
}
