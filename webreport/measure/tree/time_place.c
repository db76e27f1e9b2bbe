/* Finds the leaf of the tree for each device operation. Implements a part of time_parts.h. */
#include <stdio.h>

#include "webreport/measure/tree/time_parts.h"
#include "webreport/measure/work/cost_call.h"
#include "webreport/model/capture/graph_annotations.h"
#include "webreport/trace/json/value.h"
#include "writer/base/renumber.h"
#include "writer/base/utf8.h"

enum {
    MAX_TEXT = 2048, /* maximum length of an operator's text with its shapes, bytes; longer texts are cut */
    MOST_DEPTH = 256,
    MAX_SHAPES = 4, /* maximum number of shapes in the text of an operator */
    /* length in bytes to which a communication kernel's name is cut; argument types follow later in the name */
    COMMUNICATION_BYTES = 60
};

/* A text in a fixed buffer. Bytes beyond the end of the buffer are dropped. */
struct text {
    size_t size;
    char bytes[MAX_TEXT];
};

static void append_text(struct text *text, struct tp_str more)
{
    size_t left = sizeof text->bytes - text->size, size = tp_utf8_fitting_bytes(more.ptr, more.len, left);
    memcpy(text->bytes + text->size, more.ptr, size);
    text->size += size;
}

static struct tp_str text_str(const struct text *text)
{
    return (struct tp_str){text->bytes, text->size};
}

/* Appends `from`, replacing each `old` by `new`. */
static void append_with_replacement(struct text *text, struct tp_str from, const char *old, const char *new)
{
    for (ptrdiff_t at; (at = tp_str_find(from, old)) >= 0;) {
        size_t next = (size_t)at + strlen(old);
        append_text(text, (struct tp_str){from.ptr, (size_t)at});
        append_text(text, tp_str_of(new));
        from = (struct tp_str){from.ptr + next, from.len - next};
    }
    append_text(text, from);
}

/* ---- modules ---- */

static const char *const BUILTIN[] = {"Linear",
                                      "LayerNorm",
                                      "Conv1d",
                                      "Conv2d",
                                      "Conv3d",
                                      "ConvTranspose2d",
                                      "BatchNorm1d",
                                      "BatchNorm2d",
                                      "BatchNorm3d",
                                      "GroupNorm",
                                      "RMSNorm",
                                      "Dropout",
                                      "GELU",
                                      "ReLU",
                                      "SiLU",
                                      "Sigmoid",
                                      "Tanh",
                                      "Softmax",
                                      "Embedding",
                                      "EmbeddingBag",
                                      "MaxPool2d",
                                      "AvgPool2d",
                                      "AdaptiveAvgPool2d",
                                      "Identity",
                                      "Sequential",
                                      "ModuleList",
                                      "Flatten",
                                      "CrossEntropyLoss",
                                      "MSELoss",
                                      "NewGELUActivation",
                                      "GELUActivation",
                                      "QuickGELUActivation",
                                      "SiLUActivation",
                                      "BCEWithLogitsLoss"};

/* Returns the name of the class of a module call. */
static struct tp_str module_class(const struct tp_model *model, uint32_t module)
{
    return tp_frame_module_class(
        tp_trace_event_name(model->trace, &model->trace->events[model->modules.event[module]]));
}

static bool is_builtin_module_class(struct tp_str class)
{
    bool is_any = false;
    for (size_t i = 0; i < sizeof BUILTIN / sizeof *BUILTIN; i++)
        is_any |= tp_str_equal(class, tp_str_of(BUILTIN[i]));
    return is_any;
}

/* Returns the id of a text for a module. The text has the class of the nearest enclosing user module. If the innermost
 * module is built into a library, "/" and the class of the innermost module follow. */
