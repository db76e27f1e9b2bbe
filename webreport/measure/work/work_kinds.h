/* Finds the kind of work of each device operation and each operator. The kind of a device operation follows from the
 * operator that requested the work; if this operator has no kind, from the operation's own name (docs/definitions.md,
 * section 18). */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_KINDS_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_KINDS_H

#include "webreport/measure/work/work_rules.h"
#include "webreport/model/facts.h"

struct tp_work_kinds {
    const struct tp_model *model;
    uint8_t *of_device;        /* kind (enum tp_work) of each device operation */
    uint8_t *kind_of_operator; /* kind (enum tp_work) of each operator's host self time */
};

/* Returns the innermost operator around the launch of a device operation; for a kernel of a graph, around the captured
 * call. Without a launch, returns the owner of the operation. Returns TP_NO_ID if no such operator exists. The result
 * may be an operator of a capture trace, with an index from operators.count to operators.all_count - 1. */
static inline uint32_t tp_work_operator_of_device(const struct tp_model *model, uint32_t device)
{
    const struct tp_joined_row *joined = tp_joined_row_of(model, device);
    if (joined && joined->op != TP_NO_ID)
        return joined->op;
    uint32_t launch = model->devices.launch[device];
    return launch == TP_NO_ID ? model->devices.owner[device] : model->launches.op[launch];
}

/* Returns whether work of this kind can have a cost. Communication, copies and waits have no cost, because computation
 * does not limit them. */
static inline bool tp_work_has_cost(unsigned work)
{
    return work != TP_WORK_COMMUNICATION && work != TP_WORK_COPY && work != TP_WORK_WAIT;
}

/* Finds the kinds in `arena`, whose guard the caller has set; temporary memory also stays there. Each distinct name is
 * matched once per layer of rules. */
void tp_work_kinds_build(struct tp_work_kinds *kinds, const struct tp_model *model, struct tp_arena *arena);
/* Releases the memory of the kinds to the arena before the arena is freed. */
void tp_work_kinds_release(struct tp_work_kinds *kinds, struct tp_arena *arena);

#endif
