/* Remembers nested values: see value_cache.h. */
#include "webreport/trace/inputs/perfetto/value_cache.h"

enum { MOST_BYTES = 512, MOST_VALUES = 1 << 16, PAD = 15 };

void tp_value_cache_init(struct tp_value_cache *cache, struct tp_sink *sink)
{
    struct tp_arena *arena = sink->trace->arena;
    *cache = (struct tp_value_cache){.sink = sink, .values = TP_VEC(arena, struct tp_cached_value)};
    tp_strings_init(&cache->messages, arena, 0);
}

struct tp_cached_value *tp_value_cache_find(struct tp_value_cache *cache, struct tp_str message)
{
    if (message.len > MOST_BYTES)
        return NULL;
    uint32_t id = cache->values.count < MOST_VALUES ? tp_strings_add(&cache->messages, message)
                                                    : tp_strings_find(&cache->messages, message);
    if (id == TP_NO_ID)
        return NULL;
    if (id == cache->values.count)
        *(struct tp_cached_value *)tp_vec_push(&cache->values) =
            (struct tp_cached_value){.id = TP_NO_ID, .generation = TP_NO_ID};
    return TP_AT(&cache->values, struct tp_cached_value, id);
}

void tp_cached_value_set(const struct tp_value_cache *cache, struct tp_cached_value *value, struct tp_str json,
                         bool is_interned)
{
    char *copy = tp_arena_alloc(cache->sink->trace->arena, json.len + PAD);
    memcpy(copy, json.ptr, json.len);
    memset(copy + json.len, 0, PAD);
    value->json = (struct tp_str){copy, json.len};
    value->id = is_interned ? tp_interner_add(&cache->sink->values, value->json)->id : TP_NO_ID;
}
