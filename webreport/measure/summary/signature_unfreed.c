/* Finds blocks that a step allocates and that are not freed, grouped by operator and place. See signature.h.
 *
 * The last steady step is not counted, because the next step may free its blocks, such as a batch. If a block is freed
 * two or more steps later, the time of its release depends on something else, such as the garbage collector. The counts
 * of an owner with such blocks are therefore marked as not exact. Definitions: docs/definitions.md, section 22. */
#include "webreport/measure/summary/signature_parts.h"
#include "writer/base/id_map.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

enum { LEAST_STEPS = 3, HELD = UINT32_MAX, OWNER_IDS = 2, DEVICE_SHIFT = 58 };

/* A memory block that a steady step allocated. freeing_step: step that freed the block; HELD: not freed. */
struct block {
    uint32_t record, step, freeing_step;
};

/* Blocks of an owner in one step that were not freed, or were freed late. */
struct kept {
    uint32_t owner, step;
    int64_t bytes;
    bool is_late;
};

struct keeping {
    struct tp_summary_work *work;
    uint32_t first_step, end_step; /* counted steps: first_step to end_step - 1 */
    struct tp_vec blocks;          /* elements: struct block */
    struct tp_count_places places;
    struct tp_keys owners; /* keys: (label of the operator, place) */
    struct tp_vec kept;    /* elements: struct kept */
};

/* ---- blocks ---- */

static uint64_t key_of_block(const struct tp_trace *trace, const struct tp_memory *record, int64_t address)
{
    int64_t type = tp_memory_place(trace, record)->type;
    return (uint64_t)address ^ (uint64_t)(type == TP_NULL_INT ? 0 : type) << DEVICE_SHIFT;
}

/* Returns the last step that began at or before `at`, or TP_NO_ID. Time between two steps belongs to the earlier step.
 * *near: step at which the search starts. */
static uint32_t last_begun_step(const struct tp_model *model, int64_t at, uint32_t *near)
{
    while (*near < model->step_count && model->steps[*near].host_start_ns <= at)
        ++*near;
    return *near ? *near - 1 : TP_NO_ID;
}

/* Lists the blocks of all steps, with the step that freed each block. Returns false if a record has no address. */
static bool list_blocks_of_steps(struct keeping *k)
{
    const struct tp_model *model = k->work->source->model;
    const struct tp_trace *trace = model->trace;
    struct tp_id_map open; /* map from an address to the number of the live block at this address */
    uint32_t near = 0;
    tp_id_map_init(&open, k->work->scratch);
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *record = &trace->memory[model->order->memory[i]];
        int64_t address = tp_memory_rare(trace, record)->address;
        uint32_t step = last_begun_step(model, record->ts_ns, &near);
        if ((record->flags & TP_MEMORY_OUT_OF_MEMORY) || record->bytes == TP_NULL_INT || !record->bytes)
            continue;
        if (address == TP_NULL_INT)
            return false;
        uint32_t *slot = tp_id_map_find_or_add(&open, key_of_block(trace, record, address));
        if (*slot != TP_NO_ID)
            /* also marks a block as freed when a new block begins at the same address */
            TP_AT(&k->blocks, struct block, *slot)->freeing_step = step;
        *slot = record->bytes > 0 ? (uint32_t)k->blocks.count : TP_NO_ID;
        if (record->bytes > 0)
            *(struct block *)tp_vec_push(&k->blocks) = (struct block){model->order->memory[i], step, HELD};
    }
    tp_id_map_release(&open);
    return k->blocks.count > 0;
}

/* ---- owners ---- */

/* Returns the label of the outermost operator at the allocation. */
static uint32_t find_owner_operator(const struct tp_model *model, uint32_t innermost, int64_t at)
{
    uint32_t label = TP_NO_ID;
    for (uint32_t i = innermost; i != TP_NO_ID; i = tp_find_next_event_around(model, i, at))
        if (model->trace->events[i].kind == TP_KIND_OPERATOR)
            label = tp_frames_label(&model->trace->frames, model->trace->events[i].name);
    return label;
}