static uint32_t class_of_module_text(struct tp_time_places *places, uint32_t module)
{
    const struct tp_model *model = places->maker->model;
    uint32_t *known = &places->modules[module];
    if (*known)
        return *known - 1;
    struct text text = {0};
    struct tp_str inner = module_class(model, module);
    bool is_inner_builtin = is_builtin_module_class(inner);
    uint32_t own = module;
    while (own != TP_NO_ID && is_builtin_module_class(module_class(model, own)))
        own = model->modules.parent[own];
    if (own != TP_NO_ID)
        append_text(&text, module_class(model, own));
    if (own != TP_NO_ID && is_inner_builtin)
        append_text(&text, TP_STR("/"));
    if (is_inner_builtin)
        append_text(&text, inner);
    *known = tp_strings_add(&places->maker->texts, text_str(&text)) + 1;
    return *known - 1;
}

/* ---- facts from enclosing operators ---- */

/* Returns whether an operator belongs to the backward pass, by its name or by its forward thread. is_engine: for
 * each name id, whether the name is from autograd's engine. */
static bool is_in_backward(const struct tp_model *model, const uint8_t *is_engine, uint32_t op)
{
    const struct tp_event *e = tp_operator_event(model, op);
    if (is_engine[e->name])
        return true;
    int64_t thread = tp_host_rare(model->trace, &model->trace->hosts[e->detail]).forward_thread;
    return thread != TP_NULL_INT && thread != 0;
}

/* Marks the operators of the backward pass: those for which is_in_backward is true, and all operators inside them. */
static void find_backward(struct tp_time_places *places)
{
    const struct tp_model *model = places->maker->model;
    const struct tp_operators *ops = &model->operators;
    const struct tp_strings *names = &model->trace->names;
    uint8_t *is_engine = tp_arena_array(places->maker->arena, names->count, 1);
    for (uint32_t i = 0; i < names->count; i++)
        is_engine[i] = tp_str_starts(names->items[i], "autograd::engine");
    for (uint32_t op = 0; op < ops->all_count; op++)
        places->is_backward[op] = (ops->parent[op] != TP_NO_ID && places->is_backward[ops->parent[op]]) ||
                                  is_in_backward(model, is_engine, op);
    tp_arena_free_item(places->maker->arena, is_engine, names->count);
}

static int64_t sequence_number(const struct tp_model *model, uint32_t op)
{
    const struct tp_event *e = tp_operator_event(model, op);
    return tp_host_rare(model->trace, &model->trace->hosts[e->detail]).sequence;
}

/* The forward operator of each sequence number. If several operators have the number, the deepest one inside a module
 * is used; of equally deep operators, the last. */
struct forwards {
    struct tp_ids ids;   /* gives each sequence number an id */
    struct tp_vec items; /* for each id in `ids`: forward operator; elements: struct forward */
};

struct forward {
    uint32_t op, depth;
};

/* Returns the depth of an operator below its outermost ancestor. MOST_DEPTH limits the loop, because the operators of a
 * damaged trace can be nested deeper. */
static uint32_t operator_depth(const struct tp_operators *ops, uint32_t op)
{
    uint32_t depth = 0;
    for (op = ops->parent[op]; op != TP_NO_ID && depth < MOST_DEPTH; op = ops->parent[op])
        depth++;
    return depth;
}

static void add_forward(struct forwards *forwards, const struct tp_operators *ops, uint32_t op, int64_t sequence)
{
    struct forward new = {op, operator_depth(ops, op)};
    uint32_t id = tp_ids_add(&forwards->ids, sequence);
    if (id == forwards->items.count) {
        *(struct forward *)tp_vec_push(&forwards->items) = new;
        return;
    }
    struct forward *found = TP_AT(&forwards->items, struct forward, id);
    if (ops->module[op] != TP_NO_ID && new.depth >= found->depth)
        *found = new;
}

static bool is_forward(const struct tp_model *model, uint32_t op)
{
    const struct tp_event *e = tp_operator_event(model, op);
    int64_t thread = tp_host_rare(model->trace, &model->trace->hosts[e->detail]).forward_thread;
    return (thread == TP_NULL_INT || thread == 0) && !tp_str_starts(tp_trace_event_name(model->trace, e), "autograd::");
}

