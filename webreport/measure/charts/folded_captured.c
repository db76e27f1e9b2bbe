/* Gives the device time of graph kernels to the stacks of their captured calls. Implements a part of folded_stacks.h.
 */
#include "webreport/measure/charts/folded_stacks.h"

#include "webreport/model/capture/captured_stack.h"
#include "webreport/model/device_origin.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

struct mover {
    struct tp_folded *folded;
    const struct tp_model *model;
    struct tp_keys known; /* pairs (path of the launch, captured call), because launches share the captured calls */
    struct tp_vec paths;  /* for each pair: path of the captured stack; elements: uint32_t */
    struct tp_vec frames; /* working memory; elements: struct tp_captured_frame */
};

/* Returns the item of an event, or the item into which this item was folded. */
static uint32_t unfolded_item(const struct tp_torch *torch, uint32_t item)
{
    while (item != TP_NO_ID && (tp_torch_flags(torch, item) & TP_TORCH_FOLDED))
        item = torch->parent[item];
    return item;
}

static void subtract_from_owner(const struct mover *m, uint32_t event, int64_t ns)
{
    struct tp_folded *folded = m->folded;
    uint32_t owner = unfolded_item(&folded->torch, folded->torch.owner[event]);
    uint32_t path = owner == TP_NO_ID ? TP_NO_ID : folded->path_of[owner];
    if (path != TP_NO_ID)
        tp_folded_add_value(folded, path, -ns);
}

/* Returns the path of the captured stack below the path `launch`, whose number of frames is `depth`. */
static uint32_t add_captured_path(struct mover *m, uint32_t device, uint32_t launch, unsigned depth)
{
    uint32_t path = launch;
    tp_captured_stack(m->model, device, &m->frames);
    if (depth++ < TP_MAX_FOLDED_DEPTH)
        path = tp_folded_add_frame(m->folded, path, TP_STR("[" TP_FROM_CAPTURE "]"));
    for (size_t i = 0; i < m->frames.count && depth++ < TP_MAX_FOLDED_DEPTH; i++)
        path = tp_folded_add_frame(m->folded, path, TP_AT(&m->frames, struct tp_captured_frame, i)->text);
    return path;
}

static uint32_t find_captured_path(struct mover *m, uint32_t device, const struct tp_joined_row *row)
{
    const struct tp_folded *folded = m->folded;
    uint32_t item = unfolded_item(&folded->torch, m->model->launches.event[m->model->devices.launch[device]]);
    uint32_t launch = item == TP_NO_ID ? TP_NO_ID : folded->path_of[item];
    unsigned depth = launch == TP_NO_ID ? 0 : folded->depth_of[item];
    if (row->call == TP_NO_ID)
        return add_captured_path(m, device, launch, depth);
    uint32_t id = tp_keys_pair(&m->known, launch, row->call);
    if (id == m->paths.count) {
        uint32_t path = add_captured_path(m, device, launch, depth);
        *(uint32_t *)tp_vec_push(&m->paths) = path;
    }
    return *TP_AT(&m->paths, uint32_t, id);
}

/* Moves the device time of graph kernels to the stacks of their captured calls. */
static void move_captured(struct tp_folded *folded, const struct tp_model *model, struct tp_arena *arena)
{
    struct mover m = {.folded = folded,
                      .model = model,
                      .paths = TP_VEC(arena, uint32_t),
                      .frames = TP_VEC(arena, struct tp_captured_frame)};
    tp_keys_init(&m.known, arena, 2);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_joined_row *row = tp_joined_row_of(model, k);
        uint32_t event = model->devices.event[k];
        if (!row || !(tp_torch_flags(&folded->torch, event) & TP_TORCH_DEVICE))
            continue;
        int64_t ns = tp_device_event(model, k)->dur_ns;
        subtract_from_owner(&m, event, ns);
        tp_folded_add_value(folded, find_captured_path(&m, k, row), ns);
    }
}

void tp_folded_build_captured(struct tp_folded *folded, const struct tp_model *model,
                              const struct tp_folded_metric *metric, enum tp_torch_rules rules, struct tp_arena *arena)
{
    if (tp_folded_source(metric) != TP_FOLDED_LAUNCHES || !model->joined) {
        tp_folded_build(folded, model->trace, metric, rules, arena);
        return;
    }
    tp_folded_init(folded, metric, arena);
    tp_torch_build_with_owners(&folded->torch, model->trace, rules, arena);
    tp_folded_find_paths(folded, arena);
    move_captured(folded, model, arena);
}
