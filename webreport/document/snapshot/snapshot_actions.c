/* Words the findings of a memory snapshot as actions: what to do, the evidence, and the bytes that it saves. See
 * snapshot_page.h. */
#include <math.h>
#include <string.h>

#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/text/format.h"
#include "writer/text/marked_text.h"

/* One row for each finding. Marked titles have code in backticks. */
static const struct {
    const char *title;
    enum tp_look look;
    const char *advice; /* how to follow the title */
} rows[TP_SNAPSHOT_FINDING_IDS] = {
    [TP_SNAPSHOT_ACTIVATIONS] = {"Recompute activations: `torch.utils.checkpoint` around the layers", TP_LOOK_GPU,
                                 "Checkpointing keeps only the inputs of each layer. It saves at least half of the "
                                 "activations, and costs one more forward pass. A smaller batch or bf16 also helps."},
    [TP_SNAPSHOT_CACHE] = {"Call `torch.cuda.empty_cache()` once, if another process needs memory", TP_LOOK_NONE,
                           "The cache makes later allocations fast, so do not empty it in a loop."},
    [TP_SNAPSHOT_CUT] = {"Record more events: raise `max_entries`, or dump closer to the moment", TP_LOOK_NONE,
                         "Call torch.cuda.memory._record_memory_history(max_entries=1000000)."},
    [TP_SNAPSHOT_EMPTY_CACHE] =
        {"Remove `torch.cuda.empty_cache()` from the loop", TP_LOOK_LAUNCH,
         "Each call gives segments back that the next step must request again with cudaMalloc."},
    [TP_SNAPSHOT_FRAGMENTATION] = {"Let the allocator join free memory: `expandable_segments:True`", TP_LOOK_LAUNCH,
                                   "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True. Without it, set "
                                   "max_split_size_mb to less than the size of the free parts."},
    [TP_SNAPSHOT_GRADIENTS_IN_FORWARD] = {"Free gradients before the forward pass: `zero_grad(set_to_none=True)`",
                                          TP_LOOK_COMM, "Call it before the forward pass instead of after it."},
    [TP_SNAPSHOT_GROWTH] = {"Keep no tensors of earlier steps", TP_LOOK_HOST,
                            "Store .item() or .detach().cpu(). Look for lists, closures and hooks that keep tensors."},
    [TP_SNAPSHOT_LOGITS] = {"Compute the loss in parts of the sequence, or with a fused kernel", TP_LOOK_GPU2,
                            "Eight parts need an eighth of the memory. A fused linear cross-entropy needs no logits. "
                            "Otherwise delete the logits before the backward pass."},
    [TP_SNAPSHOT_NO_STACKS] = {"Record stacks: `_record_memory_history(stacks=\"python\")`", TP_LOOK_NONE,
                               "Call it before the model is made, with max_entries=1000000."},
    [TP_SNAPSHOT_OOM] = {NULL, TP_LOOK_WASTED, "The section about live blocks lists them by line, category and stack."},
    [TP_SNAPSHOT_OPTIMIZER_STATE] =
        {"Use an 8-bit optimizer, or shard its state", TP_LOOK_LAUNCH,
         "An 8-bit optimizer needs a quarter of the memory. FSDP or ZeRO divide the state by "
         "the number of GPUs."},
    [TP_SNAPSHOT_PENDING_FREE] = {"Free tensors of other streams sooner: `TORCH_NCCL_AVOID_RECORD_STREAMS=1`",
                                  TP_LOOK_COMM2,
                                  "Wait for the other stream before the tensor is freed. With FSDP, set "
                                  "limit_all_gathers."},
    [TP_SNAPSHOT_PINNED_SEGMENTS] = {"Allocate tensors that live long before the first step", TP_LOOK_LAUNCH,
                                     "A small block keeps its whole segment. Expandable segments avoid this, too."},
    [TP_SNAPSHOT_POOL_GROWS] = {"Pad or bucket the lengths of sequences, so that sizes repeat", TP_LOOK_LAUNCH,
                                "Otherwise set expandable_segments:True or roundup_power2_divisions."},
    [TP_SNAPSHOT_PRIVATE_POOLS] = {"Capture all CUDA graphs with one pool: `torch.cuda.graph_pool_handle()`",
                                   TP_LOOK_NONE, "Capture the largest graph first."},
    [TP_SNAPSHOT_RETRIES] = {"Lower the peak, so that the allocator need not empty its cache", TP_LOOK_LAUNCH,
                             "Or set garbage_collection_threshold:0.8 together with expandable_segments:True."},
    [TP_SNAPSHOT_ROUNDING] = {"Use fewer and larger tensors, or less `roundup_power2_divisions`", TP_LOOK_NONE,
                              "More divisions round sizes up by less."},
};

