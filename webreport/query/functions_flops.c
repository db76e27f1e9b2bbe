/* Formulas over shapes: see functions_flops.h. */
#include "webreport/query/functions_flops.h"

#include "webreport/model/saturate.h"
#include "webreport/model/tuples.h"
#include "webreport/trace/value.h"

enum { MAX_RANK = 16 };

struct shape {
    int64_t sizes[MAX_RANK];
    unsigned rank;
    bool is_known;
};

/* A list of integers; not known when it is anything else. */
static struct shape shape_of(struct tp_str json)
{
    struct shape shape = {.is_known = tp_value_is(json, '[')};
    struct tp_str item;
    for (size_t at = 0; shape.is_known && tp_value_next(json, &at, NULL, &item);) {
        int64_t size = tp_value_is(item, '[') ? TP_NULL_INT : tp_value_int(item);
        if (size == TP_NULL_INT || shape.rank == MAX_RANK)
            shape.is_known = false;
        else
            shape.sizes[shape.rank++] = size;
    }
    return shape;
}

static struct tp_str item_of(struct tp_str json, unsigned index)
{
    struct tp_str item;
    size_t at = 0;
    for (unsigned i = 0; tp_value_next(json, &at, NULL, &item); i++)
        if (i == index)
            return item;
    return (struct tp_str){"", 0};
}

static struct shape input(struct tp_str dims, unsigned index)
{
    return shape_of(item_of(dims, index));
}

/* An argument that is a list or a number inside a text: "[1, 1]", "1". */
static struct shape argument(struct tp_str concrete, unsigned index)
{
    struct tp_str item = item_of(concrete, index);
    struct shape shape = {.rank = 0};
    if (item.len < 2 || item.ptr[0] != '"')
        return shape;
    item = (struct tp_str){item.ptr + 1, item.len - 2};
    if (!tp_value_is(item, '[')) {
        shape.sizes[0] = tp_value_int(item);
        shape.rank = 1;
        shape.is_known = shape.sizes[0] != TP_NULL_INT;
        return shape;
    }
    shape.is_known = true;
    for (size_t i = 1; i < item.len - 1;) { /* with blanks, so no compact JSON */
        size_t end = i;
        while (end < item.len - 1 && item.ptr[end] != ',')
            end++;
        while (i < end && item.ptr[i] == ' ')
            i++;
        int64_t size = tp_value_int((struct tp_str){item.ptr + i, end - i});
        if (size == TP_NULL_INT || shape.rank == MAX_RANK)
            return (struct shape){.rank = 0};
        shape.sizes[shape.rank++] = size;
        i = end + 1;
    }
    return shape;
}

static int64_t product(const struct shape *shape)
{
    int64_t result = 1;
    for (unsigned i = 0; i < shape->rank; i++)
        result = tp_sat_mul(result, shape->sizes[i]);
    return result;
}

