/* Builds torch's list of events from the model: see policy_torch.h. The stages compute names and kinds, ends, owners,
 * memory, order, tree, and sums. */
#include "webreport/model/policy_torch.h"

#include "webreport/model/build.h"
#include "webreport/trace/regions.h"
#include "writer/base/renumber.h"
#include "writer/base/rule_sort.h"
#include "writer/base/saturate.h"

/* ---- names of items ---- */

/* Operators that torch omits from its tables. Also contains the names of memory records, because memory records are
 * separate items. */
static const char *const left_out[] = {
    "[memory]",        "[OutOfMemory]",  "profiler::_record_function_enter", "profiler::_record_function_enter_new",
    "aten::output_nr", "aten::_version", "profiler::_record_function_exit",  "aten::is_leaf",
};

/* Extra name ids after the ids of the trace, for texts that may be missing in the trace. */
enum { EXTRA_STEP, EXTRA_MEMORY, EXTRA_OUT_OF_MEMORY, EXTRA_NAMES };
static const char *const extra_names[EXTRA_NAMES] = {TP_PROFILER_STEP_LABEL, "[memory]", "[OutOfMemory]"};

static uint32_t extra_name_id(const struct tp_trace *trace, unsigned extra)
{
    uint32_t id = tp_strings_find(&trace->names, tp_str_of(extra_names[extra]));
    return id == TP_NO_ID ? trace->names.count + extra : id;
}

static void find_names(struct tp_torch *torch)
{
    const struct tp_strings *names = &torch->trace->names;
    uint32_t step = extra_name_id(torch->trace, EXTRA_STEP);
    torch->memory_name[false] = extra_name_id(torch->trace, EXTRA_MEMORY);
    torch->memory_name[true] = extra_name_id(torch->trace, EXTRA_OUT_OF_MEMORY);
    torch->shown = tp_arena_array(torch->arena, names->count, sizeof *torch->shown);
    for (uint32_t i = 0; i < names->count; i++)
        torch->shown[i] = tp_regions_by_name(names->items[i]) & TP_REGION_PROFILER_STEP ? step : i;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        uint32_t id = tp_strings_find(names, tp_str_of(left_out[i]));
        if (id != TP_NO_ID)
            torch->shown[id] = TP_NO_ID;
    }
}

uint32_t tp_torch_name(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    return e ? torch->shown[e->name]
             : torch->memory_name[(tp_torch_memory_record(torch, item)->flags & TP_MEMORY_OUT_OF_MEMORY) != 0];
}

uint32_t tp_torch_name_count(const struct tp_torch *torch)
{
    return torch->trace->names.count + EXTRA_NAMES;
}

struct tp_str tp_torch_name_text(const struct tp_torch *torch, uint32_t name)
{
    uint32_t known = torch->trace->names.count;
    return name < known ? tp_strings_get(&torch->trace->names, name) : tp_str_of(extra_names[name - known]);
}

/* ---- kinds of items ---- */

/* flags (enum tp_torch_flag) for each kind of event */
static const uint16_t flags_of_kind[TP_KIND_COUNT] = {
    [TP_KIND_OPERATOR] = TP_TORCH_OPERATOR,
    [TP_KIND_ANNOTATION] = TP_TORCH_ANNOTATION,
    [TP_KIND_RUNTIME] = TP_TORCH_CALL,
    [TP_KIND_FRAME] = TP_TORCH_FRAME,
    [TP_KIND_MODULE] = TP_TORCH_FRAME,
    [TP_KIND_KERNEL] = TP_TORCH_DEVICE | TP_TORCH_WORK,
    [TP_KIND_MEMCPY] = TP_TORCH_DEVICE | TP_TORCH_WORK,
    [TP_KIND_MEMSET] = TP_TORCH_DEVICE | TP_TORCH_WORK,
    [TP_KIND_GPU_ANNOTATION] = TP_TORCH_DEVICE | TP_TORCH_ANNOTATION,
    [TP_KIND_OVERHEAD] = TP_TORCH_CALL,
};