static void find_forwards(struct forwards *forwards, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_operators *ops = &model->operators;
    int64_t highest = -1;
    forwards->items = TP_VEC(arena, struct forward);
    for (uint32_t op = 0; op < ops->count; op++)
        highest = sequence_number(model, op) > highest ? sequence_number(model, op) : highest;
    tp_ids_init(&forwards->ids, arena, 0, highest < 0 ? 0 : highest, ops->count);
    for (uint32_t op = 0; op < ops->count; op++) {
        int64_t sequence = sequence_number(model, op);
        if (sequence >= 0 && is_forward(model, op))
            add_forward(forwards, ops, op, sequence);
    }
}

/* Finds for each operator the module of its forward operator. If enclosing operators also have sequence numbers, the
 * function uses the outermost number whose forward operator is in a module. */
static void find_forward_modules(struct tp_time_places *places)
{
    const struct tp_model *model = places->maker->model;
    const struct tp_operators *ops = &model->operators;
    struct tp_arena *arena = places->maker->arena;
    struct forwards forwards;
    if (!ops->module)
        return;
    find_forwards(&forwards, model, arena);
    places->forward_modules = tp_arena_array(arena, ops->all_count, sizeof(uint32_t));
    for (uint32_t op = 0; op < ops->all_count; op++) {
        uint32_t parent = ops->parent[op], *module = &places->forward_modules[op], id = TP_NO_ID;
        int64_t sequence = sequence_number(model, op);
        *module = parent == TP_NO_ID ? TP_NO_ID : places->forward_modules[parent];
        if (*module == TP_NO_ID && sequence >= 0)
            id = tp_ids_find(&forwards.ids, sequence);
        if (id != TP_NO_ID)
            *module = ops->module[TP_AT(&forwards.items, struct forward, id)->op];
    }
    tp_ids_release(&forwards.ids, arena);
    tp_arena_free_item(arena, forwards.items.data, forwards.items.capacity * sizeof(struct forward));
}

void tp_time_places_init(struct tp_time_places *places, struct tp_time_builder *maker)
{
    const struct tp_operators *ops = &maker->model->operators;
    *places = (struct tp_time_places){
        .maker = maker,
        .leaves = TP_VEC(maker->arena, uint32_t),
        .operators = TP_VEC(maker->arena, uint32_t),
        .modules = tp_arena_array(maker->arena, maker->model->modules.all_count, sizeof(uint32_t)),
        .units = tp_arena_array(maker->arena, maker->units->call_count, sizeof(uint32_t)),
        .is_backward = tp_arena_array(maker->arena, ops->all_count, 1)};
    tp_keys_init(&places->paths, maker->arena, 4);
    tp_keys_init(&places->calls, maker->arena, 3);
    tp_id_map_init(&places->annotations, maker->arena);
    find_backward(places);
    find_forward_modules(places);
}

/* ---- texts of operators with their shapes ---- */

static bool is_integer(struct tp_str json)
{
    size_t at = json.len && json.ptr[0] == '-';
    bool is_one = json.len > at;
    for (; at < json.len; at++)
        is_one &= tp_is_digit(json.ptr[at]);
    return is_one;
}

/* Appends "8x512" for a tensor or "list of 3" for a list of tensors. Returns false without appending anything for other
 * arguments. */
static bool append_shape(struct text *text, struct tp_str dims, const char *before)
{
    struct tp_str item, first = {NULL, 0};
    unsigned count = 0;
    bool are_integers = true;
    for (size_t at = 0; tp_value_next(dims, &at, NULL, &item); count++) {
        first = count ? first : item;
        are_integers &= is_integer(item);
    }
    bool is_list = count && tp_value_starts_with(first, '[');
    if (!tp_value_starts_with(dims, '[') || !count || !(are_integers || is_list))
        return false;
    append_text(text, tp_str_of(before));
    if (is_list) {
        char number[32];
        append_text(text, (struct tp_str){number, (size_t)snprintf(number, sizeof number, "list of %u", count)});
        return true;
    }
    count = 0;
    for (size_t at = 0; tp_value_next(dims, &at, NULL, &item); count++) {
        append_text(text, count ? TP_STR("x") : TP_STR(""));
        append_text(text, item);
    }
    return true;
}

