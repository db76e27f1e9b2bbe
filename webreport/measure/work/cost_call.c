/* Implements cost_call.h: reads the arguments of a call. */
#include "webreport/measure/work/cost_call.h"

#include <string.h>

#include "webreport/trace/json/value.h"
#include "writer/base/saturate.h"
#include "writer/base/table.h"

/* ---- types ---- */

static const struct {
    struct tp_str name; /* name of the type in lower case */
    int8_t size;
    uint8_t type;
} TYPES[] = {
    {TP_STR("float"), 4, TP_NUMBER_FP32},
    {TP_STR("double"), 8, TP_NUMBER_FP64},
    {TP_STR("c10::half"), 2, TP_NUMBER_FP16},
    {TP_STR("half"), 2, TP_NUMBER_FP16},
    {TP_STR("c10::bfloat16"), 2, TP_NUMBER_BF16},
    {TP_STR("bfloat16"), 2, TP_NUMBER_BF16},
    {TP_STR("c10::float8_e4m3fn"), 1, TP_NUMBER_FP8},
    {TP_STR("c10::float8_e5m2"), 1, TP_NUMBER_FP8},
    {TP_STR("c10::float8_e4m3fnuz"), 1, TP_NUMBER_FP8},
    {TP_STR("c10::float8_e5m2fnuz"), 1, TP_NUMBER_FP8},
    {TP_STR("c10::float4_e2m1fn_x2"), 1, TP_NUMBER_FP4},
    {TP_STR("signed char"), 1, TP_NUMBER_INT8},
    {TP_STR("c10::complex<float>"), 8, TP_NUMBER_FP32},
    {TP_STR("c10::complex<double>"), 16, TP_NUMBER_OTHER},
    {TP_STR("c10::float8_e8m0fnu"), 1, TP_NUMBER_OTHER},
    {TP_STR("long"), 8, TP_NUMBER_OTHER},
    {TP_STR("long int"), 8, TP_NUMBER_OTHER},
    {TP_STR("unsigned long"), 8, TP_NUMBER_OTHER},
    {TP_STR("int"), 4, TP_NUMBER_OTHER},
    {TP_STR("unsigned int"), 4, TP_NUMBER_OTHER},
    {TP_STR("short"), 2, TP_NUMBER_OTHER},
    {TP_STR("short int"), 2, TP_NUMBER_OTHER},
    {TP_STR("unsigned char"), 1, TP_NUMBER_OTHER},
    {TP_STR("char"), 1, TP_NUMBER_OTHER},
    {TP_STR("bool"), 1, TP_NUMBER_OTHER},
};

static bool is_type_named(struct tp_str text, struct tp_str name)
{
    return text.len == name.len && strncasecmp(text.ptr, name.ptr, name.len) == 0;
}

/* Returns the index in TYPES of a type given as JSON; -1 if the type is unknown. */
static int number_type_of_json(struct tp_str json)
{
    if (json.len < 2 || json.ptr[0] != '"')
        return -1;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (is_type_named((struct tp_str){json.ptr + 1, json.len - 2}, TYPES[i].name))
            return (int)i;
    return -1;
}

static int64_t element_size_of_json(struct tp_str json)
{
    int row = number_type_of_json(json);
    return row < 0 ? 4 : TYPES[row].size;
}

enum tp_number_type tp_number_type_by_name(struct tp_str json)
{
    int row = number_type_of_json(json);
    return row < 0 ? TP_NUMBER_OTHER : (enum tp_number_type)TYPES[row].type;
}

const char *tp_number_type_text(enum tp_number_type type)
{
    static const char *const texts[TP_NUMBER_TYPES] = {"other", "fp64", "fp32", "fp16", "bf16", "fp8", "fp4", "int8"};
    return texts[type];
}

/* ---- reading ---- */

static bool read_shape(struct tp_cost_argument *argument, struct tp_str json)
{
    struct tp_str item;
    size_t at = 0;
    argument->form = TP_COST_NO_TENSOR;
    if (!tp_value_starts_with(json, '['))
        return true;
    if (!tp_value_next(json, &at, NULL, &item)) {
        argument->form = TP_COST_EMPTY;
        return true;
    }
    if (tp_value_starts_with(item, '[')) {
        argument->form = TP_COST_LIST;
        argument->shapes = json;
        return true;
    }
    argument->shape = tp_shape_parse(json);
    if (argument->shape.is_known)
        argument->form = TP_COST_TENSOR;
    for (unsigned i = 0; i < argument->shape.rank && argument->form == TP_COST_TENSOR; i++)
        if (argument->shape.sizes[i] < 0)
            return false;
    return argument->form == TP_COST_NO_TENSOR || tp_shape_product(&argument->shape) < INT64_MAX / 64;
}