/* Categories that torch lists as device events, and the flags of these categories. The model has no kinds for them. */
static const struct {
    const char *cat;
    uint16_t flags;
} other_cats[] = {{"cuda_sync", TP_TORCH_DEVICE},
                  {"cuda_event", TP_TORCH_DEVICE},
                  {"cuda_profiler_range", TP_TORCH_DEVICE},
                  {"xpu_sync", TP_TORCH_DEVICE},
                  {"mtia_ccp_events", TP_TORCH_DEVICE | TP_TORCH_UNOWNED | TP_TORCH_WORK}};

static uint16_t category_flags(struct tp_str cat)
{
    for (size_t i = 0; i < sizeof other_cats / sizeof *other_cats; i++)
        if (tp_str_equal(cat, tp_str_of(other_cats[i].cat)))
            return other_cats[i].flags;
    return 0;
}

static uint16_t flags_of_event(const struct tp_torch *torch, const struct tp_event *e)
{
    const struct tp_trace *trace = torch->trace;
    uint16_t flags = flags_of_kind[e->kind];
    if (e->kind == TP_KIND_OTHER)
        flags = category_flags(tp_strings_get(&trace->cats, trace->others[e->detail].cat));
    if (e->flags & TP_EVENT_WAS_OPERATOR)
        flags = TP_TORCH_OPERATOR;
    if (!flags || torch->shown[e->name] == TP_NO_ID || ((flags & TP_TORCH_FRAME) && torch->rules == TP_TORCH_2_6))
        return 0;
    if (torch->rules == TP_CPROFILE)
        return flags & TP_TORCH_FRAME;
    /* backends may end their ranges on another thread, so their ranges are asynchronous */
    const char *backend = flags == TP_TORCH_ANNOTATION ? tp_name_comm_backend(tp_trace_event_name(trace, e)) : NULL;
    bool is_async = (e->flags & TP_EVENT_UNFINISHED) || (backend && strcmp(backend, "c10d") != 0);
    return is_async ? flags | TP_TORCH_ASYNC : flags;
}

/* Returns true if the program itself declared all devices (K3). Such devices have only names, and the trace has no
 * calls. */
static bool has_device_activity(const struct tp_trace *trace)
{
    for (uint32_t i = 0; i < trace->gpu_count; i++)
        if (!tp_is_bare_property(&trace->gpus[i]))
            return false;
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].kind == TP_KIND_RUNTIME)
            return false;
    return trace->gpu_count > 0;
}

/* Returns torch's name of the profiled device, "DEVICE" for devices that the program declared, or NULL if there is no
 * device. */
static const char *find_device(const struct tp_trace *trace, bool has_device_event)
{
    static const char *const cats[][2] = {
        {"xpu_runtime", "XPU"}, {"xpu_driver", "XPU"}, {"mtia_runtime", "MTIA"}, {"mtia_ccp_events", "MTIA"}};
    for (size_t i = 0; i < sizeof cats / sizeof *cats; i++)
        if (tp_strings_find(&trace->cats, tp_str_of(cats[i][0])) != TP_NO_ID)
            return cats[i][1];
    return has_device_activity(trace) ? "DEVICE" : trace->gpu_count || has_device_event ? "CUDA" : NULL;
}

static void find_kinds(struct tp_torch *torch)
{
    const struct tp_trace *trace = torch->trace;
    unsigned all = 0;
    torch->flags = tp_arena_array(torch->arena, trace->event_count, sizeof *torch->flags);
    for (uint32_t i = 0; i < trace->event_count; i++)
        all |= torch->flags[i] = flags_of_event(torch, &trace->events[i]);
    torch->device = find_device(trace, all & TP_TORCH_DEVICE);
}

/* ---- times of items ---- */

/* Finds start and end of the profiler's span. If the trace has no span, uses the start and end of all events. */
static void find_span(struct tp_torch *torch, const struct tp_model *model)
{
    const struct tp_trace *trace = torch->trace;
    const struct tp_event *span = NULL;
    for (uint32_t i = 0; model->kind_count[TP_KIND_SPAN] && i < trace->event_count; i++)
        if (trace->events[i].kind == TP_KIND_SPAN &&
            (!span || !tp_str_starts(tp_trace_event_name(trace, span), "PyTorch Profiler")))
            span = &trace->events[i];
    torch->base_ns = span ? span->ts_ns : model->first_ns;
    torch->end_ns = span ? tp_event_end(span) : model->last_ns;
}

