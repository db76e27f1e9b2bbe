/* The union of every category that a step's time is split into (D1), and of all device work (D13). */
#include "webreport/model/build.h"

static void add(struct tp_model *model, struct tp_vec *pieces, enum tp_role role, const struct tp_event *e)
{
    model->has_role[role] = true;
    tp_intervals_push(&pieces[role], e->ts_ns, tp_event_end(e));
}

/* Operators and annotations; the steps themselves are nobody's work. */
static void add_host(struct tp_model *model, struct tp_vec *pieces, const struct tp_event *e)
{
    uint64_t flags = model->marks[e->name];
    if (flags & TP_MARK_STEP)
        return;
    add(model, pieces,
        flags & TP_MARK_LOADER      ? TP_ROLE_DATALOADER
        : flags & TP_MARK_HOST_COMM ? TP_ROLE_COMMUNICATION
                                    : TP_ROLE_CPU_EXEC,
        e);
}

/* Whether a role takes the very set that the only device has: it need not be made again. */
static bool is_shared(const struct tp_model *model, enum tp_role role)
{
    return role == TP_ROLE_KERNEL && model->gpu_count == 1;
}

static void add_devices(struct tp_model *model, struct tp_vec *pieces)
{
    struct tp_vec busy = TP_VEC(model->arena, struct tp_interval);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        enum tp_role role = e->kind == TP_KIND_MEMCPY       ? TP_ROLE_MEMCPY
                            : e->kind == TP_KIND_MEMSET     ? TP_ROLE_MEMSET
                            : tp_is_communication(model, k) ? TP_ROLE_COMMUNICATION
                                                            : TP_ROLE_KERNEL;
        model->has_role[role] = true;
        if (!is_shared(model, role))
            tp_intervals_push(&pieces[role], e->ts_ns, tp_event_end(e));
        if (model->gpu_count > 1)
            tp_intervals_push(&busy, e->ts_ns, tp_event_end(e));
    }
    model->device_busy = model->gpu_count == 1 ? model->gpus[0].busy : tp_intervals_of(&busy);
}

void tp_model_find_roles(struct tp_model *model)
{
    struct tp_vec pieces[TP_ROLE_COUNT];
    for (unsigned r = 0; r < TP_ROLE_COUNT; r++)
        pieces[r] = TP_VEC(model->arena, struct tp_interval);
    add_devices(model, pieces);
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (e->kind == TP_KIND_RUNTIME)
            add(model, pieces, TP_ROLE_RUNTIME, e);
        else if (e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_ANNOTATION)
            add_host(model, pieces, e);
    }
    for (unsigned r = 0; r < TP_ROLE_COUNT; r++)
        model->roles[r] = is_shared(model, r) ? model->gpus[0].compute : tp_intervals_of(&pieces[r]);
}
