/* Implements new_pages.h: finds new pages and their cost. */
#include "webreport/measure/rules/new_pages.h"

#include "webreport/measure/memory/memory_records.h"
#include "webreport/model/numbers.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

/* largest mmap threshold of glibc; glibc requests larger blocks from the system and returns them at each free, with or
 * without a recorder */
#define OWN_MAPPING_BYTES (INT64_C(32) << 20)

/* An allocation in host memory that consists of the pages first to end - 1. Blocks are in order of time. sort_bounds
 * replaces page numbers with indexes in the list of all bounds. */
struct block {
    uint64_t first, end;
    uint32_t owner; /* innermost operator at the time of the allocation; TP_NO_ID: no operator */
};

static struct tp_vec list_blocks(const struct tp_model *model, struct tp_arena *arena, int64_t page_bytes)
{
    struct tp_memory_records records;
    struct tp_vec blocks = TP_VEC(arena, struct block);
    tp_memory_records_build(&records, model, arena);
    for (uint32_t i = 0; i < records.count; i++) {
        const struct tp_memory_record *record = &records.items[i];
        int64_t bytes = tp_memory_bytes(&records, record);
        int64_t address = tp_memory_rare(model->trace, tp_memory_trace_record(&records, record))->address;
        bool is_host = records.devices[record->device].type == TP_DEVICE_CPU;
        if (!is_host || address <= 0 || bytes <= 0 || bytes >= OWN_MAPPING_BYTES)
            continue;
        uint64_t first = (uint64_t)address / (uint64_t)page_bytes;
        uint64_t end = ((uint64_t)address + (uint64_t)bytes - 1) / (uint64_t)page_bytes + 1;
        *(struct block *)tp_vec_push(&blocks) = (struct block){first, end, record->owner};
    }
    return blocks;
}

/* Returns the values `first` and `end` of all blocks as one list, ascending and without duplicates. Replaces both
 * values of each block with their indexes in this list. */
static struct tp_vec sort_bounds(struct tp_arena *arena, struct tp_vec *blocks)
{
    struct tp_keyed *ends = tp_arena_array(arena, 2 * blocks->count, sizeof *ends);
    struct tp_vec bounds = TP_VEC(arena, uint64_t);
    for (uint32_t i = 0; i < 2 * blocks->count; i++) {
        const struct block *block = TP_AT(blocks, struct block, i / 2);
        ends[i] = (struct tp_keyed){(int64_t)(i % 2 ? block->end : block->first), i, i};
    }
    tp_sort_keyed(ends, 2 * blocks->count, arena);
    for (size_t i = 0; i < 2 * blocks->count; i++) {
        struct block *block = TP_AT(blocks, struct block, ends[i].item / 2);
        uint64_t bound = (uint64_t)ends[i].key;
        if (!bounds.count || *TP_AT(&bounds, uint64_t, bounds.count - 1) != bound)
            *(uint64_t *)tp_vec_push(&bounds) = bound;
        *(ends[i].item % 2 ? &block->end : &block->first) = bounds.count - 1;
    }
    return bounds;
}

/* Returns the first page range at or after `at` that no earlier block contained. Shortens the visited paths in
 * `next`. */
static uint32_t next_new_range(uint32_t *next, uint32_t at)
{
    while (next[at] != at)
        at = next[at] = next[next[at]];
    return at;
}

/* Returns whether an operator itself writes no memory. Such an operator makes a view, or allocates memory that another
 * operator writes. */
static bool is_allocation_without_write(struct tp_str name)
{
    static const char *const begins[] = {"aten::empty",      "aten::new_empty", "aten::resize_",
                                         "aten::as_strided", "aten::view",      "aten::expand",
                                         "aten::transpose",  "aten::set_",      NULL};
    return tp_str_starts_with_one_of(name, begins) || tp_str_equal(name, TP_STR("aten::t"));
}

/* Returns the operator that is first to write the memory that `owner` allocated. */
static uint32_t find_first_writer(const struct tp_model *model, uint32_t owner)
{
    enum { MOST_LOOKED_AT = 32 };
    const struct tp_operators *ops = &model->operators;
    struct tp_str name = tp_trace_event_name(model->trace, tp_operator_event(model, owner));
    uint32_t thread = tp_operator_event(model, owner)->thread;
    if (!is_allocation_without_write(name))
        return owner;
    for (uint32_t op = owner + 1, n = 0; op < ops->finished_count && n < MOST_LOOKED_AT; op++, n++) {
        const struct tp_event *e = tp_operator_event(model, op);
        if (e->thread != thread)
            break;
        if (ops->subtree_end[op] == op + 1 && !is_allocation_without_write(tp_trace_event_name(model->trace, e)))
            return op;
    }
    return owner;
}