/* Finds, for each unfinished event, the event whose end it gets: the innermost finished event around the start of the
 * unfinished event. For a Python call this may be an operator. */
static void find_ends(struct tp_torch *torch, const struct tp_model *model)
{
    const struct tp_trace *trace = torch->trace;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        if (!torch->flags[i] || !(trace->events[i].flags & TP_EVENT_UNFINISHED))
            continue;
        int64_t at = tp_torch_start(torch, i);
        uint32_t around = tp_innermost_event(model, trace->events[i].thread, at);
        while (around != TP_NO_ID && ((trace->events[around].flags & TP_EVENT_UNFINISHED) ||
                                      (!torch->flags[around] && torch->rules != TP_CPROFILE)))
            around = tp_find_next_event_around(model, around, at);
        *tp_id_map_find_or_add(&torch->around, i) = around;
    }
}

int64_t tp_torch_unfinished_end(const struct tp_torch *torch, uint32_t event)
{
    const uint32_t *around = tp_id_map_find(&torch->around, event);
    int64_t start = tp_torch_start(torch, event);
    int64_t end = !around || *around == TP_NO_ID ? torch->end_ns : tp_event_end(&torch->trace->events[*around]);
    return end > start ? end : start;
}

/* ---- owners of device operations ---- */

/* Returns true if, for more than 90 % of the device operations, the External id equals the correlation. Kineto wrote
 * such ids from 2021 to 2024; they do not lead to an operator. */
static bool ids_are_correlations(const struct tp_model *model)
{
    uint64_t same = 0, all = 0;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_device_detail *detail = &model->trace->devices[tp_device_event(model, k)->detail];
        if (detail->external_id == TP_NULL_INT || detail->external_id == 0 || detail->correlation == TP_NULL_INT)
            continue;
        all++;
        same += detail->external_id == detail->correlation;
    }
    return same * 10 > all * 9;
}

/* Returns the External id of a call or a device operation; TP_NULL_INT if the event has none. */
static int64_t external_id_of_call(const struct tp_torch *torch, uint32_t event)
{
    const struct tp_trace *trace = torch->trace;
    const struct tp_event *e = &trace->events[event];
    int64_t id = !torch->flags[event] || e->detail == TP_NO_ID ? 0
                 : e->kind == TP_KIND_RUNTIME                  ? trace->launches[e->detail].external_id
                 : e->kind == TP_KIND_OTHER                    ? trace->others[e->detail].external_id
                 : tp_kind_is_device(e->kind)                  ? trace->devices[e->detail].external_id
                                                               : 0;
    return id != 0 ? id : TP_NULL_INT;
}

/* Returns the External id of an operator or annotation; TP_NULL_INT if the event has none. context: struct tp_torch. */
static int64_t host_event_id(const void *context, uint32_t event)
{
    const struct tp_torch *torch = context;
    const struct tp_host_detail *detail = torch->flags[event] ? tp_torch_detail(torch, event) : NULL;
    return detail && detail->external_id != 0 ? detail->external_id : TP_NULL_INT;
}

static void add_device_time_to_owner(struct tp_torch *torch, uint32_t owner, uint32_t device)
{
    bool is_owned = torch->flags[owner] && !(torch->flags[owner] & TP_TORCH_ASYNC);
    if (!is_owned || (torch->flags[device] & TP_TORCH_UNOWNED))
        return;
    tp_torch_add_time(&torch->device_time[owner], tp_torch_duration(torch, device));
    if (torch->owner)
        torch->owner[device] = owner;
}

/* Assigns device operations and calls to operators by External id, as torch does. An operator owns all device
 * operations with its id. A call with its id is moved to the operator's thread. If several operators have the same id,
 * the last one is used. */
