/* Builders that the sections share. */
#include "webreport/document/section.h"

#include <stdio.h>

#include "webreport/document/kernel_name.h"
#include "writer/base/sort.h"
#include "writer/base/utf8.h"

void tp_section_init(struct tp_section *section, struct tp_arena *arena, const struct tp_profile *profile,
                     const struct tp_section_options *options)
{
    *section =
        (struct tp_section){.arena = arena,
                            .profile = profile,
                            .naming = {.arena = arena, .redact = options->redact, .source_url = options->source_url},
                            .is_one_of_many = options->is_one_of_many};
    if (options->redact)
        section->naming.host = tp_worker_host(profile->worker);
    struct tp_str name = section->is_one_of_many || !profile->run.len ? profile->worker : profile->run;
    name = tp_shown_text(&section->naming, profile->beside.len ? profile->beside : name);
    if (!name.len)
        name = tp_shown_text(&section->naming, profile->file);
    section->title = profile->beside.len
                         ? tp_text_printf(arena, "%.*s, beside PyTorch's trace", (int)name.len, name.ptr)
                     : section->is_one_of_many && profile->span != TP_NULL_INT
                         ? tp_text_printf(arena, "%.*s, span %lld", (int)name.len, name.ptr, (long long)profile->span)
                         : tp_text_printf(arena, "%.*s", (int)name.len, name.ptr);
}

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

/* ---- rows whose shown names are equal ---- */

enum { HEAD_BYTES = 60, BEFORE_BYTES = 8, TAIL_BYTES = 72 };

struct apart {
    const struct tp_shown_row *rows;
    const struct tp_str *texts; /* the full names, by row */
    const uint32_t *groups;     /* rows of different groups may have one name; NULL: all are of one */
};

static bool is_same_name(const struct apart *apart, uint32_t x, uint32_t y)
{
    const struct tp_shown_row *a = &apart->rows[x], *b = &apart->rows[y];
    return tp_str_equal(a->name, b->name) && tp_str_equal(a->prefix, b->prefix) &&
           (!apart->groups || apart->groups[x] == apart->groups[y]);
}

static int by_shown_name(const void *context, uint32_t x, uint32_t y)
{
    const struct apart *apart = context;
    int order = apart->groups ? (apart->groups[x] > apart->groups[y]) - (apart->groups[x] < apart->groups[y]) : 0;
    order = order ? order : tp_str_compare(apart->rows[x].prefix, apart->rows[y].prefix);
    order = order ? order : tp_str_compare(apart->rows[x].name, apart->rows[y].name);
    order = order ? order : tp_str_compare(apart->texts[x], apart->texts[y]);
    return order ? order : (x > y) - (x < y);
}

static size_t common_bytes(struct tp_str a, struct tp_str b)
{
    size_t size = a.len < b.len ? a.len : b.len, i = 0;
    while (i < size && a.ptr[i] == b.ptr[i])
        i++;
    return i;
}

/* The begin of a name, and it from where it differs from others: "Cijk_Alik_…_WG32_8_1". */
static struct tp_str around(const struct tp_naming *naming, struct tp_str shown, struct tp_str text, size_t differs)
{
    size_t from = differs > BEFORE_BYTES ? differs - BEFORE_BYTES : 0;
    from = tp_utf8_cut(text.ptr, text.len, from);
    struct tp_str tail = {text.ptr + from, text.len - from};
    shown.len = tp_utf8_cut(shown.ptr, shown.len, HEAD_BYTES);
    tail = tp_shown_text(naming, tp_text_cut(naming->arena, tail, TAIL_BYTES));
    return tp_str_of(
        tp_text_printf(naming->arena, "%.*s\xe2\x80\xa6%.*s", (int)shown.len, shown.ptr, (int)tail.len, tail.ptr));
}

/* Rows of one name, their full names in order: of all others, the neighbours have most in common with a name. */
static void tell_group_apart(const struct tp_naming *naming, struct tp_shown_row *rows, const struct tp_str *texts,
                             const uint32_t *order, uint32_t count)
{
    size_t before = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        struct tp_str text = texts[order[i]];
        for (end = i + 1; end < count && tp_str_equal(text, texts[order[end]]); end++)
            continue;
        size_t after = end < count ? common_bytes(text, texts[order[end]]) : 0;
        for (uint32_t k = i; k < end && end - i < count; k++)
            rows[order[k]].name = around(naming, rows[order[k]].name, text, before > after ? before : after);
        before = after;
    }
}

void tp_section_tell_apart(const struct tp_naming *naming, struct tp_shown_row *rows, const struct tp_str *names,
                           const uint32_t *groups, size_t row_count)
{
    uint32_t count = (uint32_t)row_count, *order = tp_arena_array(naming->arena, count, sizeof *order);
    struct tp_str *texts = tp_arena_array(naming->arena, count, sizeof *texts);
    struct apart apart = {rows, texts, groups};
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        texts[i] = tp_kernel_plain_name(naming->arena, names[i]);
    }
    tp_sort_rows(order, count, by_shown_name, &apart, naming->arena);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_same_name(&apart, order[i], order[end]); end++)
            continue;
        if (end - i > 1)
            tell_group_apart(naming, rows, texts, order + i, end - i);
    }
}

/* What has the name of a row before it gets a number: of long names, one window may show nothing that differs. */
static void number_rows(const struct tp_naming *naming, struct tp_shown_table *shown)
{
    struct tp_strings seen;
    tp_strings_init(&seen, naming->arena, UINT64_MAX);
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_str prefix = shown->rows[i].prefix, name = shown->rows[i].name;
        char *whole = tp_arena_alloc(naming->arena, prefix.len + name.len + 16);
        memcpy(whole, prefix.ptr ? prefix.ptr : "", prefix.len);
        memcpy(whole + prefix.len, name.ptr, name.len);
        struct tp_str text = {whole, prefix.len + name.len};
        for (unsigned number = 2; tp_strings_find(&seen, text) != TP_NO_ID; number++)
            text.len = prefix.len + name.len + (size_t)snprintf(whole + prefix.len + name.len, 16, " (%u)", number);
        tp_strings_add(&seen, text);
        shown->rows[i].name = (struct tp_str){whole + prefix.len, text.len - prefix.len};
    }
}

void tp_section_tell_rows_apart(const struct tp_naming *naming, struct tp_shown_table *shown, unsigned text_column)
{
    tp_section_tell_apart(naming, shown->rows, tp_table_text(shown->table, text_column), NULL, shown->row_count);
    number_rows(naming, shown);
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

const char *tp_section_device_name(const struct tp_section *section, int64_t id)
{
    struct tp_str title = tp_device_title(section->profile->model, id, section->arena);
    if (id < 0)
        return "GPU";
    title = tp_shown_text(&section->naming, title);
    return tp_text_printf(section->arena, "%.*s", (int)title.len, title.ptr);
}

struct tp_shown_table *tp_section_table_new(const struct tp_section *section, const struct tp_table *table,
                                            const struct tp_shown_column *columns, unsigned column_count,
                                            size_t max_rows)
{
    struct tp_shown_table *shown = tp_shown_table_new(section->arena, table, columns, column_count, max_rows);
    shown->speech = tp_speech_of(section->profile->model);
    return shown;
}

const char *tp_section_word(const struct tp_section *section, const char *text)
{
    return tp_spoken(tp_speech_of(section->profile->model), text, section->arena);
}
