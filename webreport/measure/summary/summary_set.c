/* Sorts the processes of a set and chooses between two records of one process. See summary_file.h. */
#include "webreport/measure/summary/summary_file.h"

#include "webreport/measure/summary/summary_format.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

/* ---- order ---- */

static int compare_ints(int64_t a, int64_t b)
{
    /* sorts absent numbers last */
    uint64_t x = (uint64_t)a - 1 + (UINT64_C(1) << 63), y = (uint64_t)b - 1 + (UINT64_C(1) << 63);
    return (x > y) - (x < y);
}

int tp_summary_key_compare(const struct tp_summary_key *a, const struct tp_summary_key *b)
{
    int order = tp_str_compare(a->job, b->job);
    if (!order)
        order = compare_ints(a->rank, b->rank);
    if (!order)
        order = (a->world_size == 1) - (b->world_size == 1);
    /* compares the workers of jobs of one rank too, because each replica of a server is rank 0 of 1 */
    if (!order && (a->rank == TP_NULL_INT || a->world_size == 1))
        order = tp_str_compare(a->worker, b->worker);
    order = order ? order : compare_ints(a->span, b->span);
    return (order > 0) - (order < 0);
}

/* Compares two records of one process. Returns <0 if `a` is the record to keep. */
static int compare_quality(const struct tp_summary_record *a, const struct tp_summary_record *b)
{
    if (a->event_count != b->event_count)
        return a->event_count > b->event_count ? -1 : 1;
    return tp_str_compare(b->bytes, a->bytes);
}

static int compare_records(const void *x, const void *y, const void *context)
{
    const struct tp_summary_record *a = x, *b = y;
    (void)context;
    int order = tp_summary_key_compare(&a->key, &b->key);
    return order ? order : compare_quality(a, b);
}

/* ---- the set ---- */

void tp_summary_set_init(struct tp_summary_set *set, struct tp_arena *arena)
{
    *set = (struct tp_summary_set){.arena = arena};
}

static struct tp_summary_record *push_record(struct tp_summary_set *set)
{
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? set->capacity * 2 : 16;
        set->records = tp_arena_resize(set->arena, set->records, set->capacity * sizeof *set->records,
                                       capacity * sizeof *set->records);
        set->capacity = capacity;
    }
    return &set->records[set->count++];
}

void tp_summary_set_sort_and_merge(struct tp_summary_set *set, size_t first)
{
    size_t kept = 0;
    if (first && first + 1 == set->count && compare_records(&set->records[first - 1], &set->records[first], NULL) < 0 &&
        tp_summary_key_compare(&set->records[first - 1].key, &set->records[first].key))
        return; /* usual case: the new record already follows all other records */
    tp_merge_sort(set->arena, set->records, set->count, sizeof *set->records, compare_records, NULL);
    for (size_t i = 0; i < set->count; i++) {
        const struct tp_summary_record *record = &set->records[i], *last = record;
        if (kept)
            last = &set->records[kept - 1];
        if (kept == 0 || tp_summary_key_compare(&last->key, &record->key))
            set->records[kept++] = *record;
        else if (tp_str_equal(last->bytes, record->bytes))
            set->repeated_record_count++;
        else
            set->other_count++;
    }
    set->count = kept;
}

int tp_summary_set_add_entry(struct tp_summary_set *set, struct tp_str entry, struct tp_error *err)
{
    struct tp_summary_record record = {.bytes = entry};
    int code = tp_summary_entry_key(&record.key, &record.event_count, entry, set->arena, err);
    if (code == TP_OK && set->count >= TP_MAX_SUMMARIES)
        code = tp_error_set(err, TP_ELIMIT, 0, "more than %u processes", TP_MAX_SUMMARIES);
    if (code == TP_OK)
        *push_record(set) = record;
    return code;
}

/* The state while one summary is added to a set. */
struct addition {
    struct tp_summary_set *set;
    const struct tp_summary *summary;
    struct tp_arena *scratch;
};

static int add_packed_summary(void *context, struct tp_error *err)
{
    struct addition *a = context;
    size_t first = a->set->count;
    struct tp_str entry = tp_summary_pack_entry(a->summary, a->scratch);
    entry.ptr = tp_arena_copy(a->set->arena, entry.ptr, entry.len);
    int code = tp_summary_set_add_entry(a->set, entry, err);
    if (code == TP_OK)
        tp_summary_set_sort_and_merge(a->set, first);
    return code;
}

int tp_summary_set_add(struct tp_summary_set *set, const struct tp_summary *summary, struct tp_error *err)
{
    struct tp_arena scratch;
    tp_arena_init(&scratch, TP_MAX_SUMMARY_MEMORY_BYTES);
    int code =
        tp_arena_run_both(&scratch, set->arena, add_packed_summary, &(struct addition){set, summary, &scratch}, err);
    if (scratch.code)
        tp_error_set(err, code, 0, "a summary is too large");
    tp_arena_release(&scratch);
    tp_arena_fail_with_stored_code(set->arena);
    if (code == TP_OK && set->minor < TP_SUMMARY_MINOR)
        set->minor = TP_SUMMARY_MINOR;
    return code;
}

/* ---- ranks ---- */

void tp_summary_set_count_ranks(struct tp_summary_ranks *ranks, const struct tp_summary_set *set)
{
    int64_t next = 0;
    *ranks = (struct tp_summary_ranks){.expected = TP_NULL_INT};
    tp_rank_set_init(&ranks->missing, set->arena);
    for (size_t i = 0; i < set->count; i++) {
        const struct tp_summary_key *key = &set->records[i].key;
        if (key->rank == TP_NULL_INT || key->rank < 0 || !tp_str_equal(key->job, set->records[0].key.job))
            return;
        if (key->world_size > ranks->expected)
            ranks->expected = key->world_size;
    }
    for (size_t i = 0; i < set->count; i++) { /* counts each rank once, because records are sorted by rank */
        int64_t rank = set->records[i].key.rank;
        if (i && rank == set->records[i - 1].key.rank)
            continue;
        ranks->present++;
        if (rank > next && ranks->expected > next)
            tp_rank_set_add_range(&ranks->missing, next, (rank < ranks->expected ? rank : ranks->expected) - 1);
        next = rank + 1;
    }
    if (ranks->expected > next)
        tp_rank_set_add_range(&ranks->missing, next, ranks->expected - 1);
}
