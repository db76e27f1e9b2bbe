/* Sorts records by time: see pending.h. */
#include "collector/outside/tree/pending.h"

#include <stdlib.h>
#include <string.h>

#include "writer/base/limits.h"

void tp_pending_init(struct tp_pending *pending)
{
    *pending = (struct tp_pending){0};
    tp_buf_init(&pending->bytes, TP_MAX_OUTSIDE_PENDING_BYTES);
}

void tp_pending_release(struct tp_pending *pending)
{
    tp_buf_release(&pending->bytes);
    free(pending->records);
    *pending = (struct tp_pending){0};
}

struct tp_pending_record *tp_pending_add_record(struct tp_pending *pending, const struct perf_event_header *head,
                                                int64_t time_ns)
{
    size_t size = ((size_t)head->size + 7) & ~(size_t)7;
    if (pending->count == pending->room) {
        size_t room = pending->room ? pending->room * 2 : 1024;
        struct tp_pending_record *more = realloc(pending->records, room * sizeof *more);
        if (!more)
            return NULL;
        pending->records = more;
        pending->room = room;
    }
    if (pending->bytes.size + size > TP_MAX_OUTSIDE_PENDING_BYTES || tp_buf_reserve(&pending->bytes, size) != 0)
        return NULL;
    struct tp_pending_record *record = &pending->records[pending->count++];
    *record = (struct tp_pending_record){
        .time_ns = time_ns, .number = pending->next++, .at = (uint32_t)(pending->bytes.size / 8), .note = TP_NO_ID};
    tp_buf_add(&pending->bytes, head, size); /* the size of a record is already a multiple of 8 */
    return record;
}

static int compare_by_time(const void *x, const void *y)
{
    const struct tp_pending_record *a = x, *b = y;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void tp_pending_sort_records(struct tp_pending *pending)
{
    if (pending->count > 1)
        qsort(pending->records, pending->count, sizeof *pending->records, compare_by_time);
}

void tp_pending_remove_first_records(struct tp_pending *pending, size_t count)
{
    struct tp_buf kept;
    if (!count)
        return;
    tp_buf_init(&kept, TP_MAX_OUTSIDE_PENDING_BYTES);
    for (size_t i = count; i < pending->count; i++) {
        struct tp_pending_record record = pending->records[i];
        const struct perf_event_header *head = tp_pending_header_at(pending, record.at);
        record.at = (uint32_t)(kept.size / 8);
        tp_buf_add(&kept, head, head->size);
        pending->records[i - count] = record;
    }
    pending->count = kept.failed ? 0 : pending->count - count;
    tp_buf_release(&pending->bytes);
    pending->bytes = kept;
}
