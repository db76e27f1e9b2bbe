/* Collects the outputs of `tracepress whatif`. See what_if_outputs.h. */
#include "webreport/print/what_if_outputs.h"

#include "webreport/print/print.h"

static void begin(struct tp_what_if_outputs *o, bool is_list)
{
    tp_buf_init(&o->text, 0);
    tp_buf_init(&o->json, 0);
    tp_buf_init(&o->joined_text, 0);
    tp_buf_init(&o->joined_json, 0);
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

/* Adds the JSON object of joined ranks to the list of such objects. */
static void add_joined_json(struct tp_what_if_outputs *o, const struct tp_what_if_profile *profile,
                            struct tp_arena *arena)
{
    struct tp_json writer;
    if (o->joined_count++)
        tp_buf_putc(&o->joined_json, ',');
    tp_json_init(&writer, &o->joined_json);
    tp_what_if_profile_json(profile, arena, &writer);
}

int tp_what_if_outputs_add(void *outputs, const struct tp_what_if_profile *profile, struct tp_arena *arena,
                           struct tp_error *err)
{
    struct tp_what_if_outputs *o = outputs;
    struct tp_document document;
    struct tp_print_options options = {0};
    bool is_joined = profile->rank_count > 0;
    struct tp_buf *text = is_joined ? &o->joined_text : &o->text, *json = is_joined ? &o->joined_json : &o->json;
    if (!o->count++)
        begin(o, profile->is_one_of_many);
    tp_what_if_document(&document, profile, arena);
    int code = tp_print_text(text, &document, &options, err);
    if (is_joined)
        add_joined_json(o, profile, arena);
    else
        tp_what_if_profile_json(profile, arena, &o->writer);
    o->shows_profiles |= is_joined && profile->view->withheld;
    if (code == TP_OK && (text->failed || json->failed))
        code = tp_error_set(err, text->failed ? text->failed : json->failed, 0, "out of memory");
    return code;
}

/* Completes the list of profiles. One joined answer adds its members to the object; several answers are a list "jobs".
 */
static void finish_list(struct tp_what_if_outputs *o)
{
    struct tp_buf *objects = &o->joined_json;
    tp_json_array_end(&o->writer);
    if (o->joined_count > 1) {
        tp_buf_puts(&o->json, ",\"jobs\":[");
        tp_buf_add(&o->json, objects->data, objects->size);
        tp_buf_putc(&o->json, ']');
    } else if (o->joined_count && objects->size > 2) { /* the members without the braces of the object */
        tp_buf_putc(&o->json, ',');
        tp_buf_add(&o->json, objects->data + 1, objects->size - 2);
    }
    tp_json_object_end(&o->writer);
}

void tp_what_if_outputs_finish(struct tp_what_if_outputs *o)
{
    if (o->count && o->is_list)
        finish_list(o);
    if (o->joined_count) { /* the answers for joined ranks come first */
        if (o->shows_profiles) {
            tp_buf_putc(&o->joined_text, '\n');
            tp_buf_add(&o->joined_text, o->text.data, o->text.size);
        }
        tp_buf_release(&o->text);
        o->text = o->joined_text;
        tp_buf_init(&o->joined_text, 0);
    }
    if (o->count)
        tp_buf_putc(&o->json, '\n');
}

void tp_what_if_outputs_release(struct tp_what_if_outputs *o)
{
    tp_buf_release(&o->text);
    tp_buf_release(&o->json);
    tp_buf_release(&o->joined_text);
    tp_buf_release(&o->joined_json);
}
