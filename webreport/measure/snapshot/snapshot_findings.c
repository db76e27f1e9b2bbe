/* Finds problems of a device's memory: see snapshot_parts.h. Each function below is one kind of problem, with its
 * thresholds (docs/definitions.md, section 32). */
#include <string.h>

#include "webreport/measure/snapshot/snapshot_parts.h"
#include "writer/base/sort.h"

#define MIB (1ull << 20)

const char *tp_snapshot_severity_text(unsigned severity)
{
    static const char *const names[] = {"high", "medium", "low", "info"};
    return names[severity];
}

const char *tp_snapshot_finding_text(unsigned id)
{
    static const char *const names[TP_SNAPSHOT_FINDING_IDS] = {
        "activations",     "cache",      "cut",           "empty_cache", "fragmentation",   "gradients_in_forward",
        "growth",          "logits",     "no_stacks",     "oom",         "optimizer_state", "pending_free",
        "pinned_segments", "pool_grows", "private_pools", "retries",     "rounding"};
    return names[id];
}

/* The search for problems. */
struct search {
    const struct tp_snapshot_device *device;
    uint64_t peak_bytes;               /* allocated bytes at the peak, at least 1 */
    const struct tp_snapshot_oom *oom; /* last out-of-memory event; NULL if none */
    struct tp_vec found;               /* elements: struct tp_snapshot_finding */
};

static struct tp_snapshot_finding *add(struct search *search, enum tp_snapshot_finding_id id,
                                       enum tp_snapshot_severity severity, uint64_t gain_bytes)
{
    struct tp_snapshot_finding *finding = tp_vec_push(&search->found);
    *finding = (struct tp_snapshot_finding){.id = (uint8_t)id, .severity = (uint8_t)severity, .gain_bytes = gain_bytes};
    return finding;
}

static void set_bytes(struct tp_snapshot_finding *finding, uint64_t bytes)
{
    finding->has_bytes = true;
    finding->bytes = (int64_t)bytes;
}

static void set_count(struct tp_snapshot_finding *finding, uint64_t count)
{
    finding->has_count = true;
    finding->count = (int64_t)count;
}

static void set_line(struct tp_snapshot_finding *finding, struct tp_str line)
{
    finding->has_line = true;
    finding->line = line;
}

/* Returns whether `bytes` are at least one `part`-th of `whole`. */
static bool is_share(uint64_t bytes, uint64_t part, uint64_t whole)
{
    return bytes >= (whole ? whole : 1) / part + ((whole ? whole : 1) % part != 0);
}

static const struct tp_fragmentation *fragmentation_of(const struct search *search)
{
    return search->oom ? &search->oom->fragmentation : &search->device->peak.fragmentation;
}

/* ---- failed and slow allocations ---- */

static void find_oom(struct search *search)
{
    if (!search->oom)
        return;
    struct tp_snapshot_finding *finding = add(search, TP_SNAPSHOT_OOM, TP_SNAPSHOT_HIGH, search->oom->short_bytes);
    finding->has_kind = true;
    finding->kind = tp_oom_kind_text(search->oom->kind);
    set_count(finding, search->device->oom_total);
}

static void find_fragmentation(struct search *search)
{
    const struct tp_fragmentation *f = fragmentation_of(search);
    bool is_fatal = search->oom && search->oom->kind == TP_OOM_FRAGMENTED;
    if (!search->device->context.snapshot->settings.is_expandable && f->inactive_split_bytes >= 16 * MIB &&
        is_share(f->inactive_split_bytes, 10, f->reserved_bytes))
        add(search, TP_SNAPSHOT_FRAGMENTATION, is_fatal ? TP_SNAPSHOT_HIGH : TP_SNAPSHOT_MEDIUM,
            f->inactive_split_bytes);
}

static void find_pinned_segments(struct search *search)
{
    const struct tp_pinned *pinned = search->oom ? &search->oom->pinned : &search->device->end.pinned;
    if (pinned->free_bytes >= 20 * MIB && is_share(pinned->free_bytes, 20, fragmentation_of(search)->reserved_bytes))
        add(search, TP_SNAPSHOT_PINNED_SEGMENTS, TP_SNAPSHOT_MEDIUM, pinned->free_bytes);
}

static void find_retries(struct search *search)
{
    enum { MANY = 8 };
    uint64_t retries = search->device->churn.retries;
    if (retries)
        set_count(add(search, TP_SNAPSHOT_RETRIES, retries < MANY ? TP_SNAPSHOT_MEDIUM : TP_SNAPSHOT_HIGH, 0), retries);
}

static void find_empty_cache(struct search *search)
{
    enum { LEAST = 3 };
    uint64_t calls = search->device->churn.empty_caches;
    if (calls >= LEAST)
        set_count(add(search, TP_SNAPSHOT_EMPTY_CACHE, TP_SNAPSHOT_MEDIUM, 0), calls);
}

