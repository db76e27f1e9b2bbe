/* Writes a range for each scope on each stream (torch's gpu_user_annotation). The range lasts from the first start to
 * the last end of the work items that the scope started on the stream, plus a nanosecond on both sides. See
 * spool_gpu.h. */
#include "writer/spool/spool_gpu.h"

#include <stdlib.h>

enum { MAX_LEVELS = 64, UNITE_AT = 4096 };

struct span {
    uint32_t scope, row;
    int64_t start_ns, end_ns;
};

static int compare_by_scope(const void *x, const void *y)
{
    const struct span *a = x, *b = y;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static void join_spans_of_scope(struct tp_vec *spans)
{
    size_t kept = 0;
    if (spans->count)
        qsort(spans->data, spans->count, spans->item_size, compare_by_scope);
    for (size_t i = 0; i < spans->count; i++) {
        const struct span *span = TP_AT(spans, struct span, i);
        struct span *last = kept ? TP_AT(spans, struct span, kept - 1) : NULL;
        if (!last || compare_by_scope(span, last) != 0) {
            *TP_AT(spans, struct span, kept++) = *span;
            continue;
        }
        last->start_ns = span->start_ns < last->start_ns ? span->start_ns : last->start_ns;
        last->end_ns = span->end_ns > last->end_ns ? span->end_ns : last->end_ns;
    }
    spans->count = kept;
}

/* Collects one time span for each innermost scope on each row. */
static void collect_spans(const struct tp_spool_gpu *gpu, struct tp_vec *spans)
{
    size_t limit = UNITE_AT;
    for (size_t i = 0; i < gpu->works.count; i++) {
        const struct tp_gpu_item *item = TP_AT(&gpu->works, struct tp_gpu_item, i);
        struct tp_spool_gpu_work work;
        TP_SPOOL_GPU_READ(&work, item->record);
        const struct tp_gpu_call *call = tp_spool_gpu_call(gpu, work.correlation);
        const struct tp_gpu_row *row = tp_spool_gpu_find_row(gpu, work.device, work.stream, work.context);
        if (!call || !call->scope || !row)
            continue;
        uint32_t number = (uint32_t)(row - (const struct tp_gpu_row *)gpu->rows.data);
        *(struct span *)tp_vec_push(spans) = (struct span){call->scope, number, item->start_ns, item->end_ns};
        if (spans->count == limit) {
            join_spans_of_scope(spans);
            limit = spans->count * 2 > UNITE_AT ? spans->count * 2 : UNITE_AT;
        }
    }
    join_spans_of_scope(spans);
}

/* Adds the time spans of inner scopes to each outer scope. */
static void add_outer_spans(const struct tp_spool_gpu *gpu, struct tp_vec *spans)
{
    size_t from = 0;
    for (int level = 0; level < MAX_LEVELS && from < spans->count; level++) {
        size_t end = spans->count;
        for (size_t i = from; i < end; i++) {
            struct span span = *TP_AT(spans, struct span, i);
            span.scope = TP_AT(&gpu->scopes, struct tp_gpu_scope, span.scope)->parent;
            if (span.scope)
                *(struct span *)tp_vec_push(spans) = span;
        }
        from = end;
    }
    join_spans_of_scope(spans);
}

void tp_spool_gpu_write_scopes(struct tp_spool_conversion *c)
{
    struct tp_spool_gpu *gpu = c->gpu;
    struct tp_vec spans = TP_VEC(c->arena, struct span);
    collect_spans(gpu, &spans);
    add_outer_spans(gpu, &spans);
    for (size_t i = 0; i < spans.count; i++) {
        const struct span *span = TP_AT(&spans, struct span, i);
        const struct tp_gpu_scope *scope = TP_AT(&gpu->scopes, struct tp_gpu_scope, span->scope);
        const struct tp_gpu_row *row = TP_AT(&gpu->rows, struct tp_gpu_row, span->row);
        const struct tp_trace_out_arg id = tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, scope->external_id);
        const struct tp_trace_out_event event = {.category = TP_OUT_GPU_USER_ANNOTATION,
                                                 .name = scope->name,
                                                 .pid = row->device,
                                                 .tid = row->tid,
                                                 .ts_ns = span->start_ns - c->base_ns - 1,
                                                 .dur_ns = span->end_ns - span->start_ns + 2,
                                                 .args = &id,
                                                 /* a step has no external id, a scope has one */
                                                 .arg_count = scope->external_id != 0};
        tp_trace_out_complete(c->out, &event);
    }
}
