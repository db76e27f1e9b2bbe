/* Lengthens equal displayed names in a table until they differ. See section_table.h. */
#include "webreport/document/section_table.h"

#include <stdio.h>
#include <string.h>

#include "webreport/document/name_text.h"
#include "writer/base/sort.h"
#include "writer/base/utf8.h"
#include "writer/text/cxx_text.h"
#include "writer/text/format.h"
#include "writer/text/kernel_meaning.h"
#include "writer/text/kernel_text.h"
#include "writer/text/kernel_type.h"

enum { HEAD_BYTES = 60, BEFORE_BYTES = 8, TAIL_BYTES = 72 };

struct name_group {
    const struct tp_shown_row *rows;
    /* for each row: number of its group; only names in the same group must differ. NULL: all rows are one group */
    const uint32_t *groups;
};

static bool is_same_name(const struct name_group *name_group, uint32_t x, uint32_t y)
{
    const struct tp_shown_row *a = &name_group->rows[x], *b = &name_group->rows[y];
    return tp_str_equal(a->name, b->name) && tp_str_equal(a->prefix, b->prefix) &&
           (!name_group->groups || name_group->groups[x] == name_group->groups[y]);
}

static int compare_by_shown_name(const void *context, uint32_t x, uint32_t y)
{
    const struct name_group *name_group = context;
    int order = name_group->groups
                    ? (name_group->groups[x] > name_group->groups[y]) - (name_group->groups[x] < name_group->groups[y])
                    : 0;
    order = order ? order : tp_str_compare(name_group->rows[x].prefix, name_group->rows[y].prefix);
    order = order ? order : tp_str_compare(name_group->rows[x].name, name_group->rows[y].name);
    return order ? order : (x > y) - (x < y);
}

static int compare_by_full_name(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_str *texts = context;
    int order = tp_str_compare(texts[x], texts[y]);
    return order ? order : (x > y) - (x < y);
}

static size_t common_prefix_bytes(struct tp_str a, struct tp_str b)
{
    size_t size = a.len < b.len ? a.len : b.len, i = 0;
    while (i < size && a.ptr[i] == b.ptr[i])
        i++;
    return i;
}

/* Returns a name as its start and the part that differs from other names, such as "Cijk_Alik_…_WG32_8_1". */
static struct tp_str start_and_difference_of_name(const struct tp_naming *naming, struct tp_str shown,
                                                  struct tp_str text, size_t differs)
{
    size_t from = differs > BEFORE_BYTES ? differs - BEFORE_BYTES : 0;
    from = tp_utf8_fitting_bytes(text.ptr, text.len, from);
    struct tp_str tail = {text.ptr + from, text.len - from};
    shown.len = tp_utf8_fitting_bytes(shown.ptr, shown.len, HEAD_BYTES);
    tail = tp_shown_text(naming, tp_text_shorten(naming->arena, tail, TAIL_BYTES));
    return tp_str_of(
        tp_text_printf(naming->arena, "%.*s\xe2\x80\xa6%.*s", (int)shown.len, shown.ptr, (int)tail.len, tail.ptr));
}

/* ---- details ---- */

enum { LABEL_BYTES = 96, MOST_WORDS = 256, MOST_COMPARED = 64, SHOWN_WORDS = 6, LONG_WORD_BYTES = 40, NEIGHBORS = 24 };

/* Rows with the same displayed name. `order` lists the rows by full name, and each text is stored once. */
struct group {
    const struct tp_naming *naming;
    struct tp_str *texts;               /* distinct full names of the group, demangled */
    struct tp_kernel_meaning *meanings; /* details of each text */
    const char **labels;                /* text in brackets after each name, or "" */
    uint32_t count;                     /* number of texts */
};

static size_t count_labels(const struct group *group)
{
    struct tp_strings seen;
    tp_strings_init(&seen, group->naming->arena, UINT64_MAX);
    for (uint32_t i = 0; i < group->count; i++)
        tp_strings_add(&seen, tp_str_of(group->labels[i]));
    return seen.count;
}

/* Appends a text to each label, if more labels differ then. texts: a text for each label; NULL: none. Returns the
 * number of different labels. */
