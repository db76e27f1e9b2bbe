/* Natural merge sort: see merge_sort.h. */
#include "writer/base/merge_sort.h"

#include <string.h>

struct job {
    char *items, *scratch;
    size_t size;
    tp_compare compare;
    const void *context;
};

static void merge(const struct job *job, size_t first, size_t middle, size_t end)
{
    size_t size = job->size, left_bytes = (middle - first) * size;
    char *out = job->items + first * size, *right = job->items + middle * size, *stop = job->items + end * size;
    const char *left = job->scratch, *left_stop = job->scratch + left_bytes;
    memcpy(job->scratch, out, left_bytes);
    while (left < left_stop && right < stop) {
        if (job->compare(right, left, job->context) < 0) {
            memmove(out, right, size);
            right += size;
        } else {
            memcpy(out, left, size);
            left += size;
        }
        out += size;
    }
    memcpy(out, left, (size_t)(left_stop - left));
}

void tp_merge_sort(struct tp_arena *arena, void *items, size_t count, size_t size, tp_compare compare,
                   const void *context)
{
    struct tp_vec starts = TP_VEC(arena, size_t); /* of the sorted runs */
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare((char *)items + i * size, (char *)items + (i - 1) * size, context) < 0)
            *(size_t *)tp_vec_push(&starts) = i;
    if (starts.count < 2)
        return;
    struct job job = {items, tp_arena_array(arena, count, size), size, compare, context};
    size_t *run = starts.data, runs = starts.count;
    while (runs > 1) {
        size_t kept = 0;
        for (size_t r = 0; r < runs; r += 2) {
            if (r + 1 < runs)
                merge(&job, run[r], run[r + 1], r + 2 < runs ? run[r + 2] : count);
            run[kept++] = run[r];
        }
        runs = kept;
    }
    tp_arena_drop(arena, job.scratch, count * size);
    tp_arena_drop(arena, starts.data, starts.capacity * sizeof(size_t));
}
