/* Prints the record of a document as JSON. See print.h. */
#include "webreport/print/print.h"

#include <math.h>

static void put_value(struct tp_json *json, const struct tp_data *value);

static double data_real(const struct tp_data *value)
{
    double real;
    memcpy(&real, &value->number, sizeof real);
    return isfinite(real) ? real : NAN; /* NaN, which JSON writes as null, also replaces infinity */
}

void tp_json_write_object(struct tp_json *json, const struct tp_object *record)
{
    tp_json_object(json);
    for (size_t i = 0; i < record->members.count; i++) {
        const struct tp_member *member = TP_AT(&record->members, struct tp_member, i);
        tp_json_key_str(json, member->name);
        put_value(json, &member->value);
    }
    tp_json_object_end(json);
}

static void put_list(struct tp_json *json, const struct tp_list *list)
{
    tp_json_array(json);
    for (size_t i = 0; i < list->items.count; i++)
        put_value(json, TP_AT(&list->items, struct tp_data, i));
    tp_json_array_end(json);
}

/* Writes a value. The recursion is bounded, because objects and lists in records have few levels. */
static void put_value(struct tp_json *json, const struct tp_data *value)
{
    switch (value->kind) {
    case TP_DATA_NONE:
    case TP_DATA_PRINTED:
        tp_json_null(json);
        break;
    case TP_DATA_TEXT:
        tp_json_str(json, (struct tp_str){value->self, (size_t)value->number});
        break;
    case TP_DATA_INT:
        tp_json_int(json, value->number);
        break;
    case TP_DATA_BOOL:
        tp_json_bool(json, value->number != 0);
        break;
    case TP_DATA_REAL:
        tp_json_real(json, data_real(value));
        break;
    case TP_DATA_NS:
        tp_json_us(json, value->number);
        break;
    case TP_DATA_TABLE:
        tp_table_json(value->self, json);
        break;
    case TP_DATA_WRITTEN:
        value->source->write(value, json);
        break;
    case TP_DATA_LIST:
        put_list(json, value->self);
        break;
    case TP_DATA_OBJECT:
        tp_json_write_object(json, value->self);
        break;
    }
}

int tp_print_json(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                  struct tp_error *err)
{
    struct tp_json json;
    (void)options;
    (void)err;
    tp_json_init(&json, out);
    if (document->written_record.kind == TP_DATA_WRITTEN)
        put_value(&json, &document->written_record);
    else
        tp_json_write_object(&json, document->record);
    tp_buf_putc(out, '\n');
    return TP_OK;
}