static size_t add_to_labels(struct group *group, const char *const *texts, size_t different)
{
    struct tp_arena *arena = group->naming->arena;
    const char **old = group->labels, **longer = tp_arena_array(arena, group->count, sizeof *longer);
    for (uint32_t i = 0; i < group->count; i++)
        longer[i] = !texts[i] || strlen(old[i]) + strlen(texts[i]) > LABEL_BYTES
                        ? old[i]
                        : tp_text_printf(arena, "%s%s%s", old[i], *old[i] ? ", " : "", texts[i]);
    group->labels = longer;
    size_t now = count_labels(group);
    if (now > different)
        return now;
    group->labels = old;
    return different;
}

/* ---- words of full names ---- */

struct words {
    struct tp_str items[MOST_WORDS];
    uint32_t count;
};

/* Adds a word. Splits a long identifier at its underscores. */
static void add_words(struct words *words, struct tp_str text)
{
    for (size_t i = 0, start = 0; i <= text.len && words->count < MOST_WORDS; i++) {
        if (i < text.len && (text.ptr[i] != '_' || text.len < LONG_WORD_BYTES))
            continue;
        if (i > start)
            words->items[words->count++] = (struct tp_str){text.ptr + start, i - start};
        start = i + 1;
    }
}

/* Splits a name without its parameters into words. */
static void split_into_words(struct words *words, struct tp_str text)
{
    text = tp_text_before(text, tp_cxx_find_parameters(text));
    words->count = 0;
    for (size_t i = 0, start = 0; i <= text.len; i++) {
        if (i < text.len && ((unsigned char)text.ptr[i] >= 0x80 || tp_is_word_character(text.ptr[i])))
            continue;
        add_words(words, (struct tp_str){text.ptr + start, i - start});
        start = i + 1;
    }
}

/* Returns a word for a label: "fp32" for "float". */
static const char *label_of_word(struct tp_arena *arena, struct tp_str word)
{
    const char *type = tp_kernel_type_word(word);
    word.len = tp_utf8_fitting_bytes(word.ptr, word.len, BEFORE_BYTES * 4);
    return type ? type : tp_arena_copy(arena, word.ptr, word.len);
}

/* Adds words of the full names that differ to the labels. */
static void add_different_words(struct group *group, size_t different)
{
    struct tp_arena *arena = group->naming->arena;
    struct words *words = tp_arena_array(arena, group->count, sizeof *words);
    const char **texts = tp_arena_array(arena, group->count, sizeof *texts);
    for (uint32_t i = 0; i < group->count; i++)
        split_into_words(&words[i], group->texts[i]);
    for (uint32_t position = 0, shown = 0; position < MOST_WORDS && shown < SHOWN_WORDS; position++) {
        bool differs = false;
        for (uint32_t i = 0; i < group->count; i++) {
            struct tp_str word = position < words[i].count ? words[i].items[position] : TP_STR("");
            differs |= position >= words[0].count || !tp_str_equal(word, words[0].items[position]);
            texts[i] = word.len ? label_of_word(arena, word) : NULL;
        }
        size_t now = differs ? add_to_labels(group, texts, different) : different;
        shown += now > different;
        different = now;
        if (different == group->count)
            return;
    }
}

/* Adds details to the labels, most readable first, until all labels differ. Omits details that make no difference. */
static void label_group(struct group *group)
{
    const char **texts = tp_arena_array(group->naming->arena, group->count, sizeof *texts);
    size_t different = 1;
    for (unsigned detail = 0; detail < TP_KERNEL_DETAILS && different < group->count; detail++) {
        for (uint32_t i = 0; i < group->count; i++)
            texts[i] = group->meanings[i].details[detail];
        different = add_to_labels(group, texts, different);
    }
    if (different < group->count && group->count <= MOST_COMPARED)
        add_different_words(group, different);
}

/* Returns a text for row `order[i]` of a group: the name with its label or, if another kernel has the same label, with
 * the part in which the full names differ. */
