/* Payloads that NVTX events bring by a registered schema: their fields become arguments of the range.
 *
 * Taken are numbers, arrays of fixed length or with their length in another field, texts, registered strings, and
 * schemas within schemas; a field that is a pointer to something else, a union, or wider than 8 bytes is left out.
 * Everything may be called from any thread; a schema stays for the life of the process. */
#ifndef TP_COLLECTOR_SOURCE_NVTX_PAYLOAD_H
#define TP_COLLECTOR_SOURCE_NVTX_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/source/mark.h"
#include "collector/source/nvtx_abi.h"

/* Keeps a schema; returns its number, 0 when it cannot be kept. */
uint64_t tp_nvtx_schema_keep(const struct tp_nvtx_schema *given);

/* Tells the fields of payloads as facts of a range: the one with `key`, or with key 0 the innermost of `domain` on this
 * thread. */
void tp_nvtx_payload_note(uint32_t domain, uint64_t key, const struct tp_nvtx_payload *payloads, size_t count);

/* Room for the text of a message. */
struct tp_nvtx_text {
    char bytes[256];
};

/* What payloads call their event: the field that is a message, else the first schema's name. */
struct tp_mark_text tp_nvtx_payload_message(const struct tp_nvtx_payload *payloads, size_t count,
                                            struct tp_nvtx_text *room);

/* A sample of the counter `name`; `number`: that name's. The value is a number by its type of entries, or by a schema,
 * where each number in it is a counter NAME.FIELD. */
void tp_nvtx_payload_count(const char *name, uint32_t number, const struct tp_nvtx_payload *value);

#endif
