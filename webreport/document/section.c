/* Defines functions that several sections use. See section.h. */
#include "webreport/document/section.h"

#include <stdio.h>
#include <string.h>

#include "webreport/document/name_text.h"
#include "webreport/document/table_page.h"
#include "webreport/document/words/argument_words.h"

static struct tp_str without_end(struct tp_str text, const char *end)
{
    size_t size = strlen(end);
    bool has_end = text.len > size && memcmp(text.ptr + text.len - size, end, size) == 0;
    return has_end ? (struct tp_str){text.ptr, text.len - size} : text;
}

/* Returns the name of a file without its suffixes and without a number after a dot, such as "resnet" for
 * "resnet.1623143089861.pt.trace.json.gz". */
static struct tp_str file_stem(struct tp_str file)
{
    static const char *const suffixes[] = {".gz", ".json", ".trace", ".pt"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        file = without_end(file, suffixes[i]);
    size_t size = file.len;
    while (size && tp_is_digit(file.ptr[size - 1]))
        size--;
    return size > 1 && size < file.len && file.ptr[size - 1] == '.' ? (struct tp_str){file.ptr, size - 1} : file;
}

/* Returns whether the name of a file says nothing about the run: worker0, rank-3, trace, or host_1234. is_by_handler:
 * the file has the suffixes of PyTorch's trace handler, which names a worker by host and process. */
static bool is_name_of_any_run(struct tp_str stem, bool is_by_handler)
{
    static const char *const names[] = {"worker", "rank", "trace", "profile", "pt"};
    size_t size = stem.len;
    while (size && tp_is_digit(stem.ptr[size - 1]))
        size--;
    bool has_number = size < stem.len;
    while (size && strchr("-_. ", stem.ptr[size - 1]))
        size--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tp_str_equal((struct tp_str){stem.ptr, size}, tp_str_of(names[i])))
            return true;
    return is_by_handler && has_number && size < stem.len && stem.ptr[size] == '_';
}

/* Returns the title of a page about one profile: the name of its file, or of its run. */
static struct tp_str title_of_only_profile(const struct tp_profile *profile)
{
    struct tp_str stem = file_stem(profile->file);
    /* the handler writes HOST_PROCESS.TIME.pt.trace.json */
    ptrdiff_t suffix = tp_str_find(profile->file, ".pt.trace.json");
    bool is_by_handler = suffix > (ptrdiff_t)stem.len;
    return profile->run.len && (!stem.len || is_name_of_any_run(stem, is_by_handler)) ? profile->run
           : stem.len                                                                 ? stem
                                                                                      : profile->worker;
}

void tp_section_init(struct tp_section *section, struct tp_arena *arena, const struct tp_profile *profile,
                     const struct tp_section_options *options)
{
    *section = (struct tp_section){.arena = arena,
                                   .profile = profile,
                                   .naming = {.arena = arena,
                                              .kernels = tp_shown_kernels_new(arena),
                                              .redact = options->redact,
                                              .source_url = options->source_url},
                                   .is_one_of_many = options->is_one_of_many};
    if (options->redact)
        section->naming.host = tp_worker_host(profile->worker);
    const struct tp_table *kernels = profile->views ? &profile->views->kernels.by_name : NULL;
    if (kernels && kernels->row_count)
        tp_shown_kernels_distinguish(&section->naming, tp_table_text(kernels, TP_KERNEL_NAME), kernels->row_count);
    struct tp_str name = section->is_one_of_many ? profile->worker : title_of_only_profile(profile);
    name = tp_shown_text(&section->naming, profile->main_worker.len ? profile->main_worker : name);
    if (!name.len)
        name = tp_shown_text(&section->naming, profile->file);
    section->title = profile->main_worker.len ? tp_text_printf(arena, "%.*s, recorded in addition to PyTorch's trace",
                                                               (int)name.len, name.ptr)
                     : profile->is_program    ? tp_text_printf(arena, "The program, %.*s", (int)name.len, name.ptr)
                     : section->is_one_of_many && profile->span != TP_NULL_INT
                         ? tp_text_printf(arena, "%.*s, span %lld", (int)name.len, name.ptr, (long long)profile->span)
                         : tp_text_printf(arena, "%.*s", (int)name.len, name.ptr);
}

void tp_list_add_fact(struct tp_list *list, const char *term, const char *fact)
{
    struct tp_object *object;

    if (!fact)
        return;
    object = tp_list_add_object(list);
    tp_object_add_text(object, "term", term);
    tp_object_add_text(object, "fact", fact);
}

void tp_list_add_shown_table(struct tp_list *list, struct tp_shown_table *shown)
{
    tp_list_add(list, tp_shown_table_data(shown));
}

/* Sets the name that pages show for a source line: the function, and the line in smaller text. Does nothing for other
 * texts. text: full text, without private parts. */
static void set_page_name_of_line(struct tp_arena *arena, struct tp_shown_row *row, struct tp_str text)
{
    struct tp_frame frame;

    if (!tp_frame_parse(&frame, text) || frame.line <= 0 || !frame.function.len)
        return;
    row->page_name = frame.function;
    row->page_place = tp_str_of(tp_place_text(arena, &frame));
    row->full = text;
}

void tp_shown_table_set_row_names(const struct tp_naming *naming, struct tp_shown_table *shown, unsigned text_column)
{
    const struct tp_str *texts = tp_table_text(shown->table, text_column);

    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_shown_row *row = &shown->rows[i];
        struct tp_str text = texts[i].len ? texts[i] : TP_STR("(none)"), prefix = tp_name_kind_prefix(text);

        struct tp_str name = tp_shown_text(naming, (struct tp_str){text.ptr + prefix.len, text.len - prefix.len});

        row->href = tp_source_link(naming, text);
        row->name = prefix.len ? name : tp_path_last_part(name);
        row->is_place = row->name.len < name.len;
        row->prefix = row->is_place ? (struct tp_str){name.ptr, name.len - row->name.len} : prefix;
        set_page_name_of_line(shown->arena, row, prefix.len ? TP_STR("") : name);
    }
    shown->name_definition = shown->table->defs[text_column].definition;
}

const char *tp_section_device_name(const struct tp_section *section, int64_t id)
{
    struct tp_str title = tp_device_title(section->profile->model, id, section->arena);
    if (id < 0)
        return tp_devices_word(section->profile->model);
    title = tp_shown_text(&section->naming, title);
    return tp_text_printf(section->arena, "%.*s", (int)title.len, title.ptr);
}

struct tp_shown_table *tp_section_table_new(const struct tp_section *section, const struct tp_table *table,
                                            const struct tp_shown_column *columns, unsigned column_count,
                                            size_t max_rows)
{
    struct tp_shown_table *shown = tp_shown_table_new(section->arena, table, columns, column_count, max_rows);
    shown->speech = tp_speech_of_model(section->profile->model);
    return shown;
}

const char *tp_section_words_for_producer(const struct tp_section *section, const char *text)
{
    return tp_words_for_trace(section->profile->model, text, section->arena);
}
