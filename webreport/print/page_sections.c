/* Makes the sections of a profile. See page_sections.h. */
#include "webreport/print/page_sections.h"

#include <string.h>

#include "webreport/document/charts/calltree_data.h"
#include "webreport/document/charts/timeline_data.h"
#include "webreport/document/report/program_document.h"
#include "webreport/document/report/section_order.h"
#include "webreport/document/report/sections.h"
#include "webreport/print/html.h"

static struct tp_data make_overview_data(const struct tp_section *section)
{
    struct tp_document document;
    struct tp_object *root = tp_object_new(section->arena);
    tp_report_document(&document, section);
    tp_html_put_blocks(root, &document, 0, document.blocks.count, &(struct tp_html_level){SIZE_MAX, SIZE_MAX, true});
    return tp_data_of_object(root);
}

/* Values of `whose`: the section is for all profiles, for programs recorded from outside, or for all other profiles.
 * tp_section_order gives the order of the sections after the overview. Building a large section (is_large) reads every
 * event. */
enum { FOR_ALL_PROFILES, FOR_PROGRAM_PROFILES, FOR_OTHER_PROFILES };
static const struct {
    const char *name, *label;
    struct tp_data (*build)(const struct tp_section *section);
    bool is_large;
    uint8_t whose;
} SECTIONS[] = {
    {"overview", "Overview", make_overview_data, false, FOR_ALL_PROFILES},
    {"processes", "Processes", tp_section_processes, false, FOR_PROGRAM_PROFILES},
    {"threads", "Threads", tp_section_threads, false, FOR_PROGRAM_PROFILES},
    {"flame", "CPU time", tp_section_flame, false, FOR_PROGRAM_PROFILES},
    {"functions", "Functions", tp_section_functions, false, FOR_PROGRAM_PROFILES},
    {"waits", "Waits", tp_section_waits, false, FOR_PROGRAM_PROFILES},
    {"usage", "Memory and I/O", tp_section_usage, false, FOR_PROGRAM_PROFILES},
    {"what_if", "What if", tp_section_what_if, false, FOR_OTHER_PROFILES},
    {"ranges", "Ranges", tp_section_ranges, false, FOR_OTHER_PROFILES},
    {"wall", "Wall time", tp_section_wall, false, FOR_OTHER_PROFILES},
    {"idle", "Waiting", tp_section_idle, false, FOR_OTHER_PROFILES},
    {"os_calls", "System calls", tp_section_os_calls, false, FOR_OTHER_PROFILES},
    {"serving", "Serving", tp_section_serving, false, FOR_OTHER_PROFILES},
    {"work", "{GPU} work", tp_section_work, false, FOR_OTHER_PROFILES},
    {"operators", "{Operators}", tp_section_operators, false, FOR_OTHER_PROFILES},
    {"kernels", "Kernels", tp_section_kernels, false, FOR_OTHER_PROFILES},
    {"memory", "Memory", tp_section_memory, false, FOR_OTHER_PROFILES},
    {"modules", "Modules", tp_section_modules, false, FOR_OTHER_PROFILES},
    {"samples", "CPU samples", tp_section_samples, false, FOR_OTHER_PROFILES},
    {"tasks", "Tasks", tp_section_tasks, false, FOR_OTHER_PROFILES},
    {"counters", "Counters", tp_section_counters, false, FOR_OTHER_PROFILES},
    {"calltree", "Call tree", tp_section_calltree, true, FOR_OTHER_PROFILES},
    {"timeline", "Timeline", tp_section_timeline, false, FOR_OTHER_PROFILES},
    {"about", "About", tp_section_about, false, FOR_ALL_PROFILES},
};
enum { SECTION_COUNT = sizeof(SECTIONS) / sizeof(SECTIONS[0]), THREAD_FROM_EVENTS = 20000 };
_Static_assert(sizeof(SECTIONS) / sizeof(SECTIONS[0]) <= TP_MAX_SECTIONS, "the page index has room for all sections");

const char *tp_page_section_name(unsigned index)
{
    return SECTIONS[index].name;
}

const char *tp_page_section_label(unsigned index)
{
    return SECTIONS[index].label;
}

bool tp_page_section_is_last(unsigned index)
{
    return index == SECTION_COUNT - 1;
}

static int build_all_large_sections(void *context, struct tp_error *err)
{
    struct tp_large_sections *large = context;
    (void)err;
    for (unsigned i = 0; i < SECTION_COUNT; i++)
        if (SECTIONS[i].is_large)
            large->data[i] = SECTIONS[i].build(&large->section);
    return 0;
}

void tp_large_sections_build(struct tp_large_sections *large)
{
    tp_arena_run(large->section.arena, build_all_large_sections, large, NULL);
}

static void *build_on_thread(void *argument)
{
    tp_large_sections_build(argument);
    return NULL;
}

