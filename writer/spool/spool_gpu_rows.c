/* Assigns rows to GPU work items: see spool_gpu.h.
 *
 * A row is a stream with CUPTI's number. Numbers are unique only within a context. If two contexts of a device have
 * streams of the same number, the later context's stream gets another row, with a number far from all others. */
#include "writer/spool/spool_gpu.h"

#include <stdlib.h>

static const int64_t APART = 1ll << 32;

static int compare_by_place(const void *x, const void *y)
{
    const struct tp_gpu_row *a = x, *b = y;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return (a->context > b->context) - (a->context < b->context);
}

static void sort_and_remove_duplicates(struct tp_vec *rows)
{
    size_t kept = 0;
    if (rows->count)
        qsort(rows->data, rows->count, rows->item_size, compare_by_place);
    for (size_t i = 0; i < rows->count; i++) {
        const struct tp_gpu_row *row = TP_AT(rows, struct tp_gpu_row, i);
        if (kept == 0 || compare_by_place(row, TP_AT(rows, struct tp_gpu_row, kept - 1)) != 0)
            *TP_AT(rows, struct tp_gpu_row, kept++) = *row;
    }
    rows->count = kept;
}

void tp_spool_gpu_find_rows(struct tp_spool_gpu *gpu)
{
    enum { UNITE_AT = 4096 };
    size_t limit = UNITE_AT;
    for (size_t i = 0; i < gpu->works.count; i++) {
        struct tp_spool_gpu_work work;
        TP_SPOOL_GPU_READ(&work, TP_AT(&gpu->works, struct tp_gpu_item, i)->record);
        *(struct tp_gpu_row *)tp_vec_push(&gpu->rows) =
            (struct tp_gpu_row){.device = work.device, .stream = work.stream, .context = work.context};
        /* removes duplicates from time to time to save memory, because there are many work items but few distinct
         * rows */
        if (gpu->rows.count == limit) {
            sort_and_remove_duplicates(&gpu->rows);
            limit = gpu->rows.count * 2 > UNITE_AT ? gpu->rows.count * 2 : UNITE_AT;
        }
    }
    sort_and_remove_duplicates(&gpu->rows);
    for (size_t i = 0; i < gpu->rows.count; i++) {
        struct tp_gpu_row *row = TP_AT(&gpu->rows, struct tp_gpu_row, i);
        bool is_second = i && row[-1].device == row->device && row[-1].stream == row->stream;
        row->tid = row->stream + (is_second ? APART * (1 + (int64_t)(row->context & 0xFFFFFF)) : 0);
    }
}

const struct tp_gpu_row *tp_spool_gpu_find_row(const struct tp_spool_gpu *gpu, uint32_t device, uint32_t stream,
                                               uint32_t context)
{
    const struct tp_gpu_row wanted = {.device = device, .stream = stream, .context = context};
    return gpu->rows.count ? bsearch(&wanted, gpu->rows.data, gpu->rows.count, gpu->rows.item_size, compare_by_place)
                           : NULL;
}

uint32_t tp_spool_gpu_context_device(const struct tp_spool_gpu *gpu, uint32_t context)
{
    const struct tp_spool_gpu_event *list = gpu->contexts.data;
    size_t low = 0, high = gpu->contexts.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].context < context)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < gpu->contexts.count && list[low].context == context)
        return list[low].stream;
    return TP_SPOOL_GPU_NONE;
}
