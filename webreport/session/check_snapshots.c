/* Checks memory snapshots: see check_snapshots.h. */
#include "webreport/session/check_snapshots.h"

#include "webreport/compare/gate/gate_snapshots.h"
#include "webreport/session/inputs.h"

int tp_snapshot_check_detect(const char *const *inputs, size_t count, const char *include)
{
    return tp_snapshot_detect_inputs(&(struct tp_run_search){.paths = inputs, .path_count = count, .include = include});
}

int tp_snapshot_check_run(struct tp_check *check, struct tp_check_input *input, const struct tp_snapshot_check *how,
                          struct tp_arena *arena, struct tp_error *err)
{
    struct tp_snapshots run, base = {0};
    struct tp_snapshot_session of_base = how->run;
    int code = tp_snapshot_session_run(&run, &how->run, arena, err);
    of_base.inputs = &how->baseline;
    of_base.input_count = 1;
    of_base.include = NULL;
    if (code == TP_OK && how->baseline)
        code = tp_snapshot_session_run(&base, &of_base, arena, err);
    if (code < 0)
        return code;
    const char *name = how->run.input_count == 1 ? tp_inputs_last_path_part(arena, how->run.inputs[0]) : "inputs";
    const struct tp_check_snapshots sides[] = {
        {name, run.items, run.count},
        {how->baseline ? tp_inputs_last_path_part(arena, how->baseline) : NULL, base.items, base.count}};
    tp_check_snapshots_build(check, input, &sides[0], &sides[1], arena);
    return TP_OK;
}
