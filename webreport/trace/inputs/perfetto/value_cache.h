/* Remembers the JSON of nested values by the bytes of their messages, because events repeat the same lists. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_VALUE_CACHE_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_VALUE_CACHE_H

#include "webreport/trace/inputs/perfetto/interned.h"

struct tp_cached_value {
    struct tp_str json;  /* ptr NULL until tp_cached_value_set */
    uint32_t id;         /* id in the values of the sink; TP_NO_ID if the value is not interned */
    uint32_t generation; /* state in which the value is valid; TP_NO_ID if the value has no interned text */
    uint32_t version;    /* version of the texts of the state */
};

struct tp_value_cache {
    struct tp_sink *sink;
    struct tp_strings messages;
    struct tp_vec values; /* value of each message; elements: struct tp_cached_value */
};

void tp_value_cache_init(struct tp_value_cache *cache, struct tp_sink *sink);

/* Returns the value of a message, which is added if it is missing. Valid until the next call. Returns NULL for a long
 * message, or if the cache is full. */
struct tp_cached_value *tp_value_cache_find(struct tp_value_cache *cache, struct tp_str message);

/* Sets a value to a copy of a JSON text, which is interned if the decoder needs its id. */
void tp_cached_value_set(const struct tp_value_cache *cache, struct tp_cached_value *value, struct tp_str json,
                         bool is_interned);

#endif
