/* Reads arbitrary bytes as a memory snapshot and as a memory timeline, analyses them, and writes their JSON, which must
 * be valid. An exact replay must end in the amounts of the recorded end. */
#include <stdint.h>
#include <stdlib.h>

#include "webreport/document/words/snapshot_words.h"
#include "webreport/measure/snapshot/timeline_fields.h"
#include "webreport/trace/json/strict.h"
#include "writer/base/json_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static void check_device(const struct tp_snapshot_device *device)
{
    const struct tp_replay *replay = &device->replay;
    const struct tp_allocator_amounts *last =
        replay->event_count ? &replay->curve[replay->event_count - 1] : &replay->start;
    abort_unless(device->point_count <= 1024 && device->oom_count <= device->oom_total);
    abort_unless(device->peak.at.allocated_bytes >= last->allocated || !replay->event_count);
    if (replay->is_exact)
        abort_unless(last->allocated == device->end.allocated_bytes && last->active == device->end.active_bytes &&
                     last->reserved == device->end.reserved_bytes && last->requested == device->end.requested_bytes);
}

static void check_json(const struct tp_fields *fields, const void *record, struct tp_arena *arena)
{
    struct tp_strict strict;
    struct tp_json json;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_json_init(&json, &text);
    tp_fields_json(fields, record, arena, &json);
    tp_strict_init(&strict);
    abort_unless(tp_strict_feed(&strict, text.data, text.size, NULL) == 0 && tp_strict_end(&strict, NULL) == 0);
    tp_buf_release(&text);
}

static void read_timeline(const uint8_t *data, size_t size)
{
    struct tp_arena arena;
    struct tp_error err = {0};
    tp_arena_init(&arena, 512u << 20);
    if (setjmp(arena.guard) == 0) {
        struct tp_memory_timeline *timeline = tp_arena_alloc(&arena, sizeof *timeline);
        if (tp_memory_timeline_read_bytes(timeline, &arena, data, size, &err) == 0) {
            abort_unless(timeline->point_count > timeline->peak_index && timeline->first_us <= timeline->last_us);
            abort_unless(timeline->peak.total >= timeline->end.total && timeline->curve_count > 0);
            check_json(&tp_memory_timeline_fields, timeline, &arena);
        }
    }
    abort_unless(!err.code || err.text[0]);
    tp_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_snapshot snapshot;
    struct tp_snapshot_result result;
    struct tp_arena arena;
    struct tp_error err = {0};
    read_timeline(data, size);
    tp_arena_init(&arena, 512u << 20);
    if (setjmp(arena.guard) == 0 && tp_snapshot_read_bytes(&snapshot, &arena, data, size, 16u << 20, &err) == 0) {
        tp_snapshot_analyse(&result, &snapshot, TP_STR("fuzz.pickle"), &arena);
        tp_fill_snapshot_texts(&result, &arena);
        for (uint64_t i = 0; i < result.device_count; i++)
            check_device(&result.devices[i]);
        check_json(&tp_snapshot_result_fields, &result, &arena);
    }
    abort_unless(!err.code || err.text[0]);
    tp_arena_release(&arena);
    return 0;
}
