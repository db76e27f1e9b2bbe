/* Counts allocations by line, and finds out why segments were given back: see snapshot_parts.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/measure/snapshot/snapshot_parts.h"
#include "writer/base/sort.h"

enum { SHORT_LIFE_EVENTS = 16, SHOWN_ROWS = 30, LEAST_STEPS = 4 };

const char *tp_release_kind_text(unsigned kind)
{
    static const char *const names[] = {"empty_cache", "retry", "release"};
    return names[kind];
}

/* ---- allocations by line ---- */

struct churn_line {
    uint32_t name;
    uint64_t calls, bytes, freed, life_events;
};

static int compare_lines(const void *x, const void *y, const void *context)
{
    const struct churn_line *a = x, *b = y;
    const struct tp_code_stacks *stacks = context;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    if (a->calls != b->calls)
        return a->calls < b->calls ? 1 : -1;
    struct tp_str p = tp_code_name(stacks, a->name), q = tp_code_name(stacks, b->name);
    int order = memcmp(p.ptr, q.ptr, p.len < q.len ? p.len : q.len);
    return order ? order : (p.len > q.len) - (p.len < q.len);
}

/* Rounds to one decimal, as printing does. */
static double round_to_tenth(double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.1f", value);
    return strtod(text, NULL);
}

static void add_calls(struct tp_snapshot_device *device, struct tp_vec *lines)
{
    const struct tp_replay *replay = &device->replay;
    struct tp_snapshot_churn *churn = &device->churn;
    struct tp_id_map by_name;
    tp_id_map_init(&by_name, device->context.arena);
    for (uint32_t i = (uint32_t)replay->start_count; i < replay->blocks.count; i++) {
        const struct tp_allocator_block *block = tp_replay_block(replay, i);
        uint32_t name = tp_snapshot_line_or_site(device, block->stack);
        uint32_t *index = tp_id_map_find_or_add(&by_name, name);
        if (*index == UINT32_MAX) {
            *index = (uint32_t)lines->count;
            *(struct churn_line *)tp_vec_push(lines) = (struct churn_line){.name = name};
        }
        struct churn_line *line = TP_AT(lines, struct churn_line, *index);
        line->calls++;
        line->bytes += block->requested;
        churn->alloc_calls++;
        churn->alloc_bytes += block->requested;
        if (block->free_requested == TP_NO_EVENT)
            continue;
        int64_t life = block->free_requested - block->allocated;
        line->freed++;
        line->life_events += (uint64_t)life;
        if (life <= SHORT_LIFE_EVENTS) {
            churn->short_lived_calls++;
            churn->short_lived_bytes += block->requested;
        }
    }
}

static void list_lines(struct tp_snapshot_device *device)
{
    struct tp_arena *arena = device->context.arena;
    struct tp_snapshot_churn *churn = &device->churn;
    struct tp_vec lines = TP_VEC(arena, struct churn_line);
    add_calls(device, &lines);
    tp_merge_sort(arena, lines.data, lines.count, sizeof(struct churn_line), compare_lines, device->context.stacks);
    churn->rows_total = lines.count;
    churn->row_count = lines.count < SHOWN_ROWS ? lines.count : SHOWN_ROWS;
    churn->rows = tp_arena_array(arena, churn->row_count, sizeof *churn->rows);
    for (uint64_t i = 0; i < churn->row_count; i++) {
        const struct churn_line *line = TP_AT(&lines, struct churn_line, i);
        churn->rows[i] = (struct tp_snapshot_churn_row){
            tp_code_name(device->context.stacks, line->name), line->calls, line->bytes, line->freed,
            line->freed ? round_to_tenth((double)line->life_events / (double)line->freed) : NAN};
    }
}

/* ---- segments given back ---- */

static bool is_segment_release(const struct tp_snapshot_event *event)
{
    return event->action == TP_ACTION_SEGMENT_FREE || event->action == TP_ACTION_SEGMENT_UNMAP;
}

