/* Words the findings and the headline of a memory snapshot: see snapshot_words.h. */
#include "webreport/document/words/snapshot_words.h"

#include "writer/text/format.h"

const char *tp_snapshot_size_text(uint64_t bytes, struct tp_arena *arena)
{
    static const struct {
        uint64_t size;
        const char *name;
    } units[] = {{1ull << 30, "GiB"}, {1ull << 20, "MiB"}, {1ull << 10, "KiB"}};
    for (unsigned i = 0; i < 3; i++)
        if (bytes >= units[i].size)
            return tp_text_printf(arena, "%.2f %s", (double)bytes / (double)units[i].size, units[i].name);
    return tp_text_printf(arena, "%llu B", (unsigned long long)bytes);
}

/* The finding to word. */
struct wording {
    const struct tp_snapshot_device *device;
    struct tp_snapshot_finding *finding;
    struct tp_arena *arena;
};

static const char *size_of(const struct wording *w, uint64_t bytes)
{
    return tp_snapshot_size_text(bytes, w->arena);
}

/* Returns a line as text, or words for code without a stack. */
static const char *line_of(const struct wording *w, struct tp_str line)
{
    return line.len ? tp_text_printf(w->arena, "%.*s", (int)line.len, line.ptr) : "code without a stack";
}

static uint64_t peak_bytes(const struct wording *w)
{
    uint64_t bytes = w->device->peak.at.allocated_bytes;
    return bytes ? bytes : 1;
}

static unsigned percent_of_peak(const struct wording *w)
{
    return (unsigned)(100 * (unsigned __int128)w->finding->bytes / peak_bytes(w));
}

static const struct tp_snapshot_oom *last_oom(const struct wording *w)
{
    return w->device->oom_count ? &w->device->ooms[w->device->oom_count - 1] : NULL;
}

static const struct tp_fragmentation *fragmentation_of(const struct wording *w)
{
    return last_oom(w) ? &last_oom(w)->fragmentation : &w->device->peak.fragmentation;
}

/* ---- one function for each finding ---- */

static const char *word_oom(const struct wording *w)
{
    const struct tp_snapshot_oom *oom = last_oom(w);
    const char *free = size_of(w, oom->device_free_bytes);
    const char *cache = size_of(w, oom->fragmentation.inactive_bytes);
    const char *request = tp_text_printf(w->arena, "Out of memory: %s asked for by %s",
                                         size_of(w, oom->requested_bytes), line_of(w, oom->line));
    const char *ending;
    switch (oom->kind) {
    case TP_OOM_FULL:
        ending = tp_text_printf(w->arena,
                                "; %s were free on the device and %s in the cache: the live blocks themselves "
                                "do not fit",
                                free, cache);
        break;
    case TP_OOM_FRAGMENTED:
        ending = tp_text_printf(w->arena, "; %s were free on the device, %s in the cache, none of it in one piece",
                                free, cache);
        break;
    default:
        ending = tp_text_printf(w->arena,
                                " although %s were free on the device (%s in the cache): a memory limit "
                                "(set_per_process_memory_fraction) or another process stands in the way",
                                free, cache);
    }
    return tp_text_printf(w->arena, "%s%s", request, ending);
}

static const char *word_fragmentation(const struct wording *w)
{
    const struct tp_fragmentation *f = fragmentation_of(w);
    return tp_text_printf(w->arena,
                          "%s of %s reserved are free pieces between live blocks (%llu pieces, the largest %s)",
                          size_of(w, f->inactive_split_bytes), size_of(w, f->reserved_bytes),
                          (unsigned long long)f->inactive_split_blocks, size_of(w, f->largest_free_bytes));
}

static const char *word_pinned_segments(const struct wording *w)
{
    const struct tp_pinned *pinned = last_oom(w) ? &last_oom(w)->pinned : &w->device->end.pinned;
    return tp_text_printf(w->arena, "%llu segments with %s free are kept by %s of live blocks, most of %s",
                          (unsigned long long)pinned->segments, size_of(w, pinned->free_bytes),
                          size_of(w, pinned->live_bytes), line_of(w, pinned->rows[0].line));
}

static const char *word_retries(const struct wording *w)
{
    return tp_text_printf(
        w->arena,
        "the allocator emptied its cache %lld times to satisfy a request (%s given back and asked for "
        "again)",
        (long long)w->finding->count, size_of(w, w->device->churn.retry_freed_bytes));
}

