/* Implements device_streams.h. */
#include "webreport/model/device_streams.h"

#include "writer/base/keys.h"
#include "writer/base/sort.h"

/* A stream, and its number in order of appearance. */
struct found {
    struct tp_device_stream stream;
    uint32_t appearance;
};

static int compare_streams(const void *x, const void *y, const void *context)
{
    const struct tp_device_stream *a = &((const struct found *)x)->stream, *b = &((const struct found *)y)->stream;
    (void)context;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Sets the stream of each operation, numbered in order of appearance. Returns false if there are more than `most`
 * streams. */
static bool number_by_appearance(struct tp_device_streams *streams, struct tp_vec *found, const struct tp_model *model,
                                 uint32_t most)
{
    struct tp_keys keys;
    struct found last = {.stream.gpu = TP_NO_ID}; /* stream of the operation before; most operations have the same */
    tp_keys_init(&keys, found->arena, 3);
    for (uint32_t k = 0; k < model->devices.count && found->count <= most; k++) {
        int64_t number = tp_stream_number(model, tp_device_event(model, k));
        const uint32_t key[] = {model->devices.gpu[k], (uint32_t)((uint64_t)number >> 32), (uint32_t)number};
        if (last.stream.gpu != key[0] || last.stream.number != number) {
            last = (struct found){{key[0], number}, tp_keys_add(&keys, key)};
            if (last.appearance == found->count)
                *(struct found *)tp_vec_push(found) = last;
        }
        streams->stream_of[k] = last.appearance;
    }
    tp_keys_release(&keys);
    return found->count <= most;
}

bool tp_device_streams_find(struct tp_device_streams *streams, const struct tp_model *model, uint32_t most,
                            struct tp_arena *arena)
{
    uint32_t operations = model->devices.count;
    struct tp_vec found = TP_VEC(arena, struct found);
    *streams = (struct tp_device_streams){.stream_of = tp_arena_array(arena, operations, sizeof *streams->stream_of)};
    if (!number_by_appearance(streams, &found, model, most))
        return false;
    streams->count = (uint32_t)found.count;
    streams->items = tp_arena_array(arena, found.count, sizeof *streams->items);
    tp_merge_sort(arena, found.data, found.count, sizeof(struct found), compare_streams, NULL);
    uint32_t *rank = tp_arena_array(arena, found.count, sizeof *rank);
    for (uint32_t s = 0; s < streams->count; s++) {
        const struct found *row = TP_AT(&found, struct found, s);
        streams->items[s] = row->stream;
        rank[row->appearance] = s;
    }
    for (uint32_t k = 0; k < operations; k++)
        streams->stream_of[k] = rank[streams->stream_of[k]];
    return true;
}