static void read_type(struct tp_cost_argument *argument, struct tp_str json)
{
    struct tp_str first = json;
    size_t at = 0;
    argument->types = json;
    if (tp_value_starts_with(json, '[') && !tp_value_next(json, &at, NULL, &first))
        first = (struct tp_str){"", 0};
    int row = number_type_of_json(first);
    argument->has_size = row >= 0 && !tp_value_starts_with(json, '[');
    argument->size = row < 0 ? 4 : TYPES[row].size;
    argument->type = row < 0 ? TP_NUMBER_OTHER : (enum tp_number_type)TYPES[row].type;
}

/* Returns whether each tensor of a list has a known type. A single text gives the type of all tensors. */
static bool is_list_typed(const struct tp_cost_argument *argument)
{
    struct tp_str shape, type = argument->types;
    size_t at = 0, type_at = 0;
    bool has_types = tp_value_starts_with(argument->types, '[');
    while (tp_value_next(argument->shapes, &at, NULL, &shape)) {
        struct tp_cost_argument one = {.size = 4};
        bool is_there = !has_types || tp_value_next(argument->types, &type_at, NULL, &type);
        if (read_shape(&one, shape) && one.form == TP_COST_TENSOR && (!is_there || number_type_of_json(type) < 0))
            return false;
    }
    return true;
}

static bool is_typed(const struct tp_cost_arguments *a)
{
    bool is_any = false;
    for (unsigned i = 0; i < a->count; i++) {
        const struct tp_cost_argument *argument = &a->items[i];
        if ((argument->form == TP_COST_TENSOR && !argument->has_size) ||
            (argument->form == TP_COST_LIST && !is_list_typed(argument)))
            return false;
        is_any |= argument->has_size || argument->form == TP_COST_LIST;
    }
    return is_any;
}

bool tp_cost_read_arguments(struct tp_cost_arguments *a, const struct tp_op_call *call, const struct tp_cost_hint *hint)
{
    struct tp_str item;
    size_t at = 0;
    a->count = 0;
    a->hint = hint;
    a->concrete = call->concrete;
    while (tp_value_next(call->dims, &at, NULL, &item)) {
        if (a->count == TP_COST_ARGUMENTS)
            return false;
        struct tp_cost_argument *argument = &a->items[a->count++];
        *argument = (struct tp_cost_argument){.size = 4};
        if (!read_shape(argument, item))
            return false;
    }
    at = 0;
    for (unsigned i = 0; tp_value_next(call->types, &at, NULL, &item); i++) {
        struct tp_cost_argument more = {.size = 4};
        read_type(i < a->count ? &a->items[i] : &more, item);
    }
    a->is_typed = is_typed(a);
    return true;
}

/* ---- tensors ---- */

static const struct tp_cost_argument *argument_at(const struct tp_cost_arguments *a, int i)
{
    return i >= 0 && (unsigned)i < a->count ? &a->items[i] : NULL;
}

const struct tp_shape *tp_cost_tensor_shape(const struct tp_cost_arguments *a, int i)
{
    const struct tp_cost_argument *argument = argument_at(a, i);
    return argument && argument->form == TP_COST_TENSOR ? &argument->shape : NULL;
}

int64_t tp_cost_element_bytes(const struct tp_cost_arguments *a, int i)
{
    const struct tp_cost_argument *argument = argument_at(a, i);
    return argument ? argument->size : 4;
}

int64_t tp_cost_tensor_bytes(const struct tp_cost_arguments *a, int i)
{
    const struct tp_shape *shape = tp_cost_tensor_shape(a, i);
    return shape ? tp_sat_mul(tp_shape_product(shape), tp_cost_element_bytes(a, i)) : 0;
}

enum tp_number_type tp_cost_number_type(const struct tp_cost_arguments *a, int i)
{
    const struct tp_cost_argument *argument = argument_at(a, i);
    return argument ? argument->type : TP_NUMBER_OTHER;
}

int64_t tp_cost_list_bytes(const struct tp_cost_arguments *a, unsigned i)
{
    const struct tp_cost_argument *argument = argument_at(a, (int)i);
    if (!argument || argument->form != TP_COST_LIST)
        return 0;
    struct tp_str shape, type = argument->types, next;
    size_t at = 0, type_at = 0;
    bool has_types = tp_value_starts_with(argument->types, '[');
    int64_t bytes = 0;
    while (tp_value_next(argument->shapes, &at, NULL, &shape)) {
        /* if the list of types is too short, the remaining tensors have no type */
        if (has_types)
            type = tp_value_next(argument->types, &type_at, NULL, &next) ? next : (struct tp_str){"", 0};
        struct tp_cost_argument one = {.size = 4};
        if (read_shape(&one, shape) && one.form == TP_COST_TENSOR)
            bytes = tp_sat_add(bytes, tp_sat_mul(tp_shape_product(&one.shape), element_size_of_json(type)));
    }
    return bytes;
}