/* Lists the owners of blocks that were not freed. Returns false if there are too many owners. */
static bool list_unfreed_blocks(struct keeping *k)
{
    const struct tp_model *model = k->work->source->model;
    for (size_t i = 0; i < k->blocks.count; i++) {
        const struct block *block = TP_AT(&k->blocks, struct block, i);
        bool is_held = block->freeing_step == HELD, is_late = !is_held && block->freeing_step > block->step + 1;
        if (block->step < k->first_step || block->step >= k->end_step || (!is_held && !is_late))
            continue;
        const struct tp_memory *record = &model->trace->memory[block->record];
        uint32_t innermost = tp_innermost_event(model, record->thread, record->ts_ns);
        uint32_t owner[OWNER_IDS] = {find_owner_operator(model, innermost, record->ts_ns),
                                     tp_count_find_place(&k->places, innermost, record->ts_ns)};
        *(struct kept *)tp_vec_push(&k->kept) =
            (struct kept){tp_keys_add(&k->owners, owner), block->step, record->bytes, is_late};
    }
    return tp_keys_count(&k->owners) <= TP_MAX_SIGNATURE_KEPT;
}

/* ---- one owner after the other ---- */

static int compare_by_owner(const void *x, const void *y, const void *context)
{
    const struct kept *a = x, *b = y;
    (void)context;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

static int compare_by_text(const void *x, const void *y, const void *context)
{
    const struct tp_count_kept *a = x, *b = y;
    (void)context;
    int order = tp_str_compare(a->operator, b->operator);
    return order ? order : tp_str_compare(a->place, b->place);
}

static struct tp_count_kept make_unfreed_entry(const struct keeping *k, const struct kept *first,
                                               const struct kept *end, uint32_t *by_step, struct tp_keyed *sorted)
{
    struct tp_summary_work *work = k->work;
    const uint32_t *owner = tp_keys_get(&k->owners, first->owner), steps = k->end_step - k->first_step;
    struct tp_count_kept out = {.operator= TP_STR(""), .place = tp_strings_get(&k->places.texts, owner[1])};
    bool is_exact, is_late = false;
    memset(by_step, 0, steps * sizeof *by_step);
    for (; first < end; first++) {
        is_late |= first->is_late;
        if (first->is_late)
            continue;
        by_step[first->step - k->first_step]++;
        out.bytes = tp_sat_add(out.bytes, first->bytes);
    }
    if (owner[0] != TP_NO_ID)
        out.operator= tp_count_intern_text(work, tp_frames_label_text(&work->source->trace->frames, owner[0]));
    out.place = tp_summary_intern_text(work, out.place);
    out.blocks = tp_count_most_common(by_step, sorted, steps, &is_exact, work->scratch);
    out.bytes /= steps;
    out.is_exact = is_exact && !is_late;
    return out;
}

void tp_signature_hash_unfreed(struct tp_signature *s)
{
    for (uint32_t i = 0; i < s->kept_count; i++)
        s->hash = s->hash * 31 + tp_hash_bytes(s->kept[i].operator.ptr, s->kept[i].operator.len) +
                  (uint64_t)s->kept[i].blocks;
    s->hash += !s->hash; /* 0 is reserved for "no signature" */
}

void tp_signature_add_unfreed_blocks(struct tp_summary_work *work, uint32_t first_step, uint32_t end_step)
{
    struct tp_signature *s = &work->out->signature;
    struct tp_arena *scratch = work->scratch;
    struct keeping k = {.work = work,
                        .first_step = first_step,
                        .end_step = end_step - 1,
                        .blocks = TP_VEC(scratch, struct block),
                        .kept = TP_VEC(scratch, struct kept)};
    if (end_step - first_step < LEAST_STEPS || !list_blocks_of_steps(&k))
        return;
    tp_count_places_init(&k.places, work);
    tp_keys_init(&k.owners, scratch, OWNER_IDS);
    if (!list_unfreed_blocks(&k))
        return;
    const struct kept *kept = k.kept.data;
    uint32_t *by_step = tp_arena_array(scratch, k.end_step - first_step, sizeof *by_step);
    struct tp_keyed *sorted = tp_arena_array(scratch, k.end_step - first_step, sizeof *sorted);
    tp_merge_sort(scratch, k.kept.data, k.kept.count, sizeof *kept, compare_by_owner, NULL);
    s->are_unfreed_blocks_known = true;
    s->kept = tp_arena_array(work->arena, tp_keys_count(&k.owners), sizeof *s->kept);
    for (size_t i = 0, end; i < k.kept.count; i = end) {
        for (end = i; end < k.kept.count && kept[end].owner == kept[i].owner; end++)
            continue;
        struct tp_count_kept one = make_unfreed_entry(&k, kept + i, kept + end, by_step, sorted);
        if (one.blocks || !one.is_exact)
            s->kept[s->kept_count++] = one;
    }
    tp_merge_sort(scratch, s->kept, s->kept_count, sizeof *s->kept, compare_by_text, NULL);
    tp_signature_hash_unfreed(s);
}
