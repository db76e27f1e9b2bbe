/* Makes, parses and serializes protobuf messages whose memory is in an arena. A descriptor of protobuf-c specifies the
 * type of a message. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_MESSAGE_H
#define TP_WEBREPORT_MEASURE_SUMMARY_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

struct ProtobufCMessageDescriptor;

/* Memory of a parsed message: an arena with its guard set, or the heap. */
struct tp_message_memory {
    struct tp_arena *arena;   /* arena that provides the memory; NULL: the heap */
    uint64_t left_bytes;      /* number of bytes that the parser may still allocate from the arena */
    bool is_memory_exhausted; /* true: a request exceeded left_bytes, or the heap has no memory */
};

/* Returns an empty message in `arena`. The caller sets the arena's guard. */
void *tp_message_new(const struct ProtobufCMessageDescriptor *type, struct tp_arena *arena);

/* Returns the serialized message, in `arena`. The caller sets the arena's guard. Equal messages have equal bytes. */
struct tp_str tp_message_bytes(const void *message, struct tp_arena *arena);

/* Parses a message. Returns NULL if the bytes are not a valid message of this type, or if memory->is_memory_exhausted.
 * The arena owns the message; free a message on the heap with tp_message_free. */
void *tp_message_parse(const struct ProtobufCMessageDescriptor *type, struct tp_str bytes,
                       struct tp_message_memory *memory);

/* Frees a parsed message on the heap. Does nothing for NULL. */
void tp_message_free(void *message, struct tp_message_memory *memory);

#endif