int64_t tp_cost_all_tensor_bytes(const struct tp_cost_arguments *a)
{
    int64_t bytes = 0;
    for (unsigned i = 0; i < a->count; i++)
        bytes = tp_sat_add(bytes, tp_sat_add(tp_cost_tensor_bytes(a, (int)i), tp_cost_list_bytes(a, i)));
    return bytes;
}

int64_t tp_cost_size_product(const struct tp_shape *shape, unsigned first)
{
    int64_t product = 1;
    for (unsigned i = first; i < shape->rank; i++)
        product = tp_sat_mul(product, shape->sizes[i]);
    return product;
}

bool tp_cost_broadcast(struct tp_shape *into, const struct tp_shape *with)
{
    struct tp_shape old = *into;
    unsigned rank = old.rank > with->rank ? old.rank : with->rank;
    if (rank > TP_SHAPE_MAX_RANK)
        return false;
    into->rank = rank;
    for (unsigned i = 0; i < rank; i++) {
        int64_t x = i + old.rank < rank ? 1 : old.sizes[i + old.rank - rank];
        int64_t y = i + with->rank < rank ? 1 : with->sizes[i + with->rank - rank];
        into->sizes[i] = x == 1 ? y : x;
    }
    return true;
}

/* ---- concrete values ---- */

/* Returns the text of a value without its quotes. Returns an empty text if the value is missing. */
static struct tp_str concrete_value(const struct tp_cost_arguments *a, int i)
{
    struct tp_str item = i < 0 ? (struct tp_str){"", 0} : tp_shape_item(a->concrete, (unsigned)i);
    if (item.len < 2 || item.ptr[0] != '"')
        return (struct tp_str){"", 0};
    return (struct tp_str){item.ptr + 1, item.len - 2};
}

struct tp_shape tp_cost_integer_list(const struct tp_cost_arguments *a, int i)
{
    struct tp_shape none = {.rank = 0};
    struct tp_shape numbers =
        i >= 0 && tp_value_starts_with(concrete_value(a, i), '[') ? tp_shape_argument(a->concrete, (unsigned)i) : none;
    return numbers.is_known && numbers.rank ? numbers : none;
}

bool tp_cost_is_true(const struct tp_cost_arguments *a, int i)
{
    struct tp_str text = concrete_value(a, i);
    return tp_value_starts_with(text, '[') ? !tp_str_equal(text, TP_STR("[]")) : tp_cost_integer(a, i, 0) != 0;
}

int64_t tp_cost_integer(const struct tp_cost_arguments *a, int i, int64_t absent)
{
    struct tp_str text = concrete_value(a, i);
    if (tp_str_equal(text, TP_STR("True")))
        return 1;
    if (tp_str_equal(text, TP_STR("False")))
        return 0;
    int64_t value = text.len && !tp_value_starts_with(text, '[') ? tp_value_int(text) : TP_NULL_INT;
    return value == TP_NULL_INT ? absent : value;
}

bool tp_cost_is_text_true(const struct tp_cost_arguments *a, unsigned i)
{
    return tp_str_equal(concrete_value(a, (int)i), TP_STR("True"));
}

bool tp_cost_read_mask(const struct tp_cost_arguments *a, int i, bool mask[2])
{
    struct tp_str text = concrete_value(a, i);
    unsigned count = 0;
    if (!tp_value_starts_with(text, '['))
        return false;
    for (size_t at = 1; at < text.len && text.ptr[at] != ']'; count++) {
        at += strspn(text.ptr + at, ", ");
        if (count < 2)
            mask[count] = text.ptr[at] == 'T' || text.ptr[at] == 't' || text.ptr[at] == '1';
        while (at < text.len && text.ptr[at] != ',' && text.ptr[at] != ']')
            at++;
    }
    return count >= 2;
}

bool tp_cost_set(struct tp_cost *cost, int64_t flops, int64_t bytes, enum tp_number_type type)
{
    if (flops < 0 || bytes < 0)
        return false; /* arguments are impossible, for example a convolution window that is larger than the input */
    *cost = (struct tp_cost){.flops = flops, .flops_without_masked = flops, .bytes = bytes, .type = type};
    return true;
}