static bool is_shape(struct tp_str dims)
{
    struct text unused = {0};
    return append_shape(&unused, dims, "");
}

static void append_shapes(struct text *text, struct tp_str dims)
{
    struct tp_str item;
    unsigned count = 0;
    for (size_t at = 0; tp_value_next(dims, &at, NULL, &item);) {
        if (count == MAX_SHAPES && is_shape(item)) {
            append_text(text, TP_STR("..."));
            break;
        }
        count += count < MAX_SHAPES && append_shape(text, item, count ? ", " : " [");
    }
    if (count)
        append_text(text, TP_STR("]"));
}

/* Returns the id of an operator's text: name, shapes of the first arguments, and the first numeric type. Example: "mm
 * [512x512, 512x64] bf16". has_shapes: false for the name only. */
static uint32_t operator_text(struct tp_time_places *places, const struct tp_event *e, bool has_shapes)
{
    const struct tp_trace *trace = places->maker->model->trace;
    const struct tp_host_detail *host = &trace->hosts[e->detail];
    uint32_t dims = has_shapes ? host->dims : TP_NO_ID, types = has_shapes ? host->types : TP_NO_ID;
    uint32_t call = tp_keys_add(&places->calls, (uint32_t[]){e->name, dims, types});
    if (call < places->operators.count)
        return *TP_AT(&places->operators, uint32_t, call);
    struct text text = {0};
    struct tp_str name = trace->names.items[e->name], item;
    enum tp_number_type type = TP_NUMBER_OTHER;
    append_with_replacement(&text, name, "aten::", "");
    append_shapes(&text, tp_strings_get(&trace->values, dims));
    for (size_t at = 0;
         type == TP_NUMBER_OTHER && tp_value_next(tp_strings_get(&trace->values, types), &at, NULL, &item);)
        type = tp_number_type_by_name(item);
    if (type != TP_NUMBER_OTHER) {
        append_text(&text, TP_STR(" "));
        append_text(&text, tp_str_of(tp_number_type_text(type)));
    }
    *(uint32_t *)tp_vec_push(&places->operators) = tp_strings_add(&places->maker->texts, text_str(&text));
    return *TP_AT(&places->operators, uint32_t, call);
}

static uint32_t text_of_work_unit(struct tp_time_places *places, const struct tp_work_unit *unit)
{
    uint32_t *known = &places->units[unit->call];
    if (!*known)
        *known = operator_text(places, &places->maker->model->trace->events[unit->event], true) + 1;
    return *known - 1;
}

/* ---- paths ---- */

static uint32_t find_or_add_child(struct tp_time_places *places, uint32_t parent, struct tp_str text)
{
    return tp_time_find_or_add_child(places->maker, parent, text);
}

/* Appends the direction of a copy: "Memcpy HtoD Pinned>Device" for "Memcpy HtoD (Pinned -> Device)". */
static void append_direction(struct text *text, struct tp_str name)
{
    const char *open = memchr(name.ptr, '(', name.len);
    size_t before = open ? (size_t)(open - name.ptr) : name.len;
    const char *close = open ? memchr(open, ')', name.len - before) : NULL;
    while (open && before && strchr(" \t\n\r\f\v", name.ptr[before - 1]))
        before--;
    append_text(text, (struct tp_str){name.ptr, before});
    if (!close)
        return;
    append_text(text, TP_STR(" "));
    append_with_replacement(text, (struct tp_str){open + 1, (size_t)(close - open - 1)}, " -> ", ">");
}

static uint32_t find_leaf_of_copy(struct tp_time_places *places, const struct tp_event *e, uint32_t operator_name)
{
    struct text text = {0};
    struct tp_str name = tp_trace_event_name(places->maker->model->trace, e);
    uint32_t copies = find_or_add_child(places, 0, TP_STR("exposed copy"));
    if (e->kind == TP_KIND_MEMSET)
        append_text(&text, TP_STR("set"));
    else
        append_direction(&text, name);
    uint32_t direction = find_or_add_child(places, copies, text_str(&text));
    return find_or_add_child(places, direction,
                             operator_name == TP_NO_ID ? TP_STR("no operator")
                                                       : places->maker->model->trace->names.items[operator_name]);
}

