/* Words the answer of the page of a memory snapshot: the headline, the sentences below it and the figures. See
 * snapshot_page.h. */
#include <math.h>
#include <string.h>

#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/base/buf.h"
#include "writer/text/format.h"

/* The headline while it is built. */
struct headline {
    const struct tp_snapshot_page *page;
    struct tp_buf text;
    struct tp_verdict_block verdict;
};

static void add(struct headline *h, const char *text)
{
    tp_buf_puts(&h->text, text);
}

/* Adds words that name the cause. look: color of the cause. */
static void add_cause(struct headline *h, enum tp_look look, const char *text)
{
    h->verdict.marks[h->verdict.mark_count++] =
        (struct tp_headline_mark){h->text.size, strlen(text), tp_look_name(look)};
    tp_buf_puts(&h->text, text);
}

/* ---- what fills the memory ---- */

/* What a user can do about a category of memory; NULL if nothing general helps. */
static const char *action_for(struct tp_str category)
{
    static const struct {
        const char *category, *action;
    } actions[] = {
        {"activations", "recompute them with activation checkpointing, or use a smaller batch"},
        {"recomputed activations", "checkpoint smaller parts of the model"},
        {"optimizer state", "use an 8-bit optimizer, or shard it"},
        {"weights", "shard them, or store them with fewer bits"},
        {"parameters", "shard them, or store them with fewer bits"},
        {"gradients", "free them before the forward pass, or shard them"},
        {"communication", "use smaller buckets"},
    };
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (tp_str_equal(category, tp_str_of(actions[i].category)))
            return actions[i].action;
    return NULL;
}

/* Adds the largest category with its share of all live bytes, such as "activations take 16.4 of 22.6 GiB". */
static const char *largest_category(const struct tp_snapshot_page *page, struct tp_str *name)
{
    const struct tp_live_by *live = tp_snapshot_page_live(page);
    const struct tp_live_table *table = &live->by[TP_LIVE_CATEGORY];
    if (!table->row_count)
        return NULL;
    *name = table->rows[0].name;
    struct tp_unit unit = tp_unit_for_bytes((int64_t)live->bytes);
    const char *noun = tp_str_equal(*name, tp_str_of("before the recording")) ? "blocks from before the recording"
                       : tp_str_equal(*name, tp_str_of("no stack"))           ? "blocks without a stack"
                       : tp_str_equal(*name, tp_str_of("no Python frames"))   ? "blocks of C++ code"
                       : tp_str_equal(*name, tp_str_of("other"))
                           ? "other tensors"
                           : tp_text_printf(page->arena, "%.*s", (int)name->len, name->ptr);
    bool is_plural = noun[strlen(noun) - 1] == 's' || strncmp(noun, "blocks", 6) == 0;
    return tp_text_printf(page->arena, "%s take%s %s of %s %s", noun, is_plural ? "" : "s",
                          tp_text_of_fixed(page->arena, (double)table->rows[0].bytes / unit.divisor, 1),
                          tp_text_of_fixed(page->arena, (double)live->bytes / unit.divisor, 1), unit.text);
}

/* Adds the largest line to a headline, because its category has no general action. */
static void add_line_action(struct headline *h)
{
    const struct tp_live_table *lines = &tp_snapshot_page_live(h->page)->by[TP_LIVE_LINE];
    if (lines->row_count && lines->rows[0].name.len)
        add(h,
            tp_text_printf(h->page->arena, "; most are from %s", tp_snapshot_page_place(h->page, lines->rows[0].name)));
}

static void add_fill(struct headline *h)
{
    struct tp_str name;
    const char *text = largest_category(h->page, &name);
    if (!text)
        return;
    add_cause(h, tp_snapshot_category_look(name), text);
    const char *action = action_for(name);
    if (action)
        add(h, tp_text_printf(h->page->arena, "; %s", action));
    else
        add_line_action(h);
}

/* ---- headlines ---- */

/* Adds the name of the rank, such as " on rank 3", if the headline must name it. */
static void add_rank(struct headline *h, const char *preposition)
{
    if (h->page->rank)
        add(h, tp_text_printf(h->page->arena, " %s %s", preposition, h->page->rank));
}

static void word_oom(struct headline *h, const struct tp_snapshot_oom *oom)
{
    const struct tp_snapshot_page *page = h->page;
    h->verdict.tone = TP_TONE_BAD;
    add(h, "Out of memory");
    add_rank(h, "on");
    switch (oom->kind) {
    case TP_OOM_FRAGMENTED:
        add(h, ", although ");
        add_cause(h, TP_LOOK_WASTED,
                  tp_text_printf(page->arena, "%s in the cache are free, but in %llu parts",
                                 tp_snapshot_page_bytes(page, oom->fragmentation.inactive_bytes),
                                 (unsigned long long)oom->fragmentation.free_blocks));
        add(h, page->result->snapshot->settings.is_expandable ? ": no part is large enough."
                                                              : ": set `expandable_segments:True`.");
        return;
    case TP_OOM_LIMIT:
        add(h, ", although ");
        add_cause(h, TP_LOOK_WASTED,
                  tp_text_printf(page->arena, "%s of the GPU are free",
                                 tp_snapshot_page_bytes(page, oom->device_free_bytes)));
        add(h, ": raise the memory limit of the process, or stop other processes.");
        return;
    default:
        add(h, tp_text_printf(page->arena, " for %s at %s: ", tp_snapshot_page_bytes(page, oom->requested_bytes),
                              tp_snapshot_page_place(page, oom->line)));
        add_fill(h);
        add(h, ".");
    }
}

