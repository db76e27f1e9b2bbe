/* The wire format of protobuf, field by field, for messages whose bytes are kept as they are. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_WIRE_H
#define TP_WEBREPORT_MEASURE_SUMMARY_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

enum { TP_WIRE_VARINT = 0, TP_WIRE_FIXED64 = 1, TP_WIRE_BYTES = 2, TP_WIRE_FIXED32 = 5 };

/* Where a reader stands, and the field that it has just read. The bytes are borrowed. */
struct tp_wire {
    const uint8_t *start, *at, *end;
    unsigned field, type;
    uint64_t number;     /* of varints and fixed ones */
    struct tp_str bytes; /* of TP_WIRE_BYTES; points into the message */
};

struct tp_wire tp_wire_of(const void *bytes, size_t size);

/* Reads the next field; false when the rest does not hold a whole one. Not at the end. */
bool tp_wire_next(struct tp_wire *wire);

#endif