static void link_by_id(struct tp_torch *torch)
{
    struct tp_ids ids;
    const struct tp_event *events = torch->trace->events;
    uint32_t count = torch->trace->event_count;
    uint64_t found = tp_ids_init_for_items(&ids, torch->arena, count, host_event_id, torch);
    uint32_t *last = tp_arena_array(torch->arena, found, sizeof *last);
    for (uint32_t i = 0; found && i < count; i++) {
        int64_t id = host_event_id(torch, i);
        if (id != TP_NULL_INT)
            last[tp_ids_add(&ids, id)] = i;
    }
    for (uint32_t i = 0; found && i < count; i++) {
        int64_t id = external_id_of_call(torch, i);
        uint32_t number = id == TP_NULL_INT ? TP_NO_ID : tp_ids_find(&ids, id);
        if (number == TP_NO_ID || (torch->flags[last[number]] & TP_TORCH_ASYNC))
            continue;
        if (torch->flags[i] & TP_TORCH_DEVICE)
            add_device_time_to_owner(torch, last[number], i);
        else if (events[i].thread != events[last[number]].thread)
            *tp_id_map_find_or_add(&torch->moved, i) = events[last[number]].thread;
    }
    tp_ids_release(&ids, torch->arena);
}

/* Links device operations to their owners in the model. Used for traces in which External ids do not lead to
 * operators. */
static void link_by_owner(struct tp_torch *torch, const struct tp_model *model)
{
    for (uint32_t k = 0; k < model->devices.count; k++) {
        uint32_t owner = model->devices.owner[k], event = model->devices.event[k];
        if (owner != TP_NO_ID && torch->flags[event])
            add_device_time_to_owner(torch, model->operators.event[owner], event);
    }
}

/* ---- memory of items ---- */

/* Adds the bytes of each memory record to all host events during which the record was made. A record outside all events
 * becomes an item. order: all records sorted by time. */
static void add_memory_records(struct tp_torch *torch, const uint32_t *order)
{
    const struct tp_trace *trace = torch->trace;
    struct tp_memory_sums sums;
    if (!trace->memory_count)
        return;
    tp_memory_sums_build(&sums, trace, order, torch->rules == TP_TORCH_2_6, torch->arena);
    torch->bytes = tp_arena_array(torch->arena, trace->event_count, sizeof *torch->bytes);
    torch->records = tp_arena_array(torch->arena, trace->memory_count, sizeof *torch->records);
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (torch->flags[i] && !(torch->flags[i] & TP_TORCH_DEVICE))
            torch->bytes[i] = tp_memory_sums_within(&sums, tp_torch_start(torch, i), tp_torch_end(torch, i));
    torch->record_count = tp_memory_sums_list_outside(&sums, torch->records);
}

/* ---- order and tree of items ---- */

/* Returns true if torch numbers an item. Among items with equal times, torch lists numbered items first, then items
 * that only Kineto has, then memory records. */
static bool does_torch_number_item(const struct tp_torch *torch, uint32_t item)
{
    unsigned flags = tp_torch_flags(torch, item);
    return (flags & (TP_TORCH_OPERATOR | TP_TORCH_FRAME)) ||
           (flags & (TP_TORCH_ANNOTATION | TP_TORCH_DEVICE)) == TP_TORCH_ANNOTATION;
}

static inline __attribute__((always_inline)) bool comes_before_by_torch(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_torch *torch = context;
    if (torch->rules == TP_CPROFILE && torch->trace->events[x].thread != torch->trace->events[y].thread)
        return torch->trace->events[x].thread < torch->trace->events[y].thread;
    int64_t a = tp_torch_start(torch, x), b = tp_torch_start(torch, y);
    if (a != b)
        return a < b;
    a = tp_torch_end(torch, x);
    b = tp_torch_end(torch, y);
    if (a != b)
        return a > b;
    return does_torch_number_item(torch, x) != does_torch_number_item(torch, y) ? does_torch_number_item(torch, x)
                                                                                : x < y;
}

static void append_item(struct tp_torch *torch, uint32_t event)
{
    if (torch->flags[event])
        torch->order[torch->count++] = event;
}

