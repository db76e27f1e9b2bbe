/* Writes the details of the timeline's graph kernels: operator, shapes, module and line of the captured call.
 * Implements a part of timeline_pack.h. */
#include "webreport/measure/charts/timeline_pack.h"

#include "webreport/model/device_origin.h"
#include "webreport/trace/json/value.h"
#include "writer/text/format.h"

void tp_pack_captured_init(struct tp_pack *pack)
{
    const struct tp_joined *joined = pack->timeline->model->joined;
    pack->has_captured = joined && joined->row_count;
    if (pack->has_captured)
        pack->number_by_captured = TP_VEC(pack->arena, uint32_t);
}

void tp_pack_captured_start(struct tp_pack *pack)
{
    if (!pack->has_captured)
        return;
    if (pack->captured.width)
        tp_keys_release(&pack->captured);
    tp_keys_init(&pack->captured, pack->arena, TP_PACK_CAPTURED_KEY);
    pack->number_by_captured.count = 0;
}

/* Fills the key of a joined operation. Operations with equal keys have the same details. own_text: id of the text of
 * the operation's own arguments; TP_NO_ID without one. */
static void fill_key(const struct tp_model *model, const struct tp_joined_row *row, uint32_t own_text, uint32_t *key)
{
    const struct tp_trace *trace = model->trace;
    const struct tp_event *op = row->op == TP_NO_ID ? NULL : tp_operator_work_event(model, row->op);
    key[0] = op ? op->name : TP_NO_ID;
    key[1] = op && row->has_shapes ? trace->hosts[op->detail].dims : TP_NO_ID;
    key[2] = row->module == TP_NO_ID ? TP_NO_ID : trace->events[model->modules.event[row->module]].name;
    key[3] = row->line;
    key[4] = row->one_of << 1 | row->is_bare_module;
    key[5] = own_text;
}

static const char *add_line(struct tp_pack *pack, const char *text, const char *label, struct tp_str value)
{
    return value.len ? tp_text_printf(pack->arena, "%s\n%s: %.*s", text, label, (int)value.len, value.ptr) : text;
}

/* Returns the details of a joined operation as lines "word: value", below a line that names the source of the data. */
static struct tp_str make_text(struct tp_pack *pack, uint32_t device, struct tp_str own_text)
{
    const struct tp_timeline_options *options = pack->options;
    const struct tp_model *model = pack->timeline->model;
    struct tp_device_origin origin = tp_device_origin(model, device, pack->arena);
    const struct tp_event *op = origin.op == TP_NO_ID ? NULL : tp_operator_work_event(model, origin.op);
    struct tp_str shapes = origin.dims;
    const char *text = TP_FROM_CAPTURE;
    if (shapes.len)
        shapes = tp_value_python_text(pack->arena, shapes);
    if (shapes.len && options->show_shapes)
        shapes = options->show_shapes(options->context, shapes);
    if (op)
        text = add_line(pack, text, "operator", tp_trace_event_name(model->trace, op));
    text = add_line(pack, text, "shapes", shapes);
    text = add_line(pack, text, "module", origin.module);
    text = add_line(pack, text, "line", origin.line);
    if (origin.captured->one_of > 1)
        text = tp_text_printf(pack->arena, "%s\none of %u captured calls", text, origin.captured->one_of);
    if (own_text.len)
        text = tp_text_printf(pack->arena, "%s\n%.*s", text, (int)own_text.len, own_text.ptr);
    return tp_str_of(text);
}

uint32_t tp_pack_captured_text(struct tp_pack *pack, uint32_t device, uint32_t own_text)
{
    const struct tp_model *model = pack->timeline->model;
    const struct tp_joined_row *row = pack->has_captured ? tp_joined_row_of(model, device) : NULL;
    uint32_t key[TP_PACK_CAPTURED_KEY];
    if (!row)
        return 0;
    fill_key(model, row, own_text, key);
    uint32_t id = tp_keys_add(&pack->captured, key);
    if (id == pack->number_by_captured.count) {
        struct tp_str own = own_text == TP_NO_ID ? TP_STR("") : tp_strings_get(&model->trace->argument_texts, own_text);
        *(uint32_t *)tp_vec_push(&pack->number_by_captured) =
            tp_pack_add_argument_text(pack, make_text(pack, device, own));
    }
    return *TP_AT(&pack->number_by_captured, uint32_t, id);
}