/* Returns the title of an action. */
static const char *title_of(const struct tp_snapshot_page *page, const struct tp_snapshot_finding *finding)
{
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    if (finding->id == TP_SNAPSHOT_GROWTH)
        return tp_text_printf(page->arena, "Keep no tensors of earlier steps in %s",
                              tp_snapshot_page_place(page, finding->line));
    if (finding->id != TP_SNAPSHOT_OOM)
        return rows[finding->id].title;
    if (oom->kind == TP_OOM_FRAGMENTED)
        return "Join free memory: `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`";
    return oom->kind == TP_OOM_LIMIT ? "Raise the memory limit, or stop other processes of this GPU"
                                     : "Make room: the live blocks themselves do not fit";
}

/* ---- evidence ---- */

static const char *bytes_of(const struct tp_snapshot_page *page, int64_t bytes)
{
    return tp_snapshot_page_bytes(page, (uint64_t)bytes);
}

static const struct tp_fragmentation *fragmentation_of(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    return oom ? &oom->fragmentation : &page->device->peak.fragmentation;
}

static const char *oom_evidence(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    if (oom->kind == TP_OOM_FULL)
        return tp_text_printf(page->arena, "%s are live; only %s of the GPU and %s in the cache are free.",
                              tp_snapshot_page_bytes(page, oom->allocated_bytes),
                              tp_snapshot_page_bytes(page, oom->device_free_bytes),
                              tp_snapshot_page_bytes(page, oom->fragmentation.inactive_bytes));
    return tp_text_printf(page->arena, "%s of the GPU and %s in the cache are free, but the request for %s fails.",
                          tp_snapshot_page_bytes(page, oom->device_free_bytes),
                          tp_snapshot_page_bytes(page, oom->fragmentation.inactive_bytes),
                          tp_snapshot_page_bytes(page, oom->requested_bytes));
}

static const char *memory_layout_evidence(const struct tp_snapshot_page *page,
                                          const struct tp_snapshot_finding *finding)
{
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    const struct tp_fragmentation *f = fragmentation_of(page);
    const struct tp_pinned *pinned = oom ? &oom->pinned : &page->device->end.pinned;
    if (finding->id == TP_SNAPSHOT_FRAGMENTATION)
        return tp_text_printf(page->arena, "%s of %s reserved are in %s free parts between blocks; the largest has %s.",
                              tp_snapshot_page_bytes(page, f->inactive_split_bytes),
                              tp_snapshot_page_bytes(page, f->reserved_bytes),
                              tp_text_of_count(page->arena, (int64_t)f->inactive_split_blocks),
                              tp_snapshot_page_bytes(page, f->largest_free_bytes));
    return tp_text_printf(page->arena, "%s with %s free are kept by %s of blocks, most of them from %s.",
                          tp_text_of_counted_noun(page->arena, (int64_t)pinned->segments, "segment", "segments"),
                          tp_snapshot_page_bytes(page, pinned->free_bytes),
                          tp_snapshot_page_bytes(page, pinned->live_bytes),
                          tp_snapshot_page_place(page, pinned->rows[0].line));
}

