/* Implements work_costs.h: finds the units of device work and their costs. */
#include "webreport/measure/work/work_costs.h"

#include "webreport/model/flops.h"
#include "writer/base/id_map.h"
#include "writer/base/keys.h"
#include "writer/base/saturate.h"

/* a shape that a backward operator of a convolution records: its dims and the index of the argument */
struct known_shape {
    uint32_t dims; /* id in trace->values of the operator's "Input Dims"; TP_NO_ID if unknown */
    unsigned argument;
};

struct costs {
    const struct tp_model *model;
    struct tp_arena *arena;
    /* keys (name, dims, types, concrete inputs, dims and argument of the result, dims of the backward operator) of the
     * distinct calls */
    struct tp_keys calls;
    struct tp_vec of_call; /* for each key of `calls`: index in `costs`, NONE without a cost; elements: uint32_t */
    struct tp_vec costs;   /* elements: struct tp_cost */
    struct tp_vec untyped_flops; /* for each key of `calls`: operations if the call has no types; elements: int64_t */
    /* for each sequence number: index in `gradients` of the last convolution_backward with this number */
    struct tp_id_map backward;
    struct tp_vec gradients; /* arguments that contain gradients; elements: struct known_shape */
    uint32_t untyped_count;  /* number of distinct calls with shapes but without types */
    /* for each operator: 1 + index of its own unit, or else of the unit of an enclosing operator; NONE: no unit; 0: not
     * searched yet */
    uint32_t *unit_of;
    struct tp_vec units;
    /* for kernels of graphs: map from (1 + index of the captured call's unit, launch of the graph) to the same number
     * for the unit of this launch */
    struct tp_id_map graph_units;
};

enum { NONE = UINT32_MAX };

static const struct tp_host_detail *host_detail_of_operator(const struct costs *c, uint32_t op)
{
    return &c->model->trace->hosts[tp_operator_event(c->model, op)->detail];
}

static struct tp_str operator_name(const struct costs *c, uint32_t op)
{
    return tp_trace_event_name(c->model->trace, tp_operator_event(c->model, op));
}

static struct tp_shape shape_at(const struct costs *c, struct known_shape known)
{
    struct tp_shape none = {.rank = 0};
    if (known.dims == TP_NO_ID)
        return none;
    struct tp_shape shape = tp_shape_input(tp_strings_get(&c->model->trace->values, known.dims), known.argument);
    return shape.is_known && shape.rank ? shape : none;
}

/* ---- convolutions and their backward operators ---- */

static bool is_convolution_name(const struct costs *c, uint32_t op)
{
    return c->model->marks[tp_operator_event(c->model, op)->name] & TP_MARK_CONV;
}

static bool is_convolution(const struct costs *c, uint32_t op)
{
    return is_convolution_name(c, op) && tp_str_find(operator_name(c, op), "convolution") >= 0;
}

static bool is_backward(const struct costs *c, uint32_t op)
{
    return is_convolution_name(c, op) && tp_str_ends(operator_name(c, op), "convolution_backward");
}

/* Returns whether an operator has at least three arguments. dims: id of its "Input Dims". */
static bool has_three_arguments(const struct costs *c, uint32_t dims)
{
    return dims != TP_NO_ID && tp_shape_item(tp_strings_get(&c->model->trace->values, dims), 2).len > 0;
}

/* Returns the sequence number of an operator. If the operator has no number, returns the number of the nearest
 * enclosing operator with a number; TP_NULL_INT if no such operator exists. */
static int64_t find_enclosing_sequence_number(const struct costs *c, uint32_t op)
{
    int64_t sequence = TP_NULL_INT;
    for (; op != TP_NO_ID && sequence == TP_NULL_INT; op = c->model->operators.parent[op])
        sequence = tp_host_rare(c->model->trace, host_detail_of_operator(c, op)).sequence;
    return sequence;
}

