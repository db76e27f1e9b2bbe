/* Makes, parses and serializes protobuf messages. See message.h. */
#include "webreport/measure/summary/message.h"

#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>

static void *allocate_block(void *memory, size_t size)
{
    struct tp_message_memory *m = memory;
    void *block = NULL;
    if (!m->arena) {
        block = malloc(size);
    } else if (size <= m->left_bytes) {
        m->left_bytes -= size;
        block = tp_arena_alloc(m->arena, size);
    }
    m->is_memory_exhausted |= !block;
    return block;
}

static void free_block(void *memory, void *block)
{
    const struct tp_message_memory *m = memory;
    if (!m->arena)
        free(block);
}

static ProtobufCAllocator make_allocator(struct tp_message_memory *memory)
{
    return (ProtobufCAllocator){allocate_block, free_block, memory};
}

void *tp_message_new(const ProtobufCMessageDescriptor *type, struct tp_arena *arena)
{
    void *message = tp_arena_alloc(arena, type->sizeof_message);
    protobuf_c_message_init(type, message);
    return message;
}

struct tp_str tp_message_bytes(const void *message, struct tp_arena *arena)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = tp_arena_alloc(arena, size + 1);
    protobuf_c_message_pack(message, bytes);
    return (struct tp_str){(const char *)bytes, size};
}

void *tp_message_parse(const ProtobufCMessageDescriptor *type, struct tp_str bytes, struct tp_message_memory *memory)
{
    ProtobufCAllocator allocator = make_allocator(memory);
    return protobuf_c_message_unpack(type, &allocator, bytes.len, (const uint8_t *)bytes.ptr);
}

void tp_message_free(void *message, struct tp_message_memory *memory)
{
    ProtobufCAllocator allocator = make_allocator(memory);
    protobuf_c_message_free_unpacked(message, &allocator);
}
