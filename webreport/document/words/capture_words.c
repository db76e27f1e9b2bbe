/* Words captured graphs: see capture_words.h. */
#include "webreport/document/words/capture_words.h"

#include <inttypes.h>

#include "writer/base/buf.h"
#include "writer/base/stats.h"
#include "writer/base/table.h"
#include "writer/text/format.h"

enum { MOST_SIZES = 8 };

/* Appends the distinct batch sizes of the sections: " (sizes 1, 2, 4)". */
static void append_sizes(struct tp_buf *out, const struct tp_captures *captures, struct tp_arena *arena)
{
    int64_t *sizes = tp_arena_array(arena, captures->section_count, sizeof *sizes);
    size_t count = 0, distinct = 0;
    for (uint32_t i = 0; i < captures->section_count; i++)
        if (captures->sections[i].batch != TP_NULL_INT)
            sizes[count++] = captures->sections[i].batch;
    tp_sort_integers(sizes, count);
    for (size_t i = 0; i < count; i++)
        if (!i || sizes[i] != sizes[i - 1])
            sizes[distinct++] = sizes[i];
    for (size_t i = 0; i < distinct && i < MOST_SIZES; i++)
        tp_buf_printf(out, "%s%" PRId64, i ? ", " : distinct > 1 ? " (sizes " : " (size ", sizes[i]);
    tp_buf_puts(out, distinct > MOST_SIZES ? ", ...)" : distinct ? ")" : "");
}

static const char *finish(struct tp_buf *out, struct tp_arena *arena)
{
    if (out->failed)
        tp_arena_fail(arena, TP_ENOMEM);
    const char *text = tp_arena_copy(arena, out->data ? out->data : "", out->size);
    tp_buf_release(out);
    return text;
}

const char *tp_capture_map_text(const struct tp_captures *captures, struct tp_arena *arena)
{
    struct tp_buf out;
    tp_buf_init(&out, 0);
    tp_buf_printf(&out, "capture trace: map for %u graph%s", captures->section_count,
                  captures->section_count == 1 ? "" : "s");
    append_sizes(&out, captures, arena);
    return finish(&out, arena);
}

const char *tp_capture_section_name(const struct tp_captures *captures, uint32_t section, struct tp_arena *arena)
{
    const struct tp_capture_section *s = &captures->sections[section];
    struct tp_str file = captures->files[s->file].name;
    if (s->batch == TP_NULL_INT || !s->mode.len)
        return tp_text_printf(arena, "%.*s#%u", (int)file.len, file.ptr, s->index);
    return tp_text_printf(arena, "capture_%" PRId64 "_%.*s", s->batch, (int)s->mode.len, s->mode.ptr);
}

const char *tp_join_reason_text(const struct tp_graph_replay *replay, struct tp_arena *arena)
{
    const uint32_t *n = replay->numbers;
    switch (replay->reason) {
    case TP_JOIN_ACCEPTED:
        return NULL;
    case TP_JOIN_NO_CAPTURE:
        return "no capture was found";
    case TP_JOIN_COUNTS_DIFFER:
        return tp_text_printf(arena, "the capture shows no names of kernels, and the counts differ (%u, %u)", n[0],
                              n[1]);
    case TP_JOIN_NO_ORDER:
        return "the capture shows no names of kernels, and the order of the replay is unknown";
    case TP_JOIN_INCONSISTENT:
        return tp_text_printf(arena, "the counts agree, but the kernels do not (%u names differ; %u of %u consistent)",
                              n[0], n[1], n[2]);
    case TP_JOIN_OTHER_NAMES:
        return tp_text_printf(arena, "at most %u of %u kernels have the same name", n[0], n[1]);
    case TP_JOIN_TOO_FEW:
        return tp_text_printf(arena, "the kernels are in another order: %u of %u can be joined", n[0], n[1]);
    case TP_JOIN_TOO_MUCH_WORK:
        return "the comparison takes too many steps";
    case TP_JOIN_OTHER_GRIDS:
        return "the launch configurations differ, so the graph was captured at another size and its shapes are not "
               "used";
    case TP_JOIN_SMALLER_BATCH:
        return tp_text_printf(arena, "captured at batch size %u, replayed at %u, so the shapes are not used", n[0],
                              n[1]);
    case TP_JOIN_BY_NODE:
        return "joined by the nodes of another launch of the graph";
    }
    return NULL;
}

/* Returns the launch whose refusal is shown: the one with the largest share, of several the first. */
static const struct tp_graph_replay *best_refused(const struct tp_joined *joined)
{
    const struct tp_graph_replay *best = &joined->replays[0];
    for (uint32_t i = 1; i < joined->replay_count; i++) {
        const struct tp_graph_replay *r = &joined->replays[i];
        if ((uint64_t)r->share_part * best->share_whole > (uint64_t)best->share_part * r->share_whole)
            best = r;
    }
    return best;
}

const char *tp_joined_text(const struct tp_joined *joined, struct tp_arena *arena)
{
    uint64_t count = 0, found = 0;
    uint32_t first = TP_NO_ID, sections = 0;
    uint8_t *is_used;
    if (!joined || !joined->replay_count)
        return NULL;
    is_used = tp_arena_array(arena, joined->captures->section_count, 1);
    for (uint32_t i = 0; i < joined->replay_count; i++) {
        const struct tp_graph_replay *r = &joined->replays[i];
        count += r->count;
        found += r->joined;
        for (uint32_t s = 0; s < r->section_count; s++) {
            sections += !is_used[r->sections[s]];
            is_used[r->sections[s]] = 1;
            first = first == TP_NO_ID ? r->sections[s] : first;
        }
    }
    if (!found)
        return tp_text_printf(arena, "no capture fits: %s", tp_join_reason_text(best_refused(joined), arena));
    const char *name = tp_capture_section_name(joined->captures, first, arena);
    return tp_text_printf(arena, "%" PRIu64 " of %" PRIu64 " kernels from %s%s", found, count, name,
                          sections > 1 ? tp_text_printf(arena, " and %u more", sections - 1) : "");
}

void tp_fill_capture_texts(struct tp_capture_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    if (!view->is_present)
        return;
    view->summary = tp_joined_text(model->joined, arena);
    for (size_t row = 0; row < view->launches.row_count; row++) {
        const struct tp_graph_replay *replay = &model->joined->replays[row];
        const char *reason = tp_join_reason_text(replay, arena);
        tp_table_text(&view->launches, TP_GRAPH_LAUNCH_REASON)[row] = tp_str_of(reason ? reason : "");
        tp_table_text(&view->launches, TP_GRAPH_LAUNCH_SECTION)[row] = tp_str_of(
            replay->section_count ? tp_capture_section_name(model->joined->captures, replay->sections[0], arena) : "");
    }
}