static void index_convolution_gradients(struct costs *c)
{
    const struct tp_strings *names = &c->model->trace->names;
    bool is_any = false;
    tp_id_map_init(&c->backward, c->arena);
    c->gradients = TP_VEC(c->arena, struct known_shape);
    for (size_t i = 0; i < names->count && !is_any; i++)
        is_any = tp_str_ends(names->items[i], "convolution_backward");
    for (uint32_t op = 0; is_any && op < c->model->operators.count; op++) {
        if (!is_backward(c, op))
            continue;
        uint32_t dims = host_detail_of_operator(c, op)->dims;
        if (!has_three_arguments(c, dims))
            continue;
        int64_t sequence = find_enclosing_sequence_number(c, op);
        if (sequence == TP_NULL_INT)
            continue;
        *tp_id_map_find_or_add(&c->backward, (uint64_t)sequence) = (uint32_t)c->gradients.count;
        *(struct known_shape *)tp_vec_push(&c->gradients) = (struct known_shape){
            dims, tp_str_equal(operator_name(c, op), TP_STR("aten::convolution_backward")) ? 0 : 1};
    }
}

/* Returns the shape of a forward operator's result, which the backward operator with the same sequence number records
 * as its gradient. Without such a backward operator, tries the enclosing operators. dims of the shape is TP_NO_ID if
 * all fail. */
static struct known_shape find_result_shape(const struct costs *c, uint32_t op)
{
    for (; op != TP_NO_ID; op = c->model->operators.parent[op]) {
        int64_t sequence = tp_host_rare(c->model->trace, host_detail_of_operator(c, op)).sequence;
        const uint32_t *found = sequence == TP_NULL_INT ? NULL : tp_id_map_find(&c->backward, (uint64_t)sequence);
        if (found)
            return *TP_AT(&c->gradients, struct known_shape, *found);
    }
    return (struct known_shape){TP_NO_ID, 0};
}

/* Returns the dims of the backward operator that encloses an operator; TP_NO_ID if no backward operator encloses it. */
static uint32_t find_enclosing_backward(const struct costs *c, uint32_t op)
{
    for (op = c->model->operators.parent[op]; op != TP_NO_ID; op = c->model->operators.parent[op])
        if (is_backward(c, op))
            return has_three_arguments(c, host_detail_of_operator(c, op)->dims) ? host_detail_of_operator(c, op)->dims
                                                                                : TP_NO_ID;
    return TP_NO_ID;
}

/* ---- costs ---- */

/* Returns the index of a call of `op` with the arguments of event `e`. of_call has the cost of this call. */
static uint32_t find_or_add_call(struct costs *c, uint32_t op, const struct tp_event *e)
{
    const struct tp_trace *trace = c->model->trace;
    const struct tp_host_detail *host = &trace->hosts[e->detail];
    struct known_shape out = {TP_NO_ID, 0};
    uint32_t around = TP_NO_ID, concrete = tp_concrete_inputs(trace, e->detail);
    if (is_convolution(c, op)) {
        out = find_result_shape(c, op);
        around = find_enclosing_backward(c, op);
    }
    uint32_t call = tp_keys_add(
        &c->calls, (uint32_t[]){e->name, host->dims, host->types, concrete, out.dims, out.argument, around});
    if (call == c->of_call.count) {
        struct tp_cost cost;
        uint32_t *new = tp_vec_push(&c->of_call);
        int64_t *flops = tp_vec_push(&c->untyped_flops);
        struct tp_cost_hint hint = {.out = shape_at(c, out),
                                    .weight = shape_at(c, (struct known_shape){around, 2}),
                                    .input = shape_at(c, (struct known_shape){around, 0})};
        struct tp_op_call texts = {tp_strings_get(&trace->values, host->dims),
                                   tp_strings_get(&trace->values, host->types),
                                   tp_strings_get(&trace->values, concrete)};
        *new = tp_cost_of_call(&cost, trace->names.items[e->name], &texts, &hint) ? (uint32_t)c->costs.count : NONE;
        if (*new != NONE)
            *(struct tp_cost *)tp_vec_push(&c->costs) = cost;
        else
            *flops = tp_cost_flops_without_types(trace->names.items[e->name], &texts, &hint);
        c->untyped_count += *new == NONE &&tp_cost_lacks_types(&texts);
    }
    return call;
}

static uint32_t cost_of_call(const struct costs *c, uint32_t call)
{
    return *TP_AT(&c->of_call, uint32_t, call);
}

/* Computes the cost of an operator from the arguments of the event that did its work. If this is not possible, uses the
 * operator's own arguments. Returns false if the operator has no cost. */
