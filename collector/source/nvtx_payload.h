/* Decodes payloads of NVTX events by their registered schemas. The fields of a payload become arguments of the range.
 *
 * Supported fields are numbers, arrays of fixed length or with the length in another field, texts, registered strings,
 * and nested schemas. Other fields are ignored: other pointers, unions, and values wider than 8 bytes. Any thread may
 * call these functions. Schemas are kept for the life of the process. */
#ifndef TP_COLLECTOR_SOURCE_NVTX_PAYLOAD_H
#define TP_COLLECTOR_SOURCE_NVTX_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/source/mark.h"
#include "collector/source/nvtx_abi.h"

/* Stores a copy of a schema. Returns its number, or 0 if it cannot be stored. */
uint64_t tp_nvtx_schema_add(const struct tp_nvtx_schema *given);

/* Records the fields of payloads as arguments of the range with `key`, or, if key is 0, of the innermost range of
 * `domain` on this thread. */
void tp_nvtx_payload_put_facts(uint32_t domain, uint64_t key, const struct tp_nvtx_payload *payloads, size_t count);

/* Buffer for a message that becomes the name of an event. */
struct tp_nvtx_text {
    char bytes[256];
};

/* Returns the event's name from its payloads: the field that is marked as the message, otherwise the name of the first
 * schema. */
struct tp_mark_text tp_nvtx_payload_message(const struct tp_nvtx_payload *payloads, size_t count,
                                            struct tp_nvtx_text *room);

/* Records a sample of the counter `name`. number: number of this name. The value has an entry type or a schema. With a
 * schema, each number in the value becomes a counter NAME.FIELD. */
void tp_nvtx_payload_put_sample(const char *name, uint32_t number, const struct tp_nvtx_payload *value);

#endif