/* Fills torch->order from the model's sorted lists and the other items, and sorts torch->order as torch does. */
static void sort_items(struct tp_torch *torch, const struct tp_order *order)
{
    const struct tp_trace *trace = torch->trace;
    torch->order = tp_arena_array(torch->arena, (size_t)trace->event_count + torch->record_count, sizeof *torch->order);
    for (uint32_t i = 0; i < order->host_count; i++)
        append_item(torch, order->host[i]);
    for (uint32_t i = 0; i < order->device_count; i++)
        append_item(torch, order->device[i]);
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (!tp_kind_is_host(trace->events[i].kind) && !tp_kind_is_device(trace->events[i].kind))
            append_item(torch, i);
    for (uint32_t i = 0; i < torch->record_count; i++)
        torch->order[torch->count++] = trace->event_count + i;
    tp_sort_by_rule(torch->order, torch->count, torch->arena, torch, comes_before_by_torch);
}

/* Returns an array with `count` entries TP_NO_ID. */
static uint32_t *make_absent_ids(const struct tp_torch *torch, size_t count)
{
    uint32_t *items = tp_arena_array(torch->arena, count, sizeof *items);
    return memset(items, 0xFF, count * sizeof *items);
}

/* Finds the parent of each item: the innermost item of its thread that starts before this item and does not end before
 * it. An item that ends after an open item closes the open item. Unfinished events are included only under the rules of
 * cProfile. */
static void find_parents_of_items(struct tp_torch *torch)
{
    uint32_t *innermost = make_absent_ids(torch, torch->trace->thread_count);
    torch->parent = make_absent_ids(torch, tp_torch_item_count(torch));
    torch->first_child = make_absent_ids(torch, tp_torch_item_count(torch));
    torch->next_sibling = make_absent_ids(torch, tp_torch_item_count(torch));
    for (uint32_t k = 0; k < torch->count; k++) {
        uint32_t i = torch->order[k], thread = tp_torch_thread(torch, i);
        if (tp_torch_flags(torch, i) & (TP_TORCH_DEVICE | TP_TORCH_ASYNC))
            continue;
        uint32_t parent = innermost[thread];
        int64_t start = tp_torch_start(torch, i), end = tp_torch_end(torch, i);
        while (parent != TP_NO_ID && (start >= tp_torch_end(torch, parent) || end > tp_torch_end(torch, parent)))
            parent = torch->parent[parent]; /* the open items are the last item and its chain of parents */
        torch->parent[i] = parent;
        innermost[thread] = i;
    }
    for (uint32_t k = torch->count; k-- > 0;) {
        uint32_t i = torch->order[k], parent = torch->parent[i];
        if (parent == TP_NO_ID)
            continue;
        torch->next_sibling[i] = torch->first_child[parent];
        torch->first_child[parent] = i;
    }
}

/* Folds an only child into its parent with the same name, as torch's _remove_dup_nodes does. The parent gets the
 * children of the child, and the call of the child is not counted. If by_id is true, the parent also gets the device
 * time of the child; otherwise the model has already folded the owners. One pass is enough, because children come after
 * their parents. */
static void fold_items(struct tp_torch *torch, bool by_id)
{
    for (uint32_t k = 0; k < torch->count; k++) {
        uint32_t i = torch->order[k], parent = torch->parent[i];
        if (parent == TP_NO_ID || tp_torch_is_record(torch, i) || tp_torch_is_record(torch, parent) ||
            torch->first_child[parent] != i || torch->next_sibling[i] != TP_NO_ID ||
            tp_torch_name(torch, parent) != tp_torch_name(torch, i))
            continue;
        torch->first_child[parent] = torch->first_child[i];
        for (uint32_t child = torch->first_child[i]; child != TP_NO_ID; child = torch->next_sibling[child])
            torch->parent[child] = parent;
        if (torch->device && by_id)
            torch->device_time[parent] = torch->device_time[i];
        torch->flags[i] |= TP_TORCH_FOLDED;
    }
}

/* ---- sums of items ---- */

/* Adds the device time of children to the device time of their parents. Before, this time includes only the parents'
 * own kernels. */
static void sum_device_times(struct tp_torch *torch)
{
    for (uint32_t k = torch->count; k-- > 0;) {
        uint32_t i = torch->order[k];
        struct tp_torch_time children = {0};
        if (tp_torch_is_record(torch, i) || (torch->flags[i] & TP_TORCH_ASYNC))
            continue;
        if (torch->flags[i] & TP_TORCH_DEVICE)
            torch->device_time[i] = tp_torch_duration(torch, i);
        for (uint32_t child = torch->first_child[i]; child != TP_NO_ID; child = torch->next_sibling[child])
            if (!tp_torch_is_record(torch, child))
                tp_torch_add_time(&children, torch->device_time[child]);
        tp_torch_add_time(&torch->device_time[i], children);
    }
}