static bool find_cost_of_operator(struct costs *c, uint32_t op, struct tp_work_unit *unit)
{
    const struct tp_event *own = tp_operator_event(c->model, op), *event = tp_operator_work_event(c->model, op);
    uint32_t call = find_or_add_call(c, op, event);
    if (cost_of_call(c, call) == NONE && event != own) {
        event = own;
        call = find_or_add_call(c, op, own);
    }
    *unit = (struct tp_work_unit){.op = op,
                                  .event = (uint32_t)(event - c->model->trace->events),
                                  .main = TP_NO_ID,
                                  .cost = cost_of_call(c, call),
                                  .call = call};
    return unit->cost != NONE;
}

/* Returns 1 + the index of the unit of an operator. If the operator has no unit, returns the value for the nearest
 * enclosing operator with a unit; NONE if no such operator exists. */
static uint32_t unit_of(struct costs *c, uint32_t op)
{
    uint32_t at = op, found = NONE;
    for (; at != TP_NO_ID && found == NONE; at = c->model->operators.parent[at]) {
        if (c->unit_of[at]) {
            found = c->unit_of[at];
            break;
        }
        struct tp_work_unit unit;
        if (find_cost_of_operator(c, at, &unit)) {
            *(struct tp_work_unit *)tp_vec_push(&c->units) = unit;
            found = c->unit_of[at] = (uint32_t)c->units.count;
        }
    }
    for (; op != at && op != TP_NO_ID && !c->unit_of[op]; op = c->model->operators.parent[op])
        c->unit_of[op] = found;
    return found;
}

/* Returns 1 + the index of the unit of a device operation; NONE without a unit. Each launch of a graph has its own
 * units, although all launches share the captured calls. */
static uint32_t unit_of_device(struct costs *c, uint32_t device)
{
    const struct tp_joined_row *joined = tp_joined_row_of(c->model, device);
    uint32_t op = tp_work_operator_of_device(c->model, device);
    if (op == TP_NO_ID || (joined && !joined->has_shapes))
        return NONE;
    uint32_t captured = unit_of(c, op);
    if (!joined || captured == NONE)
        return captured;
    uint32_t *known = tp_id_map_find_or_add(&c->graph_units, tp_id_pair(captured, c->model->devices.launch[device]));
    if (*known == TP_NO_ID) {
        struct tp_work_unit unit = *TP_AT(&c->units, struct tp_work_unit, captured - 1);
        unit.main = TP_NO_ID;
        unit.ns = 0;
        *(struct tp_work_unit *)tp_vec_push(&c->units) = unit;
        *known = (uint32_t)c->units.count;
    }
    return *known;
}

/* ---- operators without types ---- */

/* An operator whose operations are known, but not its types. */
struct untyped {
    int64_t flops, ns; /* ns: total duration of the kernels, ns */
    uint32_t main;     /* index of the longest kernel */
};

/* Returns the operations of an operator without types; 0 for other operators. */
static int64_t untyped_flops_of_operator(struct costs *c, uint32_t op)
{
    const struct tp_event *events[] = {tp_operator_work_event(c->model, op), tp_operator_event(c->model, op)};
    int64_t flops = 0;
    for (unsigned i = 0; i < 2 && !flops; i++)
        flops = *TP_AT(&c->untyped_flops, int64_t, find_or_add_call(c, op, events[i]));
    return flops;
}

/* Adds the time of a kernel to the innermost operator around it that has operations but no types. items: elements
 * struct untyped. of_op: for each operator 1 + index in `items`; 0: none yet. */
static void add_untyped_kernel(struct costs *c, struct tp_vec *items, uint32_t *of_op, uint32_t k)
{
    const struct tp_joined_row *joined = tp_joined_row_of(c->model, k);
    uint32_t op = joined && !joined->has_shapes ? TP_NO_ID : tp_work_operator_of_device(c->model, k);
    int64_t ns = tp_device_event(c->model, k)->dur_ns, flops = 0;
    for (; op != TP_NO_ID && !of_op[op] && !(flops = untyped_flops_of_operator(c, op));)
        op = c->model->operators.parent[op];
    if (op == TP_NO_ID)
        return;
    if (!of_op[op]) {
        *(struct untyped *)tp_vec_push(items) = (struct untyped){.flops = flops, .main = k};
        of_op[op] = (uint32_t)items->count;
    }
    struct untyped *item = TP_AT(items, struct untyped, of_op[op] - 1);
    item->ns = tp_sat_add(item->ns, ns);
    if (ns > tp_device_event(c->model, item->main)->dur_ns)
        item->main = k;
}