static const char *share_evidence(const struct tp_snapshot_page *page, const struct tp_snapshot_finding *finding,
                                  const char *format)
{
    const char *share =
        tp_text_of_percent(page->arena, tp_percent(finding->bytes, (int64_t)page->device->peak.at.allocated_bytes));
    return tp_text_printf(page->arena, "%s %s, which is %s of the peak.", format, bytes_of(page, finding->bytes),
                          share);
}

static const char *churn_evidence(const struct tp_snapshot_page *page, const struct tp_snapshot_finding *finding)
{
    const struct tp_snapshot_churn *churn = &page->device->churn;
    const char *count = tp_text_of_count(page->arena, finding->count);
    const char *times = tp_text_of_counted_noun(page->arena, finding->count, "time", "times");
    switch (finding->id) {
    case TP_SNAPSHOT_RETRIES:
        return tp_text_printf(page->arena, "The allocator emptied its cache %s to serve a request, and gave %s back.",
                              times, tp_snapshot_page_bytes(page, churn->retry_freed_bytes));
    case TP_SNAPSHOT_EMPTY_CACHE:
        return tp_text_printf(page->arena, "The program called it %s; the allocator requested %s new segments.", times,
                              tp_text_of_count(page->arena, (int64_t)churn->segment_allocs));
    default:
        return tp_text_printf(page->arena, "The second half of the steps still needed %s new segments (%s).", count,
                              tp_snapshot_page_bytes(page, churn->late_segment_bytes));
    }
}

static const char *evidence_of(const struct tp_snapshot_page *page, const struct tp_snapshot_finding *finding)
{
    switch (finding->id) {
    case TP_SNAPSHOT_OOM:
        return oom_evidence(page);
    case TP_SNAPSHOT_FRAGMENTATION:
    case TP_SNAPSHOT_PINNED_SEGMENTS:
        return memory_layout_evidence(page, finding);
    case TP_SNAPSHOT_RETRIES:
    case TP_SNAPSHOT_EMPTY_CACHE:
    case TP_SNAPSHOT_POOL_GROWS:
        return churn_evidence(page, finding);
    case TP_SNAPSHOT_GROWTH:
        return tp_text_printf(page->arena, "Its live memory grows by %s in each step, to %s in %s at the end.",
                              tp_snapshot_page_bytes(page, finding->bytes_per_step),
                              tp_snapshot_page_bytes(page, finding->gain_bytes),
                              tp_text_of_counted_noun(page->arena, (int64_t)finding->places, "block", "blocks"));
    case TP_SNAPSHOT_LOGITS:
        return tp_text_printf(page->arena, "Logits and loss take %s at the peak, most of it at %s.",
                              bytes_of(page, finding->bytes), tp_snapshot_page_place(page, finding->line));
    case TP_SNAPSHOT_ACTIVATIONS:
        return share_evidence(page, finding, "Activations take");
    case TP_SNAPSHOT_OPTIMIZER_STATE:
        return share_evidence(page, finding, "The state of the optimizer takes");
    case TP_SNAPSHOT_GRADIENTS_IN_FORWARD:
        return share_evidence(page, finding, "Gradients of the step before take");
    case TP_SNAPSHOT_ROUNDING:
        return share_evidence(page, finding, "The allocator rounds sizes up by");
    case TP_SNAPSHOT_PENDING_FREE:
        return share_evidence(page, finding, "Blocks that are freed, but wait for another stream, take");
    case TP_SNAPSHOT_NO_STACKS:
        return share_evidence(page, finding, "Blocks without a stack take");
    case TP_SNAPSHOT_PRIVATE_POOLS:
        return tp_text_printf(page->arena, "%s are idle in private pools.", bytes_of(page, finding->bytes));
    case TP_SNAPSHOT_CACHE:
        return tp_text_printf(page->arena, "%s are cached at the end and could be given back.",
                              bytes_of(page, finding->bytes));
    default:
        return tp_text_printf(page->arena, "%s of the live blocks are older than the first event.",
                              tp_snapshot_page_bytes(page, page->device->window.older_live_bytes));
    }
}

