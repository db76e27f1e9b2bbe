/* Builders that the sections share. */
#include "webreport/document/section.h"

void tp_section_add_fact(struct tp_list *list, const char *term, const char *fact)
{
    struct tp_object *object;

    if (!fact)
        return;
    object = tp_list_object(list);
    tp_object_text(object, "term", term);
    tp_object_text(object, "fact", fact);
}

void tp_section_add_table(struct tp_list *list, struct tp_shown_table *shown)
{
    tp_list_add(list, tp_shown_table_data(shown));
}

void tp_section_name_rows(const struct tp_naming *naming, struct tp_shown_table *shown, unsigned text_column)
{
    const struct tp_str *texts = tp_table_text(shown->table, text_column);

    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_shown_row *row = &shown->rows[i];
        struct tp_str text = texts[i].len ? texts[i] : TP_STR("(none)"), prefix = tp_name_prefix(text);

        row->href = tp_source_link(naming, text);
        row->prefix = prefix;
        row->name = tp_shown_text(naming, (struct tp_str){text.ptr + prefix.len, text.len - prefix.len});
    }
    shown->name_definition = shown->table->defs[text_column].definition;
}

const char *tp_section_device_name(struct tp_arena *arena, bool is_gpu, int64_t id)
{
    if (!is_gpu)
        return "CPU";
    return id >= 0 ? tp_text_printf(arena, "GPU %lld", (long long)id) : "GPU";
}