/* Sums the operations of operators without types, by the kind of work of their longest kernel. */
static void sum_untyped_work(struct tp_work_units *units, struct costs *c, const struct tp_work_kinds *kinds)
{
    struct tp_vec items = TP_VEC(c->arena, struct untyped);
    uint32_t *of_op = tp_arena_array(c->arena, c->model->operators.all_count, sizeof *of_op);
    for (uint32_t k = 0; k < c->model->devices.count; k++)
        if (units->of_device[k] == TP_NO_ID && tp_work_has_cost(kinds->of_device[k]))
            add_untyped_kernel(c, &items, of_op, k);
    units->untyped_flops_of_device =
        tp_arena_array(c->arena, units->device_count, sizeof *units->untyped_flops_of_device);
    for (size_t i = 0; i < items.count; i++) {
        const struct untyped *item = TP_AT(&items, struct untyped, i);
        units->untyped_flops_of_device[item->main] = item->flops;
        unsigned kind = kinds->of_device[item->main];
        units->untyped_flops[kind] = tp_sat_add(units->untyped_flops[kind], item->flops);
        units->untyped_ns[kind] = tp_sat_add(units->untyped_ns[kind], item->ns);
    }
    tp_arena_free_item(c->arena, of_op, c->model->operators.all_count * sizeof *of_op);
}

/* ---- peaks of devices ---- */

/* Returns the properties of a device; NULL if no properties contain a name. Some traces of identical devices have one
 * entry without a number. In this case, the first entry with a name is returned. */
static const struct tp_gpu_property *find_named_device(const struct tp_trace *trace, int64_t device)
{
    const struct tp_gpu_property *property = tp_model_gpu_property(trace, device);
    for (uint32_t i = 0; i < trace->gpu_count && (!property || !property->name.len); i++)
        if (trace->gpus[i].name.len)
            property = &trace->gpus[i];
    return property && property->name.len ? property : NULL;
}

static void find_peaks(struct tp_work_units *units, const struct tp_model *model, const struct tp_peaks_file *measured,
                       struct tp_arena *arena)
{
    units->peaks = tp_arena_array(arena, model->gpu_count, sizeof *units->peaks);
    units->device_names = tp_arena_array(arena, model->gpu_count, sizeof *units->device_names);
    for (uint32_t gpu = 0; gpu < model->gpu_count; gpu++) {
        const struct tp_gpu_property *property = find_named_device(model->trace, model->gpus[gpu].id);
        units->device_names[gpu] = property ? property->name : TP_STR("");
        units->peaks[gpu] =
            property ? tp_peaks_with_user_values(measured, property->name, property->total_memory_bytes, arena) : NULL;
    }
}

/* ---- impossibly fast units ---- */

/* bytes; larger than the cache of any known device, so a unit with more bytes must read from memory */
static const int64_t LARGEST_CACHE_BYTES = INT64_C(256) << 20;
/* factor by which a kernel can exceed a measured peak, because the peak was measured with another kernel */
static const double MEASURED_SLACK = 1.1;

struct tp_work_floor tp_work_floor_of_unit(const struct tp_model *model, const struct tp_work_units *units,
                                           const struct tp_work_unit *unit, const struct tp_peaks *peaks)
{
    const struct tp_cost *cost = &units->costs[unit->cost];
    const struct tp_event *kernel = tp_device_event(model, unit->main);
    struct tp_work_floor least = {0};
    if (cost->flops) {
        double tflops = tp_peaks_tflops(peaks, cost->type, model->marks[kernel->name] & TP_MARK_TF32);
        least.compute_ns = tflops > 0 ? (double)cost->flops_without_masked / (tflops * 1e12) * 1e9 : -1;
    }
    if (peaks->memory_gb_s > 0)
        least.memory_ns = (double)cost->bytes / (peaks->memory_gb_s * 1e9) * 1e9;
    return least;
}

static bool is_impossible(const struct tp_model *model, const struct tp_work_units *units,
                          const struct tp_work_unit *unit)
{
    const struct tp_peaks *peaks = units->peaks[model->devices.gpu[unit->main]];
    if (!peaks)
        return false;
    struct tp_work_floor least = tp_work_floor_of_unit(model, units, unit, peaks);
    double most_ns = (double)unit->ns * (peaks->is_measured ? MEASURED_SLACK : 1);
    return least.compute_ns > most_ns ||
           (least.memory_ns > most_ns && units->costs[unit->cost].bytes > LARGEST_CACHE_BYTES);
}