/* Returns the word in a kernel's name that identifies its collective. If the name has several such words, returns the
 * first. */
static struct tp_str collective_word(struct tp_str name)
{
    static const char *const words[] = {"allreduce", "allgather",  "reducescatter", "sendrecv", "broadcast",
                                        "reduce",    "all_reduce", "all_gather",    "alltoall"};
    struct tp_str found = TP_STR("collective");
    ptrdiff_t first = -1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ptrdiff_t at = tp_str_find_ignore_case(name, words[i]);
        if (at < 0 || (first >= 0 && at >= first))
            continue;
        first = at;
        found = (struct tp_str){name.ptr + at, strlen(words[i])};
    }
    return found;
}

static uint32_t find_leaf_of_communication(struct tp_time_places *places, const struct tp_event *e)
{
    const struct tp_trace *trace = places->maker->model->trace;
    uint32_t comm = trace->devices[e->detail].comm;
    struct tp_str name = trace->names.items[e->name], said = {NULL, 0};
    if (comm != TP_NO_ID)
        said = tp_value_text(places->maker->arena, tp_strings_get(&trace->values, trace->comms[comm].collective));
    uint32_t parent = find_or_add_child(places, 0, TP_STR("exposed communication"));
    parent = find_or_add_child(places, parent, said.len ? said : collective_word(name));
    return find_or_add_child(places, parent,
                             (struct tp_str){name.ptr, tp_utf8_fitting_bytes(name.ptr, name.len, COMMUNICATION_BYTES)});
}

/* Returns the text that replaces the class for an operation without a module, such as "[no module]". */
static struct tp_str label_without_module(const struct tp_time_places *places, uint32_t device)
{
    if (places->maker->kinds->of_device[device] == TP_WORK_OPTIMIZER)
        return TP_STR("[optimizer]");
    return tp_is_graph_launched(places->maker->model, device) ? TP_STR("[graph launch]") : TP_STR("[no module]");
}

static uint32_t find_leaf_of_compute(struct tp_time_places *places, uint32_t device, const uint32_t path[4])
{
    struct tp_time_builder *maker = places->maker;
    unsigned work = maker->kinds->of_device[device];
    struct text text = {0};
    bool is_backward = path[0] >> 8 & 1;
    append_text(&text,
                path[1] == TP_NO_ID ? label_without_module(places, device) : tp_strings_get(&maker->texts, path[1]));
    if (is_backward && !(path[1] == TP_NO_ID && work == TP_WORK_OPTIMIZER))
        append_text(&text, TP_STR(" (backward)"));
    uint32_t parent = find_or_add_child(places, 0, TP_STR("compute"));
    parent = find_or_add_child(places, parent, tp_str_of(tp_work_text(work)));
    parent = find_or_add_child(places, parent, text_str(&text));
    parent = find_or_add_child(places, parent,
                               path[2] == TP_NO_ID ? TP_STR("[no operator]") : tp_strings_get(&maker->texts, path[2]));
    return find_or_add_child(places, parent, maker->model->trace->names.items[path[3]]);
}

/* Returns the module of a compute kernel: the module around its launch, otherwise the module of its forward
 * operator. */
static uint32_t find_module(const struct tp_time_places *places, uint32_t device, uint32_t op)
{
    const struct tp_model *model = places->maker->model;
    const struct tp_joined_row *joined = tp_joined_row_of(model, device);
    uint32_t module = joined ? joined->module : TP_NO_ID;
    if (module == TP_NO_ID && model->devices.module)
        module = model->devices.module[device];
    if (module == TP_NO_ID && op != TP_NO_ID && places->forward_modules)
        module = places->forward_modules[op];
    return module;
}

