/* Reads two memory snapshots and compares them: see snapshot_comparison.h. */
#include "webreport/session/snapshot_comparison.h"

#include "webreport/compare/snapshot/snapshot_diff_build.h"

/* Reads one side, which must be one snapshot. */
static int read_side(struct tp_snapshot_comparison *comparison, unsigned side, struct tp_arena *arena,
                     struct tp_error *err)
{
    const struct tp_snapshot_session session = {.inputs = &comparison->paths[side],
                                                .input_count = 1,
                                                .max_input_bytes = comparison->max_input_bytes,
                                                .is_strict = comparison->is_strict,
                                                .console = comparison->console};
    size_t *count = &comparison->sides[side].count;
    int code = tp_snapshot_session_run(&comparison->sides[side], &session, arena, err);
    if (code == TP_OK && *count != 1)
        code = tp_error_set(err, TP_EUSAGE, 0, "%s: name one snapshot, this folder has %zu", comparison->paths[side],
                            *count);
    return code;
}

int tp_snapshot_comparison_run(struct tp_snapshot_comparison *comparison, struct tp_arena *arena, struct tp_error *err)
{
    const struct tp_snapshots *sides = comparison->sides;
    int code = TP_OK;
    for (unsigned side = 0; side < TP_SNAPSHOT_SIDES && code == TP_OK; side++)
        code = read_side(comparison, side, arena, err);
    if (code == TP_OK)
        tp_snapshot_diff_build(&comparison->diff, &sides[TP_SNAPSHOT_BEFORE].items[0],
                               &sides[TP_SNAPSHOT_AFTER].items[0], comparison->allowed_ratio, arena);
    return code;
}
