/* Lengthens equal displayed names in a table until they differ. See section_table.h. */
#include "webreport/document/section_table.h"

#include <stdio.h>
#include <string.h>

#include "webreport/document/name_text.h"
#include "writer/base/sort.h"
#include "writer/base/utf8.h"
#include "writer/text/kernel_text.h"

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

/* Makes the equal displayed names of a group of rows different. Sorts the rows by full name, because a name then shares
 * its longest common prefix with a neighbor. texts: full name of each row. */
static void distinguish_group(const struct tp_naming *naming, struct tp_shown_row *rows, const struct tp_str *texts,
                              uint32_t *order, uint32_t count)
{
    size_t before = 0;
    tp_sort_rows(order, count, compare_by_full_name, texts, naming->arena);
    for (uint32_t i = 0, end; i < count; i = end) {
        struct tp_str text = texts[order[i]];
        for (end = i + 1; end < count && tp_str_equal(text, texts[order[end]]); end++)
            continue;
        size_t after = end < count ? common_prefix_bytes(text, texts[order[end]]) : 0;
        for (uint32_t k = i; k < end && end - i < count; k++)
            rows[order[k]].name =
                start_and_difference_of_name(naming, rows[order[k]].name, text, before > after ? before : after);
        before = after;
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
            texts[order[k]] = tp_kernel_plain_name(naming->arena, names[order[k]]);
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
