/* Collects the outputs of `tracepress whatif`. See what_if_outputs.h. */
#include "webreport/print/what_if_outputs.h"

#include "webreport/print/print.h"

static void begin(struct tp_what_if_outputs *o, bool is_list)
{
    tp_buf_init(&o->text, 0);
    tp_buf_init(&o->json, 0);
    tp_json_init(&o->writer, &o->json);
    o->is_list = is_list;
    if (!is_list)
        return;
    tp_json_object(&o->writer);
    tp_json_member_text(&o->writer, "schema", "tracepress-whatif");
    tp_json_member_int(&o->writer, "schema_version", 1);
    tp_json_key(&o->writer, "profiles");
    tp_json_array(&o->writer);
}

int tp_what_if_outputs_add(void *outputs, const struct tp_what_if_profile *profile, struct tp_arena *arena,
                           struct tp_error *err)
{
    struct tp_what_if_outputs *o = outputs;
    struct tp_document document;
    struct tp_print_options options = {0};
    if (!o->count++)
        begin(o, profile->is_one_of_many);
    tp_what_if_document(&document, profile, arena);
    int code = tp_print_text(&o->text, &document, &options, err);
    tp_what_if_profile_json(profile, arena, &o->writer);
    if (code == TP_OK && (o->text.failed || o->json.failed))
        code = tp_error_set(err, o->text.failed ? o->text.failed : o->json.failed, 0, "out of memory");
    return code;
}

void tp_what_if_outputs_finish(struct tp_what_if_outputs *o)
{
    if (o->count && o->is_list) {
        tp_json_array_end(&o->writer);
        tp_json_object_end(&o->writer);
    }
    if (o->count)
        tp_buf_putc(&o->json, '\n');
}

void tp_what_if_outputs_release(struct tp_what_if_outputs *o)
{
    tp_buf_release(&o->text);
    tp_buf_release(&o->json);
}