static void word_growth(struct headline *h, const struct tp_snapshot_growing *row)
{
    h->verdict.tone = TP_TONE_BAD;
    add(h, "Memory");
    add_rank(h, "of");
    add(h, " grows by ");
    add_cause(h, TP_LOOK_WASTED,
              tp_text_printf(h->page->arena, "%s in each step at %s",
                             tp_snapshot_page_bytes(h->page, row->bytes_per_step),
                             tp_snapshot_page_place(h->page, row->name)));
    add(h, ": keep numbers (`.item()`) or detached copies instead of tensors.");
}

/* Without an event, only the end is known. */
static void word_end(struct headline *h)
{
    const struct tp_snapshot_end *end = &h->page->device->end;
    h->verdict.tone = TP_TONE_UNSURE;
    add(h, tp_text_printf(h->page->arena, "%s of %s are in use at the end",
                          tp_snapshot_page_bytes(h->page, end->allocated_bytes),
                          tp_snapshot_page_bytes(h->page, end->reserved_bytes)));
    add_rank(h, "of");
    add(h, "; the file has no history, so record one to see the peak.");
}

static void word_peak(struct headline *h)
{
    const struct tp_snapshot_peak *peak = &h->page->device->peak;
    h->verdict.tone = TP_TONE_PLAIN;
    add(h, "The peak");
    add_rank(h, "of");
    add(h, tp_text_printf(h->page->arena, " is %s: ", tp_snapshot_page_bytes(h->page, peak->at.allocated_bytes)));
    add_fill(h);
    add(h, ".");
}

static const char *build_headline(struct headline *h)
{
    const struct tp_snapshot_device *device = h->page->device;
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(h->page);
    if (oom)
        word_oom(h, oom);
    else if (tp_snapshot_page_topic(h->page) == TP_TOPIC_GROWTH)
        word_growth(h, &device->growth.growing[0]);
    else if (!device->replay.event_count)
        word_end(h);
    else
        word_peak(h);
    return h->text.failed ? "" : tp_arena_copy(h->page->arena, h->text.data, h->text.size);
}

/* ---- sentences below the headline ---- */

/* Returns what the events lack, as a sentence; "" if nothing is missing. */
static const char *window_text(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_device *device = page->device;
    const char *older = tp_snapshot_page_bytes(page, device->window.older_live_bytes);
    switch (device->window.cut) {
    case TP_WINDOW_CUT:
        return tp_text_printf(
            page->arena,
            "The file has only the last %s events: %s of the live blocks are older, and the peak before "
            "these events is unknown.",
            tp_text_of_count(page->arena, (int64_t)device->replay.event_count), older);
    case TP_WINDOW_UNKNOWN:
        return device->window.older_live_bytes
                   ? tp_text_printf(page->arena,
                                    "Recording began after some allocations: %s of the live blocks have no stack.",
                                    older)
                   : "";
    case TP_WINDOW_STATE_ONLY:
        return "The file has stacks of the live blocks, but no events.";
    default:
        return "";
    }
}

/* Returns what would have to be freed for the failed request, as a sentence; "" if unknown. */
static const char *to_go_text(const struct tp_snapshot_page *page, const struct tp_snapshot_oom *oom)
{
    const struct tp_to_go *to_go = &oom->to_go;
    bool use_window =
        to_go->has_window && (!to_go->has_segments || to_go->window.live_bytes <= to_go->whole.live_bytes);
    if (!to_go->has_window && !to_go->has_segments)
        return "";
    return tp_text_printf(
        page->arena, "Freeing %s in the right place would have been enough.",
        tp_snapshot_page_bytes(page, use_window ? to_go->window.live_bytes : to_go->whole.live_bytes));
}

/* Returns a sentence after a space; "" for an empty sentence. */
static const char *with_space(const struct tp_snapshot_page *page, const char *sentence)
{
    return *sentence ? tp_text_printf(page->arena, " %s", sentence) : "";
}