/* ---- list ---- */

static enum tp_tone tone_of(const struct tp_snapshot_finding *finding)
{
    static const enum tp_tone tones[] = {TP_TONE_BAD, TP_TONE_WARN, TP_TONE_UNSURE, TP_TONE_PLAIN};
    return tones[finding->severity];
}

static void fill(const struct tp_snapshot_page *page, const struct tp_snapshot_finding *finding,
                 struct tp_finding_block *out)
{
    uint64_t whole = page->device->peak.fragmentation.reserved_bytes;
    const char *title = title_of(page, finding);
    double percent = whole ? 100 * (double)finding->gain_bytes / (double)whole : 0;
    bool has_gain = finding->gain_bytes && finding->id != TP_SNAPSHOT_OOM;
    *out = (struct tp_finding_block){.tone = tone_of(finding),
                                     .status = tp_snapshot_severity_text(finding->severity),
                                     .id = tp_snapshot_finding_text(finding->id),
                                     .title = title,
                                     .marked_title =
                                         finding->id == TP_SNAPSHOT_GROWTH ? NULL : tp_marked_text(page->arena, title),
                                     .look = tp_look_name(rows[finding->id].look),
                                     .advice = rows[finding->id].advice,
                                     .value = ""};
    out->reasons[0] = evidence_of(page, finding);
    if (has_gain) {
        out->value = tp_snapshot_page_bytes(page, finding->gain_bytes);
        out->saving = tp_text_printf(page->arena, "saves up to %s", tp_snapshot_page_bytes(page, finding->gain_bytes));
        out->saving_share = tp_text_of_percent(page->arena, percent > 100 ? 100 : percent);
        out->high_percent = percent > 100 ? 100 : percent;
    }
}

/* Returns whether another finding has the same action: an out-of-memory event by fragmentation has that of the
 * fragmentation. */
static bool is_repeated(const struct tp_snapshot_device *device, const struct tp_snapshot_finding *finding)
{
    bool is_by_fragmentation = device->oom_count && device->ooms[device->oom_count - 1].kind == TP_OOM_FRAGMENTED;
    for (uint64_t i = 0; i < device->finding_count; i++)
        if (device->findings[i].id == TP_SNAPSHOT_FRAGMENTATION && is_by_fragmentation)
            return finding->id == TP_SNAPSHOT_OOM;
    return false;
}

void tp_snapshot_page_put_actions(const struct tp_snapshot_page *page)
{
    enum { OPEN = 3 };
    const struct tp_snapshot_device *device = page->device;
    struct tp_finding_block *items = tp_arena_array(page->arena, device->finding_count + 1, sizeof *items);
    uint64_t count = 0;
    for (unsigned of_oom = 0; of_oom < 2; of_oom++) /* the out-of-memory event comes first */
        for (uint64_t i = 0; i < device->finding_count; i++)
            if ((device->findings[i].id == TP_SNAPSHOT_OOM) == !of_oom && !is_repeated(device, &device->findings[i]))
                fill(page, &device->findings[i], &items[count++]);
    uint64_t more = count > OPEN ? count - OPEN : 0;
    tp_document_add_findings(
        page->document,
        &(struct tp_findings_block){
            .heading = "What to do",
            .note = count ? "savings are shares of the reserved memory at the peak" : "",
            .none = "No problem found: the program uses most of the reserved memory, and its memory does not grow.",
            .title_column_title = "Action",
            .reason_title = "Evidence",
            .name = "findings",
            .items = items,
            .count = count,
            .shown = count,
            .open_count = count < OPEN ? count : OPEN,
            .value_title = "Saves up to",
            .more_title =
                more ? tp_text_of_counted_noun(page->arena, (int64_t)more, "more action", "more actions") : NULL});
}