static void begin_large_sections(struct tp_large_sections *large, const struct tp_section *section,
                                 struct tp_arena *large_arena)
{
    if (large->is_built)
        return;
    large->section = *section;
    large->section.arena = large->section.naming.arena = large_arena;
    large->section.naming.kernels = NULL; /* no cache, because it belongs to the calling thread */
    large->has_thread = section->profile->trace->event_count >= THREAD_FROM_EVENTS &&
                        pthread_create(&large->thread, NULL, build_on_thread, large) == 0;
}

/* Waits for the thread that builds the large sections, or builds them if there is no such thread. Jumps to the
 * profile's guard if an allocation failed. */
static void end_large_sections(struct tp_large_sections *large, struct tp_arena *scratch)
{
    if (large->has_thread)
        pthread_join(large->thread, NULL);
    else if (!large->is_built)
        tp_large_sections_build(large);
    if (large->section.arena->code)
        tp_arena_fail(scratch, large->section.arena->code);
}

/* Sections that the calling thread builds. */
struct small_sections {
    const struct tp_section *section;
    struct tp_data data[SECTION_COUNT];
};

static int build_small_sections(void *context, struct tp_error *err)
{
    struct small_sections *small = context;
    (void)err;
    unsigned whose = tp_section_is_program(small->section) ? FOR_PROGRAM_PROFILES : FOR_OTHER_PROFILES;
    for (unsigned i = 0; i < SECTION_COUNT; i++)
        if (!SECTIONS[i].is_large && (SECTIONS[i].whose == FOR_ALL_PROFILES || SECTIONS[i].whose == whose))
            small->data[i] = SECTIONS[i].build(small->section);
    return 0;
}

/* The data of all sections; those of large sections are in `large`. */
struct built_sections {
    const struct tp_data *small, *large;
};

static unsigned find_section(struct tp_str name)
{
    unsigned i = 0;
    while (i < SECTION_COUNT && !tp_str_equal(tp_str_of(SECTIONS[i].name), name))
        i++;
    return i;
}

/* Adds a section to a row of the page, unless it has no data. */
static void add_section_to_row(struct tp_list *sections, const struct built_sections *built, struct tp_str name,
                               struct tp_page_entry *entry)
{
    unsigned index = find_section(name);
    if (index == SECTION_COUNT)
        return;
    const struct tp_data *data = SECTIONS[index].is_large ? &built->large[index] : &built->small[index];
    if (data->kind == TP_DATA_NONE)
        return;
    struct tp_object *item = tp_list_add_object(sections);
    tp_object_add_text(item, "template", SECTIONS[index].name);
    tp_object_add_value(item, "section", *data);
    entry->sections[entry->section_count++] = (uint8_t)index;
}

/* Adds the sections of a row to the page. If one of two sections has no data, the other one has the whole width. */
static void add_row(struct tp_list *groups, const struct built_sections *built, const char *row,
                    struct tp_page_entry *entry)
{
    struct tp_object *group = tp_list_add_object(groups);
    struct tp_list *sections = tp_object_add_list(group, "sections");
    const char *second = strchr(row, '+');
    size_t size = second ? (size_t)(second - row) : strlen(row);
    add_section_to_row(sections, built, (struct tp_str){row, size}, entry);
    if (second)
        add_section_to_row(sections, built, tp_str_of(second + 1), entry);
    tp_object_add_bool(group, "is_pair", sections->items.count == 2);
}

static bool is_in_order(const char *const *order, const char *name)
{
    size_t size = strlen(name);
    for (; *order; order++) {
        const char *at = strstr(*order, name);
        if (at && (at == *order || at[-1] == '+') && (at[size] == '\0' || at[size] == '+'))
            return true;
    }
    return false;
}

/* Adds the sections that no order names, such as a new one, at the end of the page before the part about the report. */
static void add_other_rows(struct tp_list *groups, const struct built_sections *built, const char *const *order,
                           struct tp_page_entry *entry)
{
    for (unsigned i = 1; i < SECTION_COUNT; i++)
        if (!is_in_order(order, SECTIONS[i].name))
            add_row(groups, built, SECTIONS[i].name, entry);
}

void tp_page_sections_put(struct tp_object *root, struct tp_page_entry *entry, const struct tp_section *section,
                          struct tp_large_sections *large, struct tp_arena *large_arena)
{
    struct small_sections small = {section, {{.kind = TP_DATA_NONE}}};
    entry->section_count = 0;
    begin_large_sections(large, section, large_arena);
    tp_arena_run(section->arena, build_small_sections, &small, NULL);
    end_large_sections(large, section->arena);
    tp_arena_fail_with_stored_code(section->arena);
    struct tp_list *groups = tp_object_add_list(root, "groups"), *last = tp_object_add_list(root, "last_groups");
    struct built_sections built = {small.data, large->data};
    add_row(groups, &built, SECTIONS[0].name, entry);
    const char *const *order = tp_section_order(section);
    for (const char *const *row = order; *row; row++) {
        if (!row[1])
            add_other_rows(groups, &built, order, entry);
        add_row(row[1] ? groups : last, &built, *row, entry);
    }
}