/* The kind of pages that an operator is first to write. NOTHING: no blocks; EXISTING: blocks of existing pages; NEW:
 * blocks of new pages, apart from pages at their edges; MIXED: both kinds.
 *
 * The kind and a number of pages share one integer, because a trace may have hundreds of millions of operators. The
 * number is the number of existing pages (EXISTING) or of new pages (NEW, MIXED). */
enum kind { NOTHING, EXISTING, NEW, MIXED };
enum { KIND_SHIFT = 30, EDGES = 2 };
#define COUNT_MASK ((UINT32_C(1) << KIND_SHIFT) - 1)

static enum kind kind_of_page_count(uint32_t pages)
{
    return (enum kind)(pages >> KIND_SHIFT);
}

static uint32_t count_of_new_pages(uint32_t pages)
{
    return kind_of_page_count(pages) >= NEW ? pages & COUNT_MASK : 0;
}

/* Returns the packed kind and number `pages` after adding a block with `all` pages, of which `made` are new. */
static uint32_t add_block_to_pages(uint32_t pages, uint64_t made, uint64_t all)
{
    enum kind before = kind_of_page_count(pages), block = made == 0 ? EXISTING : all - made <= EDGES ? NEW : MIXED;
    enum kind kind = before == NOTHING || before == block ? block : MIXED;
    uint64_t count = kind == EXISTING ? (pages & COUNT_MASK) + all : count_of_new_pages(pages) + made;
    return (uint32_t)kind << KIND_SHIFT | (uint32_t)(count < COUNT_MASK ? count : COUNT_MASK);
}

/* Returns the kind and number of pages for each operator; NULL if the trace has no addresses of host memory. */
static uint32_t *count_pages(const struct tp_model *model, struct tp_arena *arena, int64_t page_bytes)
{
    struct tp_vec blocks = list_blocks(model, arena, page_bytes);
    if (!blocks.count)
        return NULL;
    struct tp_vec bounds = sort_bounds(arena, &blocks);
    uint32_t *pages = tp_arena_array(arena, model->operators.count, sizeof *pages);
    uint32_t *next = tp_arena_array(arena, bounds.count + 1, sizeof *next);
    for (uint32_t i = 0; i <= bounds.count; i++)
        next[i] = i;
    for (size_t i = 0; i < blocks.count; i++) {
        const struct block *block = TP_AT(&blocks, struct block, i);
        uint64_t made = 0;
        uint64_t all = *TP_AT(&bounds, uint64_t, block->end) - *TP_AT(&bounds, uint64_t, block->first);
        for (uint32_t at = next_new_range(next, (uint32_t)block->first); at < block->end;
             at = next_new_range(next, at)) {
            made += *TP_AT(&bounds, uint64_t, at + 1) - *TP_AT(&bounds, uint64_t, at);
            next[at] = at + 1;
        }
        if (block->owner == TP_NO_ID)
            continue;
        uint32_t *filler = &pages[find_first_writer(model, block->owner)];
        *filler = add_block_to_pages(*filler, made, all);
    }
    return pages;
}

/* ---- the cost of a new page ---- */

/* Returns whether operators with this name do little more with a page than write it. */
static bool is_light_operator_name(struct tp_str name)
{
    static const char *const names[] = {"aten::mul",
                                        "aten::add",
                                        "aten::sub",
                                        "aten::div",
                                        "aten::neg",
                                        "aten::clone",
                                        "aten::zeros",
                                        "aten::zeros_like",
                                        "aten::ones",
                                        "aten::relu",
                                        "aten::clamp_min",
                                        "aten::copy_",
                                        "aten::_to_copy",
                                        "aten::cat",
                                        "aten::stack",
                                        "aten::where",
                                        "aten::maximum",
                                        "aten::abs",
                                        "aten::fill_",
                                        "aten::zero_",
                                        "aten::threshold_backward",
                                        "aten::masked_fill",
                                        NULL};
    return tp_str_is_one_of(name, names);
}

/* Thresholds for operators that show how long the system takes to make pages. EVIDENCE_PAGES: least number of new
 * pages; MADE_NS: least time per new page, because writing an existing page takes less; MANY_PAGES: number of pages
 * from which on the call itself is a small part of the time; FEW: least number of operators. */
enum { EVIDENCE_PAGES = 8, MANY_PAGES = 64, MADE_NS = 1000, FEW = 3 };
/* WRITTEN_NS: time to write a page, ns; MOST_ACCEPTED_NS: largest accepted cost of a page if only operators that
 * compute are evidence, ns */