static const char *word_empty_cache(const struct wording *w)
{
    return tp_text_printf(w->arena, "empty_cache() is called %lld times in the window; %llu cudaMallocs follow",
                          (long long)w->finding->count, (unsigned long long)w->device->churn.segment_allocs);
}

static const char *word_pool_grows(const struct wording *w)
{
    return tp_text_printf(w->arena, "%lld new segments (%s) in the second half of the steps: sizes keep changing",
                          (long long)w->finding->count, size_of(w, w->device->churn.late_segment_bytes));
}

static const char *word_growth(const struct wording *w)
{
    return tp_text_printf(w->arena, "%s keeps %s more each step (%s at the end in %llu blocks)",
                          line_of(w, w->finding->line), size_of(w, w->finding->bytes_per_step),
                          size_of(w, w->finding->gain_bytes), (unsigned long long)w->finding->places);
}

static const char *word_activations(const struct wording *w)
{
    return tp_text_printf(w->arena, "activations are %s of the peak of %s (%u %%), in %llu places",
                          size_of(w, (uint64_t)w->finding->bytes), size_of(w, peak_bytes(w)), percent_of_peak(w),
                          (unsigned long long)w->finding->places);
}

static const char *word_optimizer_state(const struct wording *w)
{
    return tp_text_printf(w->arena, "optimizer state is %s of the peak of %s (%u %%)",
                          size_of(w, (uint64_t)w->finding->bytes), size_of(w, peak_bytes(w)), percent_of_peak(w));
}

static const char *word_logits(const struct wording *w)
{
    return tp_text_printf(w->arena, "logits and loss hold %s at the peak (%u %%), most at %s",
                          size_of(w, (uint64_t)w->finding->bytes), percent_of_peak(w),
                          w->finding->line.len ? line_of(w, w->finding->line) : "");
}

static const char *word_old_gradients(const struct wording *w)
{
    return tp_text_printf(w->arena, "%s of gradients were kept through the forward pass that leads to the peak",
                          size_of(w, (uint64_t)w->finding->bytes));
}

static const char *word_rounding(const struct wording *w)
{
    return tp_text_printf(w->arena, "%s of the peak are rounding of sizes", size_of(w, (uint64_t)w->finding->bytes));
}

static const char *word_pending_free(const struct wording *w)
{
    return tp_text_printf(w->arena, "%s at the peak are freed by Python and held for another stream (record_stream)",
                          size_of(w, (uint64_t)w->finding->bytes));
}

static const char *word_private_pools(const struct wording *w)
{
    return tp_text_printf(w->arena, "%s are kept idle in private pools (CUDA graphs)",
                          size_of(w, (uint64_t)w->finding->bytes));
}

static const char *word_cache(const struct wording *w)
{
    return tp_text_printf(w->arena, "%s at the end are cached and could be given back",
                          size_of(w, (uint64_t)w->finding->bytes));
}

static const char *word_no_stacks(const struct wording *w)
{
    return tp_text_printf(w->arena, "%s of the peak have no stack", size_of(w, (uint64_t)w->finding->bytes));
}

static const char *word_cut(const struct wording *w)
{
    return tp_text_printf(w->arena,
                          "only the last %llu events are left (the ring of max_entries was full, or the history was "
                          "cleared): %s of the live blocks are older, and the peak is that of the window",
                          (unsigned long long)w->device->replay.event_count,
                          size_of(w, w->device->window.older_live_bytes));
}

/* ---- table ---- */