struct tp_torch_sum tp_torch_total_sum(const struct tp_torch *torch, uint32_t item)
{
    struct tp_torch_sum sum = {0};
    if (tp_torch_is_record(torch, item)) {
        sum.bytes = tp_memory_record_bytes(torch->trace, tp_torch_memory_record(torch, item));
        return sum;
    }
    if (!(torch->flags[item] & TP_TORCH_DEVICE))
        sum.cpu = tp_torch_duration(torch, item);
    if (torch->device)
        sum.device = torch->device_time[item];
    if (torch->bytes)
        sum.bytes = torch->bytes[item];
    return sum;
}

struct tp_torch_sum tp_torch_self_sum(const struct tp_torch *torch, uint32_t item, unsigned kept)
{
    struct tp_torch_sum self = tp_torch_total_sum(torch, item), taken = {0};
    if (tp_torch_flags(torch, item) & TP_TORCH_ASYNC)
        return taken;
    for (uint32_t child = torch->first_child[item]; child != TP_NO_ID; child = torch->next_sibling[child])
        if (!(tp_torch_flags(torch, child) & kept)) {
            struct tp_torch_sum sum = tp_torch_total_sum(torch, child);
            tp_torch_add_time(&taken.cpu, sum.cpu);
            tp_torch_add_time(&taken.device, sum.device);
            taken.bytes.cpu = tp_sat_add(taken.bytes.cpu, sum.bytes.cpu);
            taken.bytes.gpu = tp_sat_add(taken.bytes.gpu, sum.bytes.gpu);
        }
    self.cpu = (struct tp_torch_time){tp_sat_sub(self.cpu.ns, taken.cpu.ns), self.cpu.us - taken.cpu.us};
    self.device = (struct tp_torch_time){tp_sat_sub(self.device.ns, taken.device.ns), self.device.us - taken.device.us};
    self.bytes.cpu = tp_sat_sub(self.bytes.cpu, taken.bytes.cpu);
    self.bytes.gpu = tp_sat_sub(self.bytes.gpu, taken.bytes.gpu);
    return self;
}

/* ---- all stages in order ---- */

static void build_list(struct tp_torch *torch)
{
    const struct tp_trace *trace = torch->trace;
    struct tp_arena *arena = torch->arena;
    struct tp_order order;
    struct tp_model model;
    tp_id_map_init(&torch->around, arena);
    tp_id_map_init(&torch->moved, arena);
    tp_order_build(&order, trace, arena);
    tp_model_build_links(&model, trace, &order, arena);
    find_names(torch);
    find_kinds(torch);
    find_span(torch, &model);
    find_ends(torch, &model);
    if (torch->device)
        torch->device_time = tp_arena_array(arena, trace->event_count, sizeof *torch->device_time);
    bool by_id = !ids_are_correlations(&model);
    if (by_id)
        link_by_id(torch);
    else
        link_by_owner(torch, &model);
    if (torch->rules != TP_CPROFILE)
        add_memory_records(torch, order.memory);
    sort_items(torch, &order);
    find_parents_of_items(torch);
    if (torch->rules != TP_CPROFILE)
        fold_items(torch, by_id);
    if (torch->device)
        sum_device_times(torch);
}

void tp_torch_build(struct tp_torch *torch, const struct tp_trace *trace, enum tp_torch_rules rules,
                    struct tp_arena *arena)
{
    *torch = (struct tp_torch){.trace = trace, .arena = arena, .rules = rules};
    build_list(torch);
}

void tp_torch_build_with_owners(struct tp_torch *torch, const struct tp_trace *trace, enum tp_torch_rules rules,
                                struct tp_arena *arena)
{
    *torch = (struct tp_torch){.trace = trace, .arena = arena, .rules = rules};
    torch->owner = make_absent_ids(torch, trace->event_count);
    build_list(torch);
}
