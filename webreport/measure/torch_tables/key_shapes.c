/* Makes the texts of input shapes, each distinct text once. See key_shapes.h. */
#include "webreport/measure/torch_tables/key_shapes.h"

#include "webreport/trace/json/value.h"

void tp_key_shapes_init(struct tp_key_shapes *shapes, struct tp_arena *arena)
{
    memset(shapes, 0, sizeof *shapes);
    shapes->arena = arena;
    tp_strings_init(&shapes->texts, arena, 0);
    tp_keys_init(&shapes->pairs, arena, 2);
    shapes->text_of = TP_VEC(arena, uint32_t);
    tp_strings_add(&shapes->texts, TP_STR("[]"));
}

static bool has_lists(struct tp_str types)
{
    return tp_str_find(types, "\"TensorList\"") >= 0;
}

/* Returns `dims` with [] in place of every list of tensors. */
static struct tp_str remove_list_shapes(struct tp_arena *arena, struct tp_str dims, struct tp_str types)
{
    char *out = tp_arena_alloc(arena, dims.len + 1);
    size_t n = 0, at = 0, type_at = 0;
    struct tp_str item, type;
    out[n++] = '[';
    while (tp_value_next(dims, &at, NULL, &item)) {
        bool is_list = tp_value_next(types, &type_at, NULL, &type) && tp_str_equal(type, TP_STR("\"TensorList\""));
        if (is_list && item.len >= 2)
            item = TP_STR("[]");
        if (n > 1)
            out[n++] = ',';
        memcpy(out + n, item.ptr, item.len);
        n += item.len;
    }
    out[n++] = ']';
    return (struct tp_str){out, n};
}

static uint32_t make_text(struct tp_key_shapes *shapes, struct tp_str dims, struct tp_str types)
{
    if (tp_value_starts_with(dims, '[') && has_lists(types))
        dims = remove_list_shapes(shapes->arena, dims, types);
    return tp_strings_add(&shapes->texts, tp_value_shape_text(shapes->arena, dims));
}

uint32_t tp_key_shape_id(struct tp_key_shapes *shapes, const struct tp_torch *torch, uint32_t item)
{
    const struct tp_trace *trace = torch->trace;
    const struct tp_host_detail *host = tp_torch_detail(torch, item);
    if (!host || host->dims == TP_NO_ID)
        return 0;
    uint32_t pair = tp_keys_pair(&shapes->pairs, host->dims, host->types);
    if (pair == shapes->text_of.count) {
        uint32_t text =
            make_text(shapes, tp_strings_get(&trace->values, host->dims), tp_strings_get(&trace->values, host->types));
        *(uint32_t *)tp_vec_push(&shapes->text_of) = text;
    }
    return *TP_AT(&shapes->text_of, uint32_t, pair);
}
