/* Implements rules_hooks.h: finds hooks that watch values. */
#include "webreport/measure/rules/host/rules_hooks.h"

#include "webreport/measure/rules/host/rules_cpu.h"

/* bits of the properties that the name of an event shows */
enum name_bit {
    NAME_OF_PROJECT = 1,   /* function of the project */
    NAME_OF_FORWARD = 2,   /* frame or module of a module's own forward pass */
    NAME_CALLS_MODULE = 4, /* code of torch that calls the forward pass and the hooks of a module */
    NAME_CALLS_HOOK = 8,   /* code of torch that calls backward hooks */
    NAME_REDUCES = 16,     /* operator that reduces a tensor to few values */
    NAME_OF_ENGINE = 32    /* work of the autograd engine for backward hooks */
};

struct hooks {
    struct tp_advisor *a;
    uint8_t *names;     /* bits of enum name_bit for each name id */
    struct tp_vec time; /* calls of the hooks that watch values; elements: struct tp_interval */
    struct tp_picks *picks;
    uint32_t call; /* event of the hook that is running; TP_NO_ID: no hook */
    bool is_own, reduces, is_backward_hook;
    uint32_t count;
};

static uint8_t name_bits_of_frame(const struct tp_frame *frame)
{
    uint8_t bits = tp_str_equal(frame->function, TP_STR("forward")) ? NAME_OF_FORWARD : 0;
    bits |= tp_str_ends(frame->path, "torch/utils/hooks.py") ? NAME_CALLS_HOOK : 0;
    bool is_call =
        tp_str_equal(frame->function, TP_STR("inner")) || tp_str_equal(frame->function, TP_STR("_call_impl"));
    return bits | (is_call && tp_str_ends(frame->path, "torch/nn/modules/module.py") ? NAME_CALLS_MODULE : 0);
}

static uint8_t hook_bits_of_name(struct tp_str name)
{
    static const char *const reductions[] = {
        "aten::mean",     "aten::std",           "aten::var",   "aten::norm", "aten::linalg_vector_norm",
        "aten::sum",      "aten::max",           "aten::min",   "aten::amax", "aten::amin",
        "aten::aminmax",  "aten::median",        "aten::any",   "aten::all",  "aten::histc",
        "aten::quantile", "aten::count_nonzero", "aten::isnan", "aten::item", "aten::isfinite",
        "aten::isinf"};
    struct tp_frame frame;
    if (tp_frame_parse(&frame, name))
        return name_bits_of_frame(&frame);
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        if (tp_str_equal(name, tp_str_of(reductions[i])))
            return NAME_REDUCES;
    return tp_str_find(name, "BackwardHookFunction") >= 0 ? NAME_OF_ENGINE : 0;
}

static void end_call_of_hook(struct hooks *h)
{
    const struct tp_model *model = h->a->model;
    if (h->call != TP_NO_ID && h->is_own && h->reduces) {
        const struct tp_event *e = &model->trace->events[h->call];
        tp_intervals_push(&h->time, e->ts_ns, tp_event_end(e));
        tp_picks_add_by_length(h->picks, model, h->call);
        h->is_backward_hook |= (h->names[model->trace->events[model->inside[h->call]].name] & NAME_CALLS_HOOK) != 0;
        h->count++;
    }
    h->call = TP_NO_ID;
}

/* Returns whether a frame is a function of the project that torch calls before or after a module's forward pass. */
static bool is_hook_function(const struct hooks *h, uint32_t event)
{
    const struct tp_model *model = h->a->model;
    uint32_t outer = model->inside[event];
    uint8_t own = h->names[model->trace->events[event].name];
    uint8_t caller = outer == TP_NO_ID ? 0 : h->names[model->trace->events[outer].name];
    return own & NAME_OF_PROJECT && !(own & NAME_OF_FORWARD) && caller & (NAME_CALLS_MODULE | NAME_CALLS_HOOK);
}

static void examine_event_of_hooks(struct hooks *h, uint32_t event)
{
    const struct tp_event *e = &h->a->model->trace->events[event];
    if (h->call != TP_NO_ID && e->ts_ns >= tp_event_end(&h->a->model->trace->events[h->call]))
        end_call_of_hook(h);
    if (h->call == TP_NO_ID && tp_kind_is_frame(e->kind) && is_hook_function(h, event)) {
        h->call = event;
        h->is_own = true;
        h->reduces = false;
    }
    /* a function that runs the module's own forward pass is a wrapper, not a hook */
    h->is_own &= !(h->names[e->name] & NAME_OF_FORWARD);
    h->reduces |= (h->names[e->name] & NAME_REDUCES) != 0;
}

/* Adds the time of work of the autograd engine that only backward hooks need. */
static void add_engine_work(struct hooks *h)
{
    const struct tp_order *order = h->a->model->order;
    for (uint32_t i = order->thread_first[h->a->model->host_main]; i < order->thread_first[h->a->model->host_main + 1];
         i++) {
        const struct tp_event *e = &h->a->model->trace->events[order->host[i]];
        if (h->names[e->name] & (NAME_CALLS_HOOK | NAME_OF_ENGINE))
            tp_intervals_push(&h->time, e->ts_ns, tp_event_end(e));
    }
}

uint32_t tp_find_monitoring_hooks(struct tp_advisor *a, struct tp_vec *time, struct tp_picks *picks)
{
    const struct tp_model *model = a->model;
    const struct tp_order *order = model->order;
    struct hooks h = {.a = a, .time = TP_VEC(a->arena, struct tp_interval), .picks = picks, .call = TP_NO_ID};
    uint8_t all = 0;
    h.names = tp_arena_array(a->arena, model->trace->names.count, 1);
    for (uint32_t i = 0; i < model->trace->names.count; i++)
        all |= h.names[i] = hook_bits_of_name(model->trace->names.items[i]) |
                            (tp_frames_line(&model->trace->frames, i) != TP_NO_ID ? NAME_OF_PROJECT : 0);
    if (!(all & (NAME_CALLS_MODULE | NAME_CALLS_HOOK)))
        return 0;
    for (uint32_t i = order->thread_first[model->host_main]; i < order->thread_first[model->host_main + 1]; i++)
        if (tp_event_is_in_window(a, order->host[i]))
            examine_event_of_hooks(&h, order->host[i]);
    end_call_of_hook(&h);
    if (h.is_backward_hook)
        add_engine_work(&h);
    tp_intervals_append(time, tp_intervals_from_vec(&h.time));
    return h.count;
}
