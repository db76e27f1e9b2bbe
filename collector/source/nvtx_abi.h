/* Declares the numbers and layouts of NVTX 3 that the sources use. They are stable across releases of NVTX. */
#ifndef TP_COLLECTOR_SOURCE_NVTX_ABI_H
#define TP_COLLECTOR_SOURCE_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum { TP_NVTX_CALLBACKS = 1, TP_NVTX_CORE = 1, TP_NVTX_CORE2 = 5 };

typedef void (*tp_nvtx_function)(void);

struct tp_nvtx_callbacks {
    size_t size;
    /* sets *table to the table of a module; table[i] points to the slot of function i; *size: number of entries */
    int (*get_module)(int module, tp_nvtx_function ***table, unsigned *size);
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
/* payload type of the extension, for which `u64` is the address of the payloads and `reserved` their number */
enum { TP_NVTX_PAYLOAD_SCHEMA = (int32_t)0xDFBD0009 };
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

/* ---- NVTX's extensions for payloads and counters ---- */

enum { TP_NVTX_PAYLOADS = 2, TP_NVTX_COUNTERS = 4 }; /* module numbers of NVTX's extensions */
/* versions of the layouts below, one for each module */
enum { TP_NVTX_PAYLOADS_1_4 = 0x0104, TP_NVTX_COUNTERS_1_2 = 0x0102 };

struct tp_nvtx_segment {
    size_t number, slot_count;
    intptr_t *slots;
};

struct tp_nvtx_extension {
    uint16_t version, size, module, layout;
    size_t segment_count;
    struct tp_nvtx_segment *segments;
};

struct tp_nvtx_payload {
    uint64_t schema;
    size_t size; /* size in bytes; SIZE_MAX: the schema contains the size */
    const void *bytes;
};

struct tp_nvtx_entry {
    /* flags: TP_NVTX_ELSEWHERE and the constants after it; type: an entry type below, or the number of a schema */
    uint64_t flags, type;
    const char *name, *description;
    /* detail: length of an array or text, or index of the entry that contains the length; offset: position in the
     * payload, bytes */
    uint64_t detail, offset;
    const void *semantics, *reserved;
};

enum {
    /* bits of `flags`; if one is set, the payload contains only a pointer or an offset to the value */
    TP_NVTX_ELSEWHERE = 7 << 1,
    TP_NVTX_ARRAY = 7 << 4,
    TP_NVTX_ARRAY_FIXED = 1 << 4,
    TP_NVTX_ARRAY_BY_ENTRY = 3 << 4,
    TP_NVTX_HIDDEN = 1 << 9,
    TP_NVTX_IS_MESSAGE = 1 << 10
};

enum { /* entry types other than plain numbers */
       TP_NVTX_CHAR = 1,
       TP_NVTX_INT64 = 17,
       TP_NVTX_DOUBLE = 20,
       TP_NVTX_CHAR8 = 25,
       TP_NVTX_TEXT = 75,
       TP_NVTX_TEXT_UTF8 = 76,
       TP_NVTX_REGISTERED = 80,
       TP_NVTX_FIRST_SCHEMA = 1 << 24
};

struct tp_nvtx_schema {
    uint64_t fields; /* bit mask of the members that are set, TP_NVTX_HAS_* */
    const char *name;
    uint64_t type, flags;
    const struct tp_nvtx_entry *entries;
    size_t entry_count, static_size, alignment;
    uint64_t number; /* number that the program has chosen, or 0 */
    void *extension;
};

enum {
    TP_NVTX_HAS_NAME = 1 << 1,
    TP_NVTX_HAS_ENTRIES = 1 << 4,
    TP_NVTX_HAS_COUNT = 1 << 5,
    TP_NVTX_HAS_SIZE = 1 << 6,
    TP_NVTX_HAS_ALIGNMENT = 1 << 7,
    TP_NVTX_HAS_NUMBER = 1 << 8
};

struct tp_nvtx_counter {
    size_t size;
    uint64_t schema; /* type of the value: an entry type, or the number of a schema */
    const char *name, *description;
    uint64_t scope;
    const void *semantics;
    uint64_t number;
};

#endif
