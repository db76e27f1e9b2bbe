/* Computes the floating point operations of operators from shapes: see flops.h. */
#include "webreport/model/flops.h"

#include "webreport/model/operator_shapes.h"
#include "writer/base/saturate.h"

static int64_t convolution_flops(struct tp_str dims, struct tp_str concrete)
{
    enum { STRIDE = 3, PADDING, DILATION, GROUPS };
    struct tp_shape x = tp_shape_input(dims, 0), w = tp_shape_input(dims, 1),
                    stride = tp_shape_argument(concrete, STRIDE), pad = tp_shape_argument(concrete, PADDING),
                    dilation = tp_shape_argument(concrete, DILATION), groups = tp_shape_argument(concrete, GROUPS);
    if (!x.is_known || !w.is_known || x.rank != 4 || w.rank != 4 || !stride.is_known || !pad.is_known ||
        !dilation.is_known || !groups.is_known || stride.rank != 2 || pad.rank != 2 || dilation.rank != 2 ||
        groups.rank != 1 || groups.sizes[0] <= 0 || stride.sizes[0] <= 0 || stride.sizes[1] <= 0)
        return 0;
    int64_t flops = 2;
    const int64_t factors[] = {
        x.sizes[0],
        tp_shape_window_count(x.sizes[2], w.sizes[2], pad.sizes[0], dilation.sizes[0], stride.sizes[0]),
        tp_shape_window_count(x.sizes[3], w.sizes[3], pad.sizes[1], dilation.sizes[1], stride.sizes[1]),
        w.sizes[2],
        w.sizes[3],
        x.sizes[1],
        w.sizes[0]};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        flops = tp_sat_mul(flops, factors[i]);
    return flops / groups.sizes[0];
}

static int64_t matrix_product_flops(const struct tp_shape *x, const struct tp_shape *y, bool is_batched)
{
    if (!x->is_known || !y->is_known || x->rank == 0 || x->sizes[x->rank - 1] <= 0)
        return 0;
    int64_t flops = tp_shape_product(x) / x->sizes[x->rank - 1];
    if (is_batched) {
        if (x->sizes[0] <= 0)
            return 0;
        flops /= x->sizes[0];
    }
    return tp_sat_mul(tp_sat_mul(2, flops), tp_shape_product(y));
}

int64_t tp_flops_of_operator(struct tp_str name, struct tp_str dims, struct tp_str concrete)
{
    static const struct {
        const char *name;
        unsigned first; /* index of the left matrix in the operator's inputs */
        bool is_batched;
    } products[] = {
        {"aten::mm", 0, false}, {"aten::addmm", 1, false}, {"aten::bmm", 0, true}, {"aten::baddbmm", 1, true}};
    if (tp_str_equal(name, TP_STR("aten::conv2d")))
        return convolution_flops(dims, concrete);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (tp_str_equal(name, tp_str_of(products[i].name))) {
            struct tp_shape x = tp_shape_input(dims, products[i].first),
                            y = tp_shape_input(dims, products[i].first + 1);
            return matrix_product_flops(&x, &y, products[i].is_batched);
        }
    if (tp_str_equal(name, TP_STR("aten::mul")) || tp_str_equal(name, TP_STR("aten::add"))) {
        struct tp_shape x = tp_shape_input(dims, 0);
        return x.is_known ? tp_shape_product(&x) : 0;
    }
    return 0;
}

void tp_flops_init(struct tp_flops *flops, const struct tp_trace *trace, struct tp_arena *arena)
{
    static const char *const names[] = {"aten::conv2d",  "aten::mm",  "aten::addmm", "aten::bmm",
                                        "aten::baddbmm", "aten::mul", "aten::add"};
    flops->has_flops = tp_arena_array(arena, trace->names.count, sizeof *flops->has_flops);
    flops->of_call = TP_VEC(arena, int64_t);
    tp_keys_init(&flops->calls, arena, 3);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t id = tp_strings_find(&trace->names, tp_str_of(names[i]));
        if (id != TP_NO_ID)
            flops->has_flops[id] = true;
    }
}

/* searches with bisection, because the entries are sorted by operator */
uint32_t tp_concrete_inputs(const struct tp_trace *trace, uint32_t host)
{
    uint32_t low = 0, high = trace->concrete_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->concretes[middle].host < host)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trace->concrete_count && trace->concretes[low].host == host ? trace->concretes[low].value : TP_NO_ID;
}

int64_t tp_flops_of_item(struct tp_flops *flops, const struct tp_torch *torch, uint32_t item)
{
    const struct tp_trace *trace = torch->trace;
    const struct tp_event *e = tp_torch_event(torch, item);
    const struct tp_host_detail *host = tp_torch_detail(torch, item);
    if (!host || !flops->has_flops[e->name] || host->dims == TP_NO_ID || (e->flags & TP_EVENT_OLD_DIMS))
        return 0;
    uint32_t concrete = tp_concrete_inputs(trace, e->detail);
    uint32_t call = tp_keys_add(&flops->calls, (uint32_t[]){e->name, host->dims, concrete});
    if (call == flops->of_call.count)
        *(int64_t *)tp_vec_push(&flops->of_call) =
            tp_flops_of_operator(tp_trace_event_name(trace, e), tp_strings_get(&trace->values, host->dims),
                                 tp_strings_get(&trace->values, concrete));
    return *TP_AT(&flops->of_call, int64_t, call);
}