static void find_pool_growth(struct search *search)
{
    enum { LEAST = 8, LEAST_VALLEYS = 8 };
    const struct tp_snapshot_churn *churn = &search->device->churn;
    const struct tp_snapshot_growth *growth = &search->device->growth;
    bool has_steps = growth->by && (strcmp(growth->by, "valleys") != 0 || growth->boundary_count >= LEAST_VALLEYS);
    if (has_steps && churn->late_segment_allocs >= LEAST && churn->late_segment_allocs > churn->retries &&
        !churn->empty_caches)
        set_count(add(search, TP_SNAPSHOT_POOL_GROWS, TP_SNAPSHOT_MEDIUM, churn->late_segment_bytes),
                  churn->late_segment_allocs);
}

static void find_growth(struct search *search)
{
    enum { SHOWN = 3, LEAST_BYTES = 64 << 10 };
    const struct tp_snapshot_growth *growth = &search->device->growth;
    for (uint64_t i = 0; i < growth->growing_count && i < SHOWN; i++) {
        const struct tp_snapshot_growing *row = &growth->growing[i];
        if (row->bytes_per_step < LEAST_BYTES)
            continue;
        bool is_large = is_share(row->bytes_per_step, 100, search->peak_bytes);
        struct tp_snapshot_finding *finding =
            add(search, TP_SNAPSHOT_GROWTH, is_large ? TP_SNAPSHOT_HIGH : TP_SNAPSHOT_MEDIUM,
                row->live_bytes[row->live_count - 1]);
        set_line(finding, row->name);
        finding->bytes_per_step = row->bytes_per_step;
        finding->places = row->blocks;
    }
}

/* ---- what the peak consists of ---- */

static struct tp_str category_of(const struct search *search, const struct tp_allocator_block *block)
{
    const struct tp_live_context *context = &search->device->context;
    return tp_code_name(context->stacks, tp_live_category(context, block));
}

static bool is_in(const struct search *search, const struct tp_allocator_block *block, const char *category)
{
    return tp_str_equal(category_of(search, block), tp_str_of(category));
}

static uint64_t category_bytes(const struct search *search, const char *category)
{
    return tp_live_bytes(&search->device->peak.live_by.by[TP_LIVE_CATEGORY], category);
}

static void find_activations(struct search *search)
{
    const struct tp_snapshot_device *device = search->device;
    uint64_t bytes = category_bytes(search, "activations");
    struct tp_id_map layers;
    if (bytes * 10 < 4 * search->peak_bytes)
        return;
    tp_id_map_init(&layers, device->context.arena);
    for (size_t i = 0; i < device->peak_block_count; i++)
        if (is_in(search, device->peak_blocks[i], "activations"))
            tp_id_map_find_or_add(&layers, tp_code_stack(device->context.stacks, device->peak_blocks[i]->stack)->layer);
    struct tp_snapshot_finding *finding = add(search, TP_SNAPSHOT_ACTIVATIONS, TP_SNAPSHOT_MEDIUM, bytes / 2);
    set_bytes(finding, bytes);
    finding->places = layers.count;
}

static void find_optimizer_state(struct search *search)
{
    uint64_t bytes = category_bytes(search, "optimizer state");
    if (is_share(bytes, 4, search->peak_bytes))
        set_bytes(add(search, TP_SNAPSHOT_OPTIMIZER_STATE, TP_SNAPSHOT_MEDIUM, bytes * 3 / 4), bytes);
}

/* Logits, losses and their gradients: large blocks whose stack has a function with such a name. */
static void find_logits(struct search *search)
{
    const struct tp_snapshot_device *device = search->device;
    const struct tp_live_context *context = &device->context;
    struct tp_vec blocks = TP_VEC(context->arena, const struct tp_allocator_block *);
    struct tp_live_table lines;
    uint64_t bytes = 0;
    for (size_t i = 0; i < device->peak_block_count; i++) {
        const struct tp_allocator_block *block = device->peak_blocks[i];
        if (block->size < MIB || !tp_code_stack(context->stacks, block->stack)->has_loss)
            continue;
        *(const struct tp_allocator_block **)tp_vec_push(&blocks) = block;
        bytes += block->size;
    }
    if (!blocks.count || !is_share(bytes, 10, search->peak_bytes))
        return;
    tp_live_table_build(&lines, context, TP_LIVE_LINE_OR_SITE, blocks.data, blocks.count, NULL);
    struct tp_snapshot_finding *finding = add(search, TP_SNAPSHOT_LOGITS, TP_SNAPSHOT_MEDIUM, bytes * 7 / 8);
    set_bytes(finding, bytes);
    set_line(finding, lines.rows[0].name);
}

