/* Reads the memory snapshot of a report and joins it with a trace: see joined_snapshot.h. */
#include "webreport/session/joined_snapshot.h"

#include <string.h>

#include "webreport/document/words/snapshot_words.h"
#include "writer/base/path.h"

int tp_joined_snapshot_read(struct tp_joined_snapshot *joined, const char *path, const struct tp_trace_options *read,
                            struct tp_console *console, struct tp_arena *arena, struct tp_error *err)
{
    struct tp_snapshot *snapshot = tp_arena_alloc(arena, sizeof *snapshot);
    struct tp_snapshot_result *result = tp_arena_alloc(arena, sizeof *result);
    struct tp_str file = tp_str_of(tp_path_base(path));
    struct tp_error why = {0};
    *joined = (struct tp_joined_snapshot){.worker = TP_STR(""), .arena = arena};
    int code = tp_snapshot_read(snapshot, arena, path, read->max_input_bytes, &why);
    if (code == TP_OK) {
        tp_snapshot_analyse(result, snapshot, file, arena);
        tp_fill_snapshot_texts(result, arena);
        joined->result = result;
        return TP_OK;
    }
    if (code == TP_ENOMEM || read->is_strict)
        return tp_error_set(err, code == TP_ENOMEM ? code : TP_ENOTFOUND, 0, "%s: %s", path, why.text);
    tp_console_error(console, "%s: %s", path, why.text);
    joined->failure =
        (struct tp_snapshot_failure){file, {tp_arena_copy(arena, why.text, strlen(why.text)), strlen(why.text)}};
    return TP_OK;
}

/* Returns how well the first device is joined: the larger, the better. */
static unsigned quality(const struct tp_trace_join *join)
{
    static const unsigned qualities[] = {[TP_JOIN_NONE] = 0, [TP_JOIN_CLOCKS] = 1, [TP_JOIN_PAIRS] = 2};
    return qualities[join->method];
}

void tp_joined_snapshot_add(struct tp_joined_snapshot *joined, struct tp_str worker, const struct tp_model *model,
                            struct tp_arena *arena)
{
    uint64_t count = joined->result ? joined->result->device_count : 0;
    struct tp_trace_join *joins = tp_arena_array(arena, count, sizeof *joins);
    unsigned before = 0, after = 0;
    for (uint64_t i = 0; i < count; i++) {
        tp_trace_join_build(&joins[i], &joined->result->devices[i], model, arena);
        after += quality(&joins[i]);
        before += joined->joins ? quality(&joined->joins[i]) : 0;
    }
    if (joined->joins && after <= before)
        return;
    joined->joins = joins;
    joined->worker = (struct tp_str){tp_arena_copy(arena, worker.ptr, worker.len), worker.len};
}
