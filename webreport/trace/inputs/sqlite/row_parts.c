/* Implements row_parts.h. */
#include "webreport/trace/inputs/sqlite/row_parts.h"

#include "webreport/trace/inputs/sqlite/range_text.h"
#include "writer/base/limits.h"

void tp_row_texts_init(struct tp_row_texts *texts, struct tp_arena *arena)
{
    tp_id_map_init(&texts->index, arena);
    texts->texts = TP_VEC(arena, struct tp_str);
}

void tp_row_texts_add(struct tp_row_texts *texts, int64_t id, struct tp_str text)
{
    *tp_id_map_find_or_add(&texts->index, (uint64_t)id) = (uint32_t)texts->texts.count;
    *(struct tp_str *)tp_vec_push(&texts->texts) =
        (struct tp_str){tp_arena_copy(texts->texts.arena, text.ptr ? text.ptr : "", text.len), text.len};
}

struct tp_str tp_row_texts_get(const struct tp_row_texts *texts, int64_t id)
{
    uint32_t index = tp_id_map_get(&texts->index, (uint64_t)id);
    return index == TP_NO_ID ? TP_STR("") : *TP_AT(&texts->texts, struct tp_str, index);
}

bool tp_row_read_span(const struct tp_database_row *row, unsigned start, unsigned end, int64_t span_ns[2])
{
    return tp_database_int(row, start, &span_ns[0]) && tp_database_int(row, end, &span_ns[1]) &&
           span_ns[0] <= span_ns[1] && span_ns[0] >= -TP_MAX_TIME_NS && span_ns[1] <= TP_MAX_TIME_NS;
}

bool tp_row_add_marker(struct tp_row_events *events, struct tp_str text, uint32_t thread, const int64_t span_ns[2])
{
    struct tp_range_text decoded = tp_range_text_decode(text);
    struct tp_row_range range = {.thread = thread,
                                 .start_ns = span_ns[0],
                                 .end_ns = span_ns[1],
                                 .external_id = TP_NULL_INT,
                                 .sequence = TP_NULL_INT,
                                 .dims = TP_NO_ID,
                                 .domain = TP_STR("")};
    range.name = tp_row_events_name(events, decoded.name);
    if (!decoded.is_operator) {
        tp_row_events_add_range(events, &range);
        return false;
    }
    range.external_id = decoded.external_id;
    range.sequence = decoded.sequence;
    if (decoded.dims.ptr && tp_range_text_are_dims_valid(decoded.dims))
        range.dims = tp_row_events_value(events, decoded.dims);
    tp_row_events_add_operator(events, &range);
    return true;
}

struct tp_row_device tp_row_start_operation(enum tp_row_cat cat, const int64_t span_ns[2])
{
    return (struct tp_row_device){.cat = cat,
                                  .start_ns = span_ns[0],
                                  .end_ns = span_ns[1],
                                  .graph_id = TP_NULL_INT,
                                  .bytes = TP_NULL_INT,
                                  .grid = {TP_NULL_INT},
                                  .block = {TP_NULL_INT},
                                  .registers = TP_NULL_INT,
                                  .shared_memory = TP_NULL_INT};
}

uint32_t tp_row_copy_name(struct tp_row_events *events, const char *direction)
{
    const struct tp_str device = TP_STR("Device"), unknown = TP_STR("Unknown");
    if (!direction)
        return tp_row_events_name(events, TP_STR("Memcpy"));
    bool is_from_device = direction[0] == 'D' || direction[0] == 'P';
    bool is_to_device = direction[3] == 'D' || direction[3] == 'P';
    tp_buf_clear(&events->text);
    tp_row_events_write_copy_name(&events->text, direction, is_from_device ? device : unknown,
                                  is_to_device ? device : unknown);
    return tp_row_events_buffer_name(events);
}

int64_t tp_row_blocks(int64_t items, int64_t group_items)
{
    int64_t size = group_items > 1 ? group_items : 1;
    return items <= 0 ? items / size : (items - 1) / size + 1;
}