static const char *below_headline(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    const struct tp_snapshot_peak *peak = &page->device->peak;
    const char *window = window_text(page);
    if (oom && oom->kind == TP_OOM_FULL)
        return tp_text_printf(page->arena, "%s were live, and %s of the GPU were free.%s%s",
                              tp_snapshot_page_bytes(page, oom->allocated_bytes),
                              tp_snapshot_page_bytes(page, oom->device_free_bytes),
                              with_space(page, to_go_text(page, oom)), with_space(page, window));
    if (oom)
        return tp_text_printf(
            page->arena, "%s asked for %s when %s were live and %s of the GPU were free.%s%s",
            tp_snapshot_page_place(page, oom->line), tp_snapshot_page_bytes(page, oom->requested_bytes),
            tp_snapshot_page_bytes(page, oom->allocated_bytes), tp_snapshot_page_bytes(page, oom->device_free_bytes),
            with_space(page, to_go_text(page, oom)), with_space(page, window));
    if (!page->device->replay.event_count || !peak->line.len)
        return window;
    return tp_text_printf(page->arena, "%s reaches the peak.%s", tp_snapshot_page_place(page, peak->line),
                          with_space(page, window));
}

/* ---- figures ---- */

static void put_figure(const struct tp_snapshot_page *page, const char *label, const char *definition, uint64_t bytes,
                       const char *note)
{
    const char *value = tp_snapshot_page_bytes(page, bytes);
    const char *space = strrchr(value, ' '); /* the unit is the last word */
    tp_document_add_figure(
        page->document,
        &(struct tp_figure_block){.label = label,
                                  .definition = definition,
                                  .value = space ? tp_arena_copy(page->arena, value, (size_t)(space - value)) : value,
                                  .unit = space ? space + 1 : "",
                                  .note = note,
                                  .meter = NAN});
}

static void put_oom_figures(const struct tp_snapshot_page *page, const struct tp_snapshot_oom *oom)
{
    put_figure(page, "Requested", "Size of the block that could not be allocated, rounded.", oom->requested_bytes, "");
    put_figure(page, "Missing", "Memory that the GPU lacked for this request.", oom->short_bytes, "");
    put_figure(page, "In use", "Sizes of the blocks that the program used at the failed request.", oom->allocated_bytes,
               "");
    put_figure(page, "Free in the cache",
               "Memory that the allocator had reserved and that no block used at the failed request.",
               oom->fragmentation.inactive_bytes, "");
    put_figure(page, "Largest free part", "Largest free range in the cache.", oom->fragmentation.largest_free_bytes,
               "");
    put_figure(page, "Known capacity",
               "Reserved memory and free memory of the GPU. Other processes and CUDA itself use the rest.",
               oom->known_capacity_bytes, "");
}

static void put_peak_figures(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_device *device = page->device;
    const struct tp_snapshot_peak *peak = &device->peak;
    if (device->replay.event_count)
        put_figure(page, "Peak", "Largest sum of the sizes of the blocks that the program used at a time.",
                   peak->at.allocated_bytes, "");
    if (!page->result) {
        /* a memory timeline has no reserved memory */
    } else if (device->replay.event_count) {
        put_figure(page, "Reserved", "Largest memory that the allocator reserved.",
                   device->peak_reserved.reserved_bytes, "");
        put_figure(page, "Free in the cache", "Reserved memory at the peak that no block used.",
                   peak->fragmentation.inactive_bytes, "at the peak");
    } else {
        put_figure(page, "Reserved", "Memory that the allocator reserved at the end.", device->end.reserved_bytes, "");
    }
    put_figure(page, "In use at the end", "Sizes of the blocks that the program used at the end.",
               device->end.allocated_bytes, "");
    if (device->growth.bytes_per_step != TP_NULL_INT && device->growth.bytes_per_step > 0 && device->growth.floor_rises)
        put_figure(page, "Growth", "Growth of the memory in use over the last four steps.",
                   (uint64_t)device->growth.bytes_per_step, "per step");
    if (device->churn.retries || device->churn.segment_allocs)
        tp_document_add_figure(
            page->document,
            &(struct tp_figure_block){
                .label = "New segments",
                .definition = "Number of segments that the allocator requested from the GPU "
                              "(cudaMalloc), or of ranges that it mapped.",
                .value = tp_text_of_count(page->arena, (int64_t)device->churn.segment_allocs),
                .unit = "",
                .note = device->churn.retries
                            ? tp_text_printf(page->arena, "%s",
                                             tp_text_of_counted_noun(page->arena, (int64_t)device->churn.retries,
                                                                     "retry", "retries"))
                            : "",
                .meter = NAN});
}

void tp_snapshot_page_put_answer(const struct tp_snapshot_page *page)
{
    struct headline h = {.page = page, .verdict = {.class = ""}};
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    tp_buf_init(&h.text, 0);
    h.verdict.headline = build_headline(&h);
    h.verdict.text = below_headline(page);
    if (page->about_ranks)
        h.verdict.text = tp_text_printf(page->arena, "%s%s", page->about_ranks, with_space(page, h.verdict.text));
    tp_buf_release(&h.text);
    tp_document_add_verdict(page->document, &h.verdict);
    if (oom)
        put_oom_figures(page, oom);
    else
        put_peak_figures(page);
}
