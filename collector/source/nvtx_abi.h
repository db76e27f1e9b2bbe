/* NVTX 3, as much of it as is used: numbers and layouts, which are stable. */
#ifndef TP_COLLECTOR_SOURCE_NVTX_ABI_H
#define TP_COLLECTOR_SOURCE_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum { TP_NVTX_CALLBACKS = 1, TP_NVTX_CORE = 1, TP_NVTX_CORE2 = 5 };

typedef void (*tp_nvtx_function)(void);

struct tp_nvtx_callbacks {
    size_t size;
    int (*get_module)(int module, tp_nvtx_function ***table, unsigned *size); /* table[i]: the slot of function i */
};

enum tp_nvtx_message_type { TP_NVTX_MESSAGE_ASCII = 1, TP_NVTX_MESSAGE_WIDE, TP_NVTX_MESSAGE_REGISTERED };
enum tp_nvtx_payload_type {
    TP_NVTX_PAYLOAD_U64 = 1,
    TP_NVTX_PAYLOAD_I64,
    TP_NVTX_PAYLOAD_DOUBLE,
    TP_NVTX_PAYLOAD_U32,
    TP_NVTX_PAYLOAD_I32,
    TP_NVTX_PAYLOAD_FLOAT
};
enum { TP_NVTX_ARGB = 1, TP_NVTX_THREAD_NATIVE = 1 << 16 | 3 };

union tp_nvtx_message {
    const char *ascii;
    const wchar_t *wide;
    void *registered;
};

struct tp_nvtx_attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    union {
        uint64_t u64;
        int64_t i64;
        double real;
        uint32_t u32;
        int32_t i32;
        float small;
    } payload;
    int32_t message_type;
    union tp_nvtx_message message;
};

struct tp_nvtx_resource {
    uint16_t version, size;
    int32_t type;
    union {
        const void *pointer;
        uint64_t number;
    } identifier;
    int32_t message_type;
    union tp_nvtx_message message;
};

#endif
