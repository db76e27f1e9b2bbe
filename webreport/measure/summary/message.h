/* Makes, parses and serializes protobuf messages whose memory is in an arena. A descriptor of protobuf-c names the type
 * of a message. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_MESSAGE_H
#define TP_WEBREPORT_MEASURE_SUMMARY_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

struct ProtobufCMessageDescriptor;

/* The memory of parsed messages: blocks of an arena (guard set), which stay, or blocks of the heap. */
struct tp_message_memory {
    struct tp_arena *arena; /* NULL: the heap */
    uint64_t left_bytes;    /* remaining bytes, for an arena */
    bool is_used_up;        /* a request exceeded left_bytes, or the heap has no memory */
};

/* Returns an empty message in `arena`, whose guard is set. */
void *tp_message_new(const struct ProtobufCMessageDescriptor *type, struct tp_arena *arena);

/* Returns the bytes of a message, in `arena`, whose guard is set. Equal messages have equal bytes. */
struct tp_str tp_message_bytes(const void *message, struct tp_arena *arena);

/* Parses a message. Returns NULL if the bytes are no message of this type, or if memory->is_used_up. The arena of the
 * memory owns the message; a message on the heap needs tp_message_free. */
void *tp_message_parse(const struct ProtobufCMessageDescriptor *type, struct tp_str bytes,
                       struct tp_message_memory *memory);

/* Frees a parsed message on the heap; NULL: does nothing. */
void tp_message_free(void *message, struct tp_message_memory *memory);

#endif