enum { WRITTEN_NS = 300, MOST_ACCEPTED_NS = 1500 };

static int64_t low_quantile_of_times_ns(struct tp_vec *times, unsigned percent)
{
    tp_sort_integers(times->data, times->count);
    return *TP_AT(times, int64_t, tp_nearest_rank(times->count, percent)) - WRITTEN_NS;
}

static int64_t self_ns(const struct tp_model *model, uint32_t op)
{
    return tp_narrow_get(&model->operators.host_self, op);
}

static bool is_light_operator(const struct tp_model *model, uint32_t op)
{
    return is_light_operator_name(tp_trace_event_name(model->trace, tp_operator_event(model, op)));
}

/* Returns whether an operator wrote so many new pages, and took so long for each, that the system must have made
 * these pages. */
static bool is_evidence_of_new_pages(const struct tp_model *model, const uint32_t *pages, uint32_t op)
{
    uint32_t made = count_of_new_pages(pages[op]);
    return made >= EVIDENCE_PAGES && self_ns(model, op) / made >= MADE_NS;
}

/* Returns the cost of a new page, ns; 0 if there is no evidence that the system made pages. */
static int64_t page_cost(const struct tp_model *model, struct tp_arena *arena, const uint32_t *pages)
{
    struct tp_vec light = TP_VEC(arena, int64_t), others = light;
    for (uint32_t op = 0; op < model->operators.count; op++) {
        struct tp_vec *times = is_light_operator(model, op) ? &light : &others;
        if (is_evidence_of_new_pages(model, pages, op))
            *(int64_t *)tp_vec_push(times) = self_ns(model, op) / count_of_new_pages(pages[op]);
    }
    if (light.count >= FEW)
        return low_quantile_of_times_ns(&light, 25);
    return others.count >= FEW ? tp_ns_min(low_quantile_of_times_ns(&others, 10), MOST_ACCEPTED_NS) : 0;
}

/* Returns the time that a light operator takes for an existing page, ns: the median of operators with at least
 * MANY_PAGES, but at least the time to write a page. Returns the time to write a page if there are no such
 * operators. */
static int64_t usual_page_ns(const struct tp_model *model, struct tp_arena *arena, const uint32_t *pages)
{
    struct tp_vec times = TP_VEC(arena, int64_t);
    for (uint32_t op = 0; op < model->operators.count; op++)
        if (kind_of_page_count(pages[op]) == EXISTING && (pages[op] & COUNT_MASK) >= MANY_PAGES &&
            is_light_operator(model, op))
            *(int64_t *)tp_vec_push(&times) = self_ns(model, op) / (pages[op] & COUNT_MASK);
    return times.count < FEW ? WRITTEN_NS : tp_ns_max(WRITTEN_NS, tp_lower_median(times.data, times.count));
}

/* Returns the part of an operator's time in which the system made pages, ns. A page takes 0.2 us to 20 us, often with
 * wide variation within a recording. For a light operator with many new pages, the result is all time above the usual
 * time. For other operators, the result is cost_ns per page, or 0 if the operator took less time than this. */
static int64_t time_to_make_pages_ns(const struct tp_model *model, const uint32_t *pages, uint32_t op, int64_t cost_ns,
                                     int64_t usual_ns)
{
    uint32_t made = count_of_new_pages(pages[op]);
    int64_t self = self_ns(model, op), cost = tp_sat_mul(cost_ns, made);
    bool is_clear =
        kind_of_page_count(pages[op]) == NEW && made >= MANY_PAGES && is_evidence_of_new_pages(model, pages, op);
    if (is_clear && usual_ns < MADE_NS && is_light_operator(model, op))
        return tp_ns_max(0, tp_sat_sub(self, tp_sat_mul(usual_ns, made)));
    return (double)self < 0.8 * (double)cost ? 0 : tp_ns_min(cost, self);
}

uint32_t *tp_find_new_page_times(const struct tp_model *model, struct tp_arena *arena, int64_t page_bytes)
{
    uint32_t *pages = count_pages(model, arena, page_bytes);
    if (!pages)
        return NULL;
    int64_t cost_ns = page_cost(model, arena, pages), usual_ns = usual_page_ns(model, arena, pages);
    for (uint32_t op = 0; op < model->operators.count;
         op++) { /* replaces the packed number of pages with the time in ns */
        int64_t ns = cost_ns ? time_to_make_pages_ns(model, pages, op, cost_ns, usual_ns) : 0;
        pages[op] = (uint32_t)tp_ns_min(ns, UINT32_MAX);
    }
    return pages;
}