static struct tp_str name_with_label(const struct group *group, struct tp_str shown, uint32_t index)
{
    struct tp_arena *arena = group->naming->arena;
    size_t same = 0;
    bool has_same = false;
    for (uint32_t k = index; k-- > 0 && index - k <= NEIGHBORS;)
        if (strcmp(group->labels[k], group->labels[index]) == 0) {
            size_t common = common_prefix_bytes(group->texts[k], group->texts[index]);
            same = common > same ? common : same;
            has_same = true;
        }
    for (uint32_t k = index + 1; k < group->count && k - index <= NEIGHBORS; k++)
        if (strcmp(group->labels[k], group->labels[index]) == 0) {
            size_t common = common_prefix_bytes(group->texts[k], group->texts[index]);
            same = common > same ? common : same;
            has_same = true;
        }
    if (has_same)
        return start_and_difference_of_name(group->naming, shown, group->texts[index], same);
    if (!*group->labels[index])
        return shown;
    struct tp_str label = tp_shown_text(group->naming, tp_str_of(group->labels[index]));
    return tp_str_of(tp_text_printf(arena, "%.*s (%.*s)", (int)shown.len, shown.ptr, (int)label.len, label.ptr));
}

/* Makes the equal displayed names of a group of rows different. texts: demangled full name of each row. */
static void distinguish_group(const struct tp_naming *naming, struct tp_shown_row *rows, const struct tp_str *texts,
                              uint32_t *order, uint32_t count)
{
    struct group group = {.naming = naming,
                          .texts = tp_arena_array(naming->arena, count, sizeof *group.texts),
                          .meanings = tp_arena_array(naming->arena, count, sizeof *group.meanings),
                          .labels = tp_arena_array(naming->arena, count, sizeof *group.labels)};
    tp_sort_rows(order, count, compare_by_full_name, texts, naming->arena);
    for (uint32_t i = 0; i < count; i++) {
        struct tp_str text = texts[order[i]];
        if (group.count && tp_str_equal(text, group.texts[group.count - 1]))
            continue;
        tp_kernel_meaning_find(&group.meanings[group.count], naming->arena, text);
        group.labels[group.count] = "";
        group.texts[group.count++] = text;
    }
    if (group.count < 2)
        return;
    label_group(&group);
    for (uint32_t i = 0, text = 0; i < count; i++) {
        text += !tp_str_equal(texts[order[i]], group.texts[text]);
        rows[order[i]].name = name_with_label(&group, rows[order[i]].name, text);
    }
}

void tp_shown_rows_distinguish_names(const struct tp_naming *naming, struct tp_shown_row *rows,
                                     const struct tp_str *names, const uint32_t *groups, size_t row_count)
{
    uint32_t count = (uint32_t)row_count, *order = tp_arena_array(naming->arena, count, sizeof *order);
    struct tp_str *texts = tp_arena_array(naming->arena, count, sizeof *texts);
    struct name_group name_group = {rows, groups};
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    tp_sort_rows(order, count, compare_by_shown_name, &name_group, naming->arena);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_same_name(&name_group, order[i], order[end]); end++)
            continue;
        if (end - i < 2)
            continue;
        for (uint32_t k = i; k < end; k++)
            texts[order[k]] = tp_plain_kernel_name(naming, names[order[k]]);
        distinguish_group(naming, rows, texts, order + i, end - i);
    }
}

/* Appends numbers to displayed names that still equal the name of an earlier row, because long names are cut. */
static void number_equal_rows(const struct tp_naming *naming, struct tp_shown_table *shown)
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

void tp_shown_table_distinguish_rows(const struct tp_naming *naming, struct tp_shown_table *shown, unsigned text_column)
{
    tp_shown_rows_distinguish_names(naming, shown->rows, tp_table_text(shown->table, text_column), NULL,
                                    shown->row_count);
    number_equal_rows(naming, shown);
}

void tp_shown_kernels_distinguish(const struct tp_naming *naming, const struct tp_str *names, size_t count)
{
    struct tp_shown_row *rows = tp_arena_array(naming->arena, count, sizeof *rows);
    for (size_t i = 0; i < count; i++)
        rows[i].name = tp_shown_kernel_name(naming, names[i]);
    tp_shown_rows_distinguish_names(naming, rows, names, NULL, count);
    for (size_t i = 0; i < count; i++)
        tp_shown_kernels_set(naming->kernels, names[i], rows[i].name);
}