/* Returns the id of a text for the annotation that the program gave to a kernel of a graph; TP_NO_ID without one. */
static uint32_t annotation_text(struct tp_time_places *places, uint32_t device)
{
    struct tp_time_builder *maker = places->maker;
    uint64_t number = tp_graph_annotation_number(maker->model, device);
    uint32_t *known = number ? tp_id_map_find_or_add(&places->annotations, number) : NULL;
    if (!known)
        return TP_NO_ID;
    if (*known == TP_NO_ID) {
        struct tp_str label = tp_graph_annotation(maker->model, device, maker->arena);
        struct text text = {0};
        append_text(&text, label);
        append_text(&text, TP_STR(" (annotation)"));
        *known = label.len ? tp_strings_add(&maker->texts, text_str(&text)) + 1 : 0;
    }
    return *known ? *known - 1 : TP_NO_ID;
}

/* Fills the key of a device operation's path in the tree. Operations with equal keys share a leaf. */
static void make_key_of_operation(struct tp_time_places *places, uint32_t device, uint32_t key[4])
{
    const struct tp_model *model = places->maker->model;
    const struct tp_event *e = tp_device_event(model, device);
    unsigned work = places->maker->kinds->of_device[device];
    uint32_t op = tp_work_operator_of_device(model, device);
    const struct tp_work_unit *unit = tp_work_unit_of(places->maker->units, device);
    key[0] = work;
    key[1] = key[2] = TP_NO_ID;
    key[3] = e->name;
    switch (tp_time_class_of_work(work)) {
    case TP_TIME_COMPUTE:
        if (op != TP_NO_ID) {
            key[0] |= (uint32_t)places->is_backward[op] << 8;
            const struct tp_joined_row *joined = tp_joined_row_of(model, device);
            key[2] = unit ? text_of_work_unit(places, unit)
                          : operator_text(places, tp_operator_work_event(model, op), !joined || joined->has_shapes);
        }
        uint32_t module = find_module(places, device, op);
        key[1] = module == TP_NO_ID ? annotation_text(places, device) : class_of_module_text(places, module);
        key[0] |= key[1] == TP_NO_ID && tp_is_graph_launched(model, device) ? 1u << 16 : 0;
        break;
    case TP_TIME_COMMUNICATION:
        key[1] = model->trace->devices[e->detail].comm;
        break;
    case TP_TIME_COPY:
        key[1] = e->kind;
        key[2] = op == TP_NO_ID ? TP_NO_ID : tp_operator_work_event(model, op)->name;
        break;
    default:
        break;
    }
}

uint32_t tp_time_find_leaf(struct tp_time_places *places, uint32_t device)
{
    const struct tp_event *e = tp_device_event(places->maker->model, device);
    uint32_t key[4];
    make_key_of_operation(places, device, key);
    uint32_t path = tp_keys_add(&places->paths, key);
    if (path < places->leaves.count)
        return *TP_AT(&places->leaves, uint32_t, path);
    uint32_t leaf;
    switch (tp_time_class_of_work(places->maker->kinds->of_device[device])) {
    case TP_TIME_COMMUNICATION:
        leaf = find_leaf_of_communication(places, e);
        break;
    case TP_TIME_COPY:
        leaf = find_leaf_of_copy(places, e, key[2]);
        break;
    case TP_TIME_WAIT:
        leaf = find_or_add_child(places, find_or_add_child(places, 0, TP_STR("device wait")),
                                 tp_trace_event_name(places->maker->model->trace, e));
        break;
    default:
        leaf = find_leaf_of_compute(places, device, key);
        break;
    }
    *(uint32_t *)tp_vec_push(&places->leaves) = leaf;
    return leaf;
}

void tp_time_places_release(struct tp_time_places *places)
{
    struct tp_arena *arena = places->maker->arena;
    size_t operators = places->maker->model->operators.all_count;
    tp_keys_release(&places->paths);
    tp_keys_release(&places->calls);
    tp_id_map_release(&places->annotations);
    tp_arena_free_item(arena, places->is_backward, operators);
    if (places->forward_modules)
        tp_arena_free_item(arena, places->forward_modules, operators * sizeof(uint32_t));
}
