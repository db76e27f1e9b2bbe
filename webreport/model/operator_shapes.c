/* Reads shapes and types of operator arguments: see operator_shapes.h. */
#include "webreport/model/operator_shapes.h"

#include <string.h>

#include "webreport/trace/json/value.h"
#include "writer/base/saturate.h"
#include "writer/base/table.h"

struct tp_shape tp_shape_parse(struct tp_str json)
{
    struct tp_shape shape = {.is_known = tp_value_starts_with(json, '[')};
    struct tp_str item;
    for (size_t at = 0; shape.is_known && tp_value_next(json, &at, NULL, &item);) {
        int64_t size = tp_value_starts_with(item, '[') ? TP_NULL_INT : tp_value_int(item);
        if (size == TP_NULL_INT || shape.rank == TP_SHAPE_MAX_RANK)
            shape.is_known = false;
        else
            shape.sizes[shape.rank++] = size;
    }
    return shape;
}

struct tp_str tp_shape_item(struct tp_str json, unsigned index)
{
    struct tp_str item;
    size_t at = 0;
    for (unsigned i = 0; tp_value_next(json, &at, NULL, &item); i++)
        if (i == index)
            return item;
    return (struct tp_str){"", 0};
}

struct tp_shape tp_shape_input(struct tp_str dims, unsigned index)
{
    return tp_shape_parse(tp_shape_item(dims, index));
}

struct tp_shape tp_shape_argument(struct tp_str concrete, unsigned index)
{
    struct tp_str item = tp_shape_item(concrete, index);
    struct tp_shape shape = {.rank = 0};
    if (item.len < 2 || item.ptr[0] != '"')
        return shape;
    item = (struct tp_str){item.ptr + 1, item.len - 2};
    if (!tp_value_starts_with(item, '[')) {
        shape.sizes[0] = tp_value_int(item);
        shape.rank = 1;
        shape.is_known = shape.sizes[0] != TP_NULL_INT;
        return shape;
    }
    shape.is_known = true;
    /* the generic list reader is not used, because the text has blanks and is not compact JSON */
    for (size_t i = 1; i < item.len - 1;) {
        size_t end = i;
        while (end < item.len - 1 && item.ptr[end] != ',')
            end++;
        while (i < end && item.ptr[i] == ' ')
            i++;
        int64_t size = tp_value_int((struct tp_str){item.ptr + i, end - i});
        if (size == TP_NULL_INT || shape.rank == TP_SHAPE_MAX_RANK)
            return (struct tp_shape){.rank = 0};
        shape.sizes[shape.rank++] = size;
        i = end + 1;
    }
    return shape;
}

int64_t tp_shape_product(const struct tp_shape *shape)
{
    int64_t result = 1;
    for (unsigned i = 0; i < shape->rank; i++)
        result = tp_sat_mul(result, shape->sizes[i]);
    return result;
}

/* Returns x / y, rounded towards minus infinity. y: not 0. */
static int64_t floor_div(int64_t x, int64_t y)
{
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

int64_t tp_shape_window_count(int64_t in, int64_t kernel, int64_t pad, int64_t dilation, int64_t stride)
{
    int64_t reach = tp_sat_mul(dilation, tp_sat_sub(kernel, 1));
    int64_t room = tp_sat_sub(tp_sat_sub(tp_sat_add(in, tp_sat_mul(2, pad)), reach), 1);
    return tp_sat_add(floor_div(room, stride), 1);
}

int tp_element_size(struct tp_str type)
{
    static const struct {
        const char *name;
        int size;
    } sizes[] = {{"long int", 8},
                 {"long", 8},
                 {"unsigned long", 8},
                 {"double", 8},
                 {"float", 4},
                 {"int", 4},
                 {"unsigned int", 4},
                 {"short", 2},
                 {"short int", 2},
                 {"unsigned short", 2},
                 {"char", 1},
                 {"signed char", 1},
                 {"unsigned char", 1},
                 {"bool", 1},
                 {"c10::half", 2},
                 {"c10::bfloat16", 2},
                 {"c10::complex<float>", 8},
                 {"c10::complex<double>", 16},
                 {"c10::complex<c10::half>", 4},
                 {"half", 2},
                 {"bfloat16", 2},
                 {"byte", 1},
                 {"complexfloat", 8},
                 {"complexdouble", 16},
                 {"complexhalf", 4},
                 {"uint16", 2},
                 {"uint32", 4},
                 {"uint64", 8},
                 {"qint8", 1},
                 {"quint8", 1},
                 {"qint32", 4}};
    if (tp_str_find_ignore_case(type, "float8") >= 0 || tp_str_find_ignore_case(type, "float4") >= 0)
        return 1;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (type.len == strlen(sizes[i].name) && tp_str_find_ignore_case(type, sizes[i].name) == 0)
            return sizes[i].size;
    return 0;
}