/* Quotient towards minus infinity; x / 0 is not asked. */
static int64_t floor_div(int64_t x, int64_t y)
{
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static int64_t out_size(int64_t in, int64_t kernel, int64_t pad, int64_t dilation, int64_t stride)
{
    int64_t reach = tp_sat_mul(dilation, tp_sat_sub(kernel, 1));
    int64_t room = tp_sat_sub(tp_sat_sub(tp_sat_add(in, tp_sat_mul(2, pad)), reach), 1);
    return tp_sat_add(floor_div(room, stride), 1);
}

static int64_t convolution(struct tp_str dims, struct tp_str concrete)
{
    enum { STRIDE = 3, PADDING, DILATION, GROUPS };
    struct shape x = input(dims, 0), w = input(dims, 1), stride = argument(concrete, STRIDE),
                 pad = argument(concrete, PADDING), dilation = argument(concrete, DILATION),
                 groups = argument(concrete, GROUPS);
    if (!x.is_known || !w.is_known || x.rank != 4 || w.rank != 4 || !stride.is_known || !pad.is_known ||
        !dilation.is_known || !groups.is_known || stride.rank != 2 || pad.rank != 2 || dilation.rank != 2 ||
        groups.rank != 1 || groups.sizes[0] <= 0 || stride.sizes[0] <= 0 || stride.sizes[1] <= 0)
        return 0;
    int64_t flops = 2;
    const int64_t factors[] = {x.sizes[0],
                               out_size(x.sizes[2], w.sizes[2], pad.sizes[0], dilation.sizes[0], stride.sizes[0]),
                               out_size(x.sizes[3], w.sizes[3], pad.sizes[1], dilation.sizes[1], stride.sizes[1]),
                               w.sizes[2],
                               w.sizes[3],
                               x.sizes[1],
                               w.sizes[0]};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        flops = tp_sat_mul(flops, factors[i]);
    return floor_div(flops, groups.sizes[0]);
}

static int64_t matrices(const struct shape *x, const struct shape *y, bool is_batched)
{
    if (!x->is_known || !y->is_known || x->rank == 0 || x->sizes[x->rank - 1] <= 0)
        return 0;
    int64_t flops = product(x) / x->sizes[x->rank - 1];
    if (is_batched) {
        if (x->sizes[0] <= 0)
            return 0;
        flops /= x->sizes[0];
    }
    return tp_sat_mul(tp_sat_mul(2, flops), product(y));
}

int64_t tp_flops_of(struct tp_str name, struct tp_str dims, struct tp_str concrete)
{
    static const struct {
        const char *name;
        unsigned first; /* input of the left matrix */
        bool is_batched;
    } products[] = {
        {"aten::mm", 0, false}, {"aten::addmm", 1, false}, {"aten::bmm", 0, true}, {"aten::baddbmm", 1, true}};
    if (tp_str_equal(name, TP_STR("aten::conv2d")))
        return convolution(dims, concrete);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (tp_str_equal(name, tp_str_of(products[i].name))) {
            struct shape x = input(dims, products[i].first), y = input(dims, products[i].first + 1);
            return matrices(&x, &y, products[i].is_batched);
        }
    if (tp_str_equal(name, TP_STR("aten::mul")) || tp_str_equal(name, TP_STR("aten::add"))) {
        struct shape x = input(dims, 0);
        return x.is_known ? product(&x) : 0;
    }
    return 0;
}

/* The names with a formula. */
static bool *names_with_flops(const struct tp_trace *trace, struct tp_arena *arena)
{
    static const char *const names[] = {"aten::conv2d",  "aten::mm",  "aten::addmm", "aten::bmm",
                                        "aten::baddbmm", "aten::mul", "aten::add"};
    bool *has_flops = tp_arena_array(arena, trace->names.count, sizeof *has_flops);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t id = tp_strings_find(&trace->names, tp_str_of(names[i]));
        if (id != TP_NO_ID)
            has_flops[id] = true;
    }
    return has_flops;
}

/* Concrete inputs by operator: id in values, TP_NO_ID. They stand in order of the operators. */
static uint32_t concrete_of(const struct tp_trace *trace, uint32_t host)
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

int64_t *tp_functions_flops(const struct tp_functions *functions, struct tp_arena *arena)
{
    const struct tp_trace *trace = functions->trace;
    const bool *has_flops = names_with_flops(trace, arena);
    int64_t *flops = tp_arena_array(arena, functions->count, sizeof *flops);
    struct tp_tuples calls; /* (name, dims, concrete inputs) */
    struct tp_vec flops_of_call = TP_VEC(arena, int64_t);
    tp_tuples_init(&calls, arena, 3);
    for (uint32_t i = 0; i < functions->count; i++) {
        const struct tp_event *e = tp_function_event(functions, &functions->items[i]);
        if (!e || !has_flops[e->name])
            continue;
        const struct tp_host_detail *host = tp_function_detail(functions, &functions->items[i]);
        if (!host || host->dims == TP_NO_ID || (e->flags & TP_EVENT_OLD_DIMS))
            continue;
        uint32_t concrete = concrete_of(trace, e->detail);
        uint32_t call = tp_tuples_add(&calls, (uint32_t[]){e->name, host->dims, concrete});
        if (call == flops_of_call.count)
            *(int64_t *)tp_vec_push(&flops_of_call) =
                tp_flops_of(tp_trace_name(trace, e), tp_strings_get(&trace->values, host->dims),
                            tp_strings_get(&trace->values, concrete));
        flops[i] = *TP_AT(&flops_of_call, int64_t, call);
    }
    return flops;
}