static const struct {
    const char *(*word)(const struct wording *w);
    const char *action;
} rows[TP_SNAPSHOT_FINDING_IDS] = {
    [TP_SNAPSHOT_ACTIVATIONS] = {word_activations,
                                 "torch.utils.checkpoint around the layers (gain: at least half, up to "
                                 "all but one layer), smaller batch, bf16"},
    [TP_SNAPSHOT_CACHE] = {word_cache, "torch.cuda.empty_cache() once, if another library or process needs it"},
    [TP_SNAPSHOT_CUT] = {word_cut, "a larger max_entries, or a dump nearer to the moment"},
    [TP_SNAPSHOT_EMPTY_CACHE] = {word_empty_cache, "take torch.cuda.empty_cache() out of the loop"},
    [TP_SNAPSHOT_FRAGMENTATION] = {word_fragmentation, "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; without it "
                                                       "max_split_size_mb below the size of the pieces"},
    [TP_SNAPSHOT_GRADIENTS_IN_FORWARD] = {word_old_gradients,
                                          "optimizer.zero_grad(set_to_none=True) before the forward pass"},
    [TP_SNAPSHOT_GROWTH] = {word_growth, "keep .item(), .detach().cpu() or nothing of these tensors; look for lists, "
                                         "closures and hooks that hold them"},
    [TP_SNAPSHOT_LOGITS] = {word_logits, "compute the loss in chunks of tokens (8 chunks: seven eighths less), a fused "
                                         "linear cross-entropy, or del logits before backward"},
    [TP_SNAPSHOT_NO_STACKS] = {word_no_stacks, "torch.cuda.memory._record_memory_history(max_entries=1000000, "
                                               "stacks='python') before the model is made"},
    [TP_SNAPSHOT_OOM] = {word_oom, NULL},
    [TP_SNAPSHOT_OPTIMIZER_STATE] = {word_optimizer_state,
                                     "8-bit optimizer (three quarters less), or shard it (FSDP, ZeRO: (n-1)/n less)"},
    [TP_SNAPSHOT_PENDING_FREE] = {word_pending_free, "wait for the other stream before freeing; "
                                                     "TORCH_NCCL_AVOID_RECORD_STREAMS=1; FSDP limit_all_gathers"},
    [TP_SNAPSHOT_PINNED_SEGMENTS] = {word_pinned_segments,
                                     "allocate what lives long before the first step, or expandable_segments:True"},
    [TP_SNAPSHOT_POOL_GROWS] = {word_pool_grows,
                                "pad or bucket lengths; expandable_segments:True; roundup_power2_divisions"},
    [TP_SNAPSHOT_PRIVATE_POOLS] = {word_private_pools, "capture all graphs with one pool "
                                                       "(torch.cuda.graph_pool_handle()), largest first"},
    [TP_SNAPSHOT_RETRIES] = {word_retries,
                             "lower the peak, or garbage_collection_threshold:0.8 with expandable_segments:True"},
    [TP_SNAPSHOT_ROUNDING] = {word_rounding, "fewer, larger tensors; look at the roundup_power2_divisions that is set"},
};

static const char *oom_action(unsigned kind)
{
    switch (kind) {
    case TP_OOM_FRAGMENTED:
        return "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
    case TP_OOM_FULL:
        return "make the largest rows of live_by smaller";
    default:
        return "raise the limit, or find the other process with nvidia-smi";
    }
}

/* Words the peak, its largest categories, and the growth. */
static const char *word_peak(const struct wording *w)
{
    enum { SHOWN = 3, LEAST_GROWTH = 64 << 10 };
    const struct tp_snapshot_peak *peak = &w->device->peak;
    const struct tp_live_table *categories = &peak->live_by.by[TP_LIVE_CATEGORY];
    const struct tp_snapshot_growth *growth = &w->device->growth;
    const char *text = tp_text_printf(w->arena, "Peak %s allocated of %s reserved",
                                      size_of(w, peak->at.allocated_bytes), size_of(w, peak->at.reserved_bytes));
    for (uint64_t i = 0; i < categories->row_count && i < SHOWN; i++)
        text = tp_text_printf(w->arena, "%s%s%.*s %s", text, i ? ", " : ": ", (int)categories->rows[i].name.len,
                              categories->rows[i].name.ptr, size_of(w, categories->rows[i].bytes));
    if (growth->growing_count && growth->growing[0].bytes_per_step >= LEAST_GROWTH)
        text = tp_text_printf(w->arena, "%s; grows by %s a step at %.*s", text,
                              size_of(w, growth->growing[0].bytes_per_step), (int)growth->growing[0].name.len,
                              growth->growing[0].name.ptr);
    return tp_text_printf(w->arena, "%s.", text);
}

void tp_fill_snapshot_texts(struct tp_snapshot_result *result, struct tp_arena *arena)
{
    for (uint64_t i = 0; i < result->device_count; i++) {
        struct tp_snapshot_device *device = &result->devices[i];
        struct wording w = {.device = device, .arena = arena};
        for (uint64_t k = 0; k < device->finding_count; k++) {
            w.finding = &device->findings[k];
            w.finding->text = rows[w.finding->id].word(&w);
            w.finding->action =
                w.finding->id == TP_SNAPSHOT_OOM ? oom_action(last_oom(&w)->kind) : rows[w.finding->id].action;
        }
        device->headline = last_oom(&w) ? tp_text_printf(arena, "%s.", word_oom(&w)) : word_peak(&w);
    }
}
