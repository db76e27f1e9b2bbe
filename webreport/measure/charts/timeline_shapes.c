/* Packs the shapes of the timeline's slices. Each text of shapes is stored once; a host slice has the number of its
 * text. Implements a part of timeline_pack.h. */
#include "webreport/measure/charts/timeline_pack.h"

#include "webreport/trace/json/value.h"

enum { MOST_TEXT_BYTES = 300 };

bool tp_pack_shapes_init(struct tp_pack *pack)
{
    const struct tp_trace *trace = pack->timeline->model->trace;
    bool is_any = false;
    for (uint32_t i = 0; i < trace->host_count && !is_any; i++)
        is_any = trace->hosts[i].dims != TP_NO_ID;
    if (is_any)
        pack->number_by_shape = tp_arena_array(pack->arena, (size_t)trace->values.count + 1, sizeof(uint32_t));
    return is_any;
}

void tp_pack_shapes_start(struct tp_pack *pack)
{
    memset(pack->number_by_shape, 0, ((size_t)pack->timeline->model->trace->values.count + 1) * sizeof(uint32_t));
    pack->shape_count = 0;
}

/* Returns the number that a shapes text has in the data. A new text gets the next number. Returns 0 if the text is
 * empty or too long, or if there is no space. */
static uint32_t number_text(struct tp_pack *pack, uint32_t id)
{
    if (id == TP_NO_ID || pack->number_by_shape[id])
        return id == TP_NO_ID ? 0 : pack->number_by_shape[id];
    struct tp_str text = tp_value_python_text(pack->arena, tp_strings_get(&pack->timeline->model->trace->values, id));
    if (pack->options->show_shapes)
        text = pack->options->show_shapes(pack->options->context, text);
    if (text.len < 3 || text.len > MOST_TEXT_BYTES ||
        pack->sections[TP_PACK_SHAPE_BYTES].size + text.len > pack->max_name_bytes)
        return 0;
    tp_pack_add_text(pack, TP_PACK_SHAPE_SIZES, TP_PACK_SHAPE_BYTES, text);
    return pack->number_by_shape[id] = ++pack->shape_count;
}

void tp_pack_add_shape(struct tp_pack *pack, const struct tp_event *event)
{
    const struct tp_trace *trace = pack->timeline->model->trace;
    uint32_t dims = event->kind == TP_KIND_OPERATOR ? trace->hosts[event->detail].dims : TP_NO_ID;
    tp_pack_add_number(&pack->sections[TP_PACK_SHAPE], number_text(pack, dims));
}