/* Removes the units that are impossibly fast, and those without kernels. */
static void remove_impossible_units(struct tp_work_units *units, const struct tp_work_kinds *kinds,
                                    struct tp_arena *arena)
{
    const struct tp_model *model = kinds->model;
    uint32_t *new_of = tp_arena_array(arena, units->count, sizeof *new_of), kept = 0;
    for (uint32_t i = 0; i < units->count; i++) {
        /* a captured call itself has no kernels */
        bool is_left_out = units->items[i].main == TP_NO_ID || is_impossible(model, units, &units->items[i]);
        new_of[i] = is_left_out ? TP_NO_ID : kept++;
        if (new_of[i] != TP_NO_ID)
            units->items[new_of[i]] = units->items[i];
    }
    for (uint32_t k = 0; kept < units->count && k < model->devices.count; k++) {
        uint32_t old = units->of_device[k];
        if (old == TP_NO_ID)
            continue;
        units->of_device[k] = new_of[old];
        if (new_of[old] != TP_NO_ID)
            continue;
        int64_t ns = tp_device_event(model, k)->dur_ns;
        int64_t *known = &units->known_ns[kinds->of_device[k]], *lost = &units->impossible_ns[kinds->of_device[k]];
        *known = tp_sat_sub(*known, ns);
        *lost = tp_sat_add(*lost, ns);
    }
    tp_arena_free_item(arena, new_of, units->count * sizeof *new_of);
    units->count = kept;
}

void tp_work_units_build(struct tp_work_units *units, const struct tp_work_kinds *kinds,
                         const struct tp_peaks_file *measured, struct tp_arena *arena)
{
    const struct tp_model *model = kinds->model;
    struct costs c = {.model = model,
                      .arena = arena,
                      .of_call = TP_VEC(arena, uint32_t),
                      .costs = TP_VEC(arena, struct tp_cost),
                      .untyped_flops = TP_VEC(arena, int64_t),
                      .units = TP_VEC(arena, struct tp_work_unit),
                      .unit_of = tp_arena_array(arena, model->operators.all_count, sizeof(uint32_t))};
    tp_keys_init(&c.calls, arena, 7);
    tp_id_map_init(&c.graph_units, arena);
    *units = (struct tp_work_units){0};
    find_peaks(units, model, measured, arena);
    index_convolution_gradients(&c);
    units->of_device = tp_arena_array(arena, model->devices.count, sizeof *units->of_device);
    units->device_count = model->devices.count;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        uint32_t found = tp_work_has_cost(kinds->of_device[k]) ? unit_of_device(&c, k) : NONE;
        units->of_device[k] = TP_NO_ID;
        if (found == NONE)
            continue;
        units->of_device[k] = found - 1;
        struct tp_work_unit *unit = TP_AT(&c.units, struct tp_work_unit, found - 1);
        int64_t ns = tp_device_event(model, k)->dur_ns;
        int64_t *known = &units->known_ns[kinds->of_device[k]];
        unit->ns = tp_sat_add(unit->ns, ns);
        *known = tp_sat_add(*known, ns);
        if (unit->main == TP_NO_ID || ns > tp_device_event(model, unit->main)->dur_ns)
            unit->main = k;
    }
    if (c.untyped_count)
        sum_untyped_work(units, &c, kinds);
    tp_vec_fit(&c.units);
    units->costs = c.costs.data;
    units->items = c.units.data;
    units->count = (uint32_t)c.units.count;
    units->untyped_count = c.untyped_count;
    tp_arena_free_item(arena, c.unit_of, model->operators.all_count * sizeof *c.unit_of);
    units->call_count = (uint32_t)c.of_call.count;
    tp_keys_release(&c.calls);
    tp_id_map_release(&c.backward);
    remove_impossible_units(units, kinds, arena);
}

void tp_work_units_release(struct tp_work_units *units, struct tp_arena *arena)
{
    tp_arena_free_item(arena, units->of_device, units->device_count * sizeof *units->of_device);
    tp_arena_free_item(arena, units->items, units->count * sizeof *units->items);
}