/* Gradients of the step before, which are older than every activation at the peak. */
static void find_old_gradients(struct search *search)
{
    const struct tp_snapshot_device *device = search->device;
    int64_t first = INT64_MAX;
    uint64_t bytes = 0;
    for (size_t i = 0; i < device->peak_block_count; i++)
        if (device->peak_blocks[i]->allocated < first && is_in(search, device->peak_blocks[i], "activations"))
            first = device->peak_blocks[i]->allocated;
    for (size_t i = 0; i < device->peak_block_count && first != INT64_MAX; i++) {
        const struct tp_allocator_block *block = device->peak_blocks[i];
        if (block->allocated >= 0 && block->allocated < first && is_in(search, block, "gradients"))
            bytes += block->size;
    }
    if (is_share(bytes, 20, search->peak_bytes))
        set_bytes(add(search, TP_SNAPSHOT_GRADIENTS_IN_FORWARD, TP_SNAPSHOT_MEDIUM, bytes), bytes);
}

static void find_rounding(struct search *search)
{
    uint64_t bytes = search->device->peak.rounding_bytes;
    if (is_share(bytes, 20, search->peak_bytes))
        set_bytes(add(search, TP_SNAPSHOT_ROUNDING, TP_SNAPSHOT_LOW, bytes), bytes);
}

static void find_pending_free(struct search *search)
{
    uint64_t bytes = search->device->peak.pending_free_bytes;
    if (is_share(bytes, 20, search->device->peak.at.active_bytes))
        set_bytes(add(search, TP_SNAPSHOT_PENDING_FREE, TP_SNAPSHOT_MEDIUM, bytes), bytes);
}

/* ---- the end, and the recording ---- */

static void find_private_pools(struct search *search)
{
    const struct tp_snapshot_end *end = &search->device->end;
    uint64_t bytes = end->fragmentation.private_pool_inactive_bytes;
    if (is_share(bytes, 10, end->reserved_bytes))
        set_bytes(add(search, TP_SNAPSHOT_PRIVATE_POOLS, TP_SNAPSHOT_LOW, bytes), bytes);
}

static void find_cache(struct search *search)
{
    const struct tp_snapshot_end *end = &search->device->end;
    uint64_t bytes = end->fragmentation.releasable_bytes;
    if (!search->oom && bytes >= 64 * MIB && is_share(bytes, 5, end->reserved_bytes))
        set_bytes(add(search, TP_SNAPSHOT_CACHE, TP_SNAPSHOT_INFO, bytes), bytes);
}

static void find_missing_stacks(struct search *search)
{
    uint64_t bytes = tp_live_bytes(&search->device->peak.live_by.by[TP_LIVE_STACK], "");
    if (is_share(bytes, 2, search->peak_bytes))
        set_bytes(add(search, TP_SNAPSHOT_NO_STACKS, TP_SNAPSHOT_INFO, 0), bytes);
}

static void find_cut(struct search *search)
{
    if (search->device->window.cut == TP_WINDOW_CUT)
        add(search, TP_SNAPSHOT_CUT, TP_SNAPSHOT_INFO, 0);
}

/* Orders findings by severity, then gain, then id. */
static int compare_findings(const void *x, const void *y, const void *context)
{
    const struct tp_snapshot_finding *a = x, *b = y;
    (void)context; /* all data is in the findings */
    if (a->severity != b->severity)
        return a->severity < b->severity ? -1 : 1;
    if (a->gain_bytes != b->gain_bytes)
        return a->gain_bytes < b->gain_bytes ? 1 : -1;
    return (a->id > b->id) - (a->id < b->id);
}

void tp_snapshot_find_problems(struct tp_snapshot_device *device)
{
    static void (*const kinds[])(struct search *) = {find_oom,
                                                     find_fragmentation,
                                                     find_pinned_segments,
                                                     find_retries,
                                                     find_empty_cache,
                                                     find_pool_growth,
                                                     find_growth,
                                                     find_activations,
                                                     find_optimizer_state,
                                                     find_logits,
                                                     find_old_gradients,
                                                     find_rounding,
                                                     find_pending_free,
                                                     find_private_pools,
                                                     find_cache,
                                                     find_missing_stacks,
                                                     find_cut};
    struct search search = {.device = device,
                            .peak_bytes = device->peak.at.allocated_bytes ? device->peak.at.allocated_bytes : 1,
                            .oom = device->oom_count ? &device->ooms[device->oom_count - 1] : NULL,
                            .found = TP_VEC(device->context.arena, struct tp_snapshot_finding)};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        kinds[i](&search);
    tp_merge_sort(device->context.arena, search.found.data, search.found.count, sizeof(struct tp_snapshot_finding),
                  compare_findings, NULL);
    device->findings = search.found.data;
    device->finding_count = search.found.count;
}