static bool is_segment_request(const struct tp_snapshot_event *event)
{
    return event->action == TP_ACTION_SEGMENT_ALLOC || event->action == TP_ACTION_SEGMENT_MAP ||
           event->action == TP_ACTION_OOM;
}

/* Returns why segments were given back by code with the stack `stack`. next: event after them; NULL at the end. */
static enum tp_release_kind find_reason(const struct tp_snapshot_device *device, uint32_t stack,
                                        const struct tp_snapshot_event *next)
{
    if (tp_code_stack(device->context.stacks, stack)->has_empty_cache)
        return TP_RELEASE_EMPTY_CACHE;
    return next && is_segment_request(next) && (next->stack == stack || !stack) ? TP_RELEASE_RETRY : TP_RELEASE_OTHER;
}

static void list_releases(struct tp_snapshot_device *device)
{
    struct tp_snapshot_churn *churn = &device->churn;
    const struct tp_replay *replay = &device->replay;
    struct tp_vec releases = TP_VEC(device->context.arena, struct tp_snapshot_release);
    for (size_t i = 0; i < replay->event_count;) {
        const struct tp_snapshot_event *first = &replay->events[i];
        struct tp_snapshot_release release = {.index = (int64_t)i};
        size_t end = i;
        if (!is_segment_release(first)) {
            i++;
            continue;
        }
        for (; end < replay->event_count && replay->events[end].stack == first->stack; end++) {
            const struct tp_snapshot_event *event = &replay->events[end];
            if (!is_segment_release(event) && event->action != TP_ACTION_FREE_COMPLETED)
                break;
            release.bytes += is_segment_release(event) ? event->size : 0;
        }
        release.kind =
            (uint8_t)find_reason(device, first->stack, end < replay->event_count ? &replay->events[end] : NULL);
        release.line = tp_snapshot_line_text(device, first->stack);
        churn->empty_caches += release.kind == TP_RELEASE_EMPTY_CACHE;
        churn->retries += release.kind == TP_RELEASE_RETRY;
        churn->retry_freed_bytes += release.kind == TP_RELEASE_RETRY ? release.bytes : 0;
        if (releases.count < SHOWN_ROWS)
            *(struct tp_snapshot_release *)tp_vec_push(&releases) = release;
        i = end;
    }
    churn->releases = releases.data;
    churn->release_count = releases.count;
}

/* ---- new segments ---- */

static bool is_new_segment(const struct tp_snapshot_event *event)
{
    return event->action == TP_ACTION_SEGMENT_ALLOC || event->action == TP_ACTION_SEGMENT_MAP;
}

static void count_segments(struct tp_snapshot_device *device)
{
    struct tp_snapshot_churn *churn = &device->churn;
    const struct tp_snapshot_growth *growth = &device->growth;
    const struct tp_replay *replay = &device->replay;
    const uint64_t *counts = replay->action_counts;
    bool has_steps = growth->boundary_count >= LEAST_STEPS;
    uint64_t half = growth->boundary_count / 2;
    int64_t middle = has_steps ? growth->boundaries[half].index : INT64_MAX;
    churn->segment_allocs = counts[TP_ACTION_SEGMENT_ALLOC] + counts[TP_ACTION_SEGMENT_MAP];
    churn->segment_frees = counts[TP_ACTION_SEGMENT_FREE] + counts[TP_ACTION_SEGMENT_UNMAP];
    for (size_t i = 0; i < replay->event_count; i++) {
        const struct tp_snapshot_event *event = &replay->events[i];
        if (!is_new_segment(event))
            continue;
        churn->segment_alloc_bytes += event->size;
        if ((int64_t)i > middle && tp_replay_pool(replay, event) == 0) {
            churn->late_segment_allocs++;
            churn->late_segment_bytes += event->size;
        }
    }
}

void tp_snapshot_measure_churn(struct tp_snapshot_device *device)
{
    list_lines(device);
    list_releases(device);
    count_segments(device);
}
