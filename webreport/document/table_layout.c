/* Lays out tables for pages. See table_layout.h. */
#include "webreport/document/table_layout.h"

#include <string.h>

#include "writer/base/utf8.h"
#include "writer/text/format.h"

/* Widths are in digits of the table's font, each about 8.7 pixels wide. The columns of a level fit next to a name of
 * readable width in 358 pixels (phone), 648 pixels (half of a page) and 1344 pixels (page). */
enum {
    MAX_NUMBER_DIGITS = 20,
    MAX_TEXT_DIGITS = 28,
    BAR_DIGITS = 7,
    SHORT_TITLE = 10,     /* number of characters of a title that has one line */
    LETTERS_PER_WIDE = 8, /* a text of so many letters is one digit wider than so many digits */
    UNIT_DIGITS = 5,      /* a unit and the arrow of the sorted column */
    PADDING_DIGITS = 1,
    PHONE_DIGITS = 23,
    HALF_DIGITS = 50,
    HALF_DIGITS_OF_LESS = 40, /* columns of less importance leave more space for names */
    SAME_ROWS = 3             /* smallest number of rows for which a repeated number becomes a text */
};

static bool is_bar(const struct tp_shown_table *shown, unsigned index)
{
    return shown->columns[index].format == TP_SHOW_BAR;
}

/* ---- columns with one value ---- */

/* Returns whether all rows have the same text in a column. */
static bool has_one_value(const struct tp_shown_table *shown, unsigned index)
{
    struct tp_str first = tp_shown_page_cell(shown, index, 0);

    for (size_t row = 1; row < shown->row_count; row++)
        if (!tp_str_equal(first, tp_shown_page_cell(shown, index, row)))
            return false;
    return true;
}

/* Returns whether the page omits a column because all rows have the same value. Adds the value to same_values, unless
 * it is empty. */
static bool take_column_with_one_value(struct tp_shown_table *shown, unsigned index)
{
    const struct tp_shown_column *column = &shown->columns[index];
    bool is_text = tp_shown_is_text_column(shown, index);
    struct tp_str value;

    if (column->is_sorted || is_bar(shown, index) || shown->row_count < 2 || !has_one_value(shown, index))
        return false;
    value = tp_shown_page_cell(shown, index, 0);
    if (!value.len)
        return true;
    if (shown->row_count < shown->table->row_count || (!is_text && shown->row_count < SAME_ROWS))
        return false;
    const char *unit = tp_shown_unit_text(shown, index);
    shown->same_values =
        tp_text_printf(shown->arena, "%s%s%s: %.*s%s%s", shown->same_values, *shown->same_values ? ", " : "",
                       tp_shown_column_title(shown, index), (int)value.len, value.ptr, *unit ? " " : "", unit);
    return true;
}

/* ---- order ---- */

/* Lists the columns that the page shows. Puts a share of a quantity between the quantity and its bar. */
static void choose_columns(struct tp_shown_table *shown)
{
    unsigned count = 0;

    shown->same_values = "";
    for (unsigned i = 0; i < shown->column_count; i++)
        if (!(shown->columns[i].flags & TP_SHOWN_NARROW) && !take_column_with_one_value(shown, i))
            shown->page_columns[count++] = (uint8_t)i;
    for (unsigned i = 0; i + 1 < count; i++) {
        unsigned next = shown->page_columns[i + 1];
        if (!is_bar(shown, shown->page_columns[i]) || shown->columns[next].format < TP_SHOW_PERCENT ||
            shown->columns[next].format > TP_SHOW_SHARE)
            continue;
        shown->page_columns[i + 1] = shown->page_columns[i];
        shown->page_columns[i++] = (uint8_t)next;
    }
    shown->page_column_count = count;
}

/* ---- widths ---- */

/* Returns the width of the head of a column, in digits: that of the whole title if it is short, otherwise that of two
 * lines or of its widest word. Heads have a smaller font than cells. */
static unsigned head_digits(const char *title)
{
    size_t whole = tp_utf8_count(title, strlen(title)), longest = whole <= SHORT_TITLE ? whole : whole * 6 / 10;

    while (*title) {
        size_t size = strcspn(title, " ");
        size_t count = tp_utf8_count(title, size);
        longest = count > longest ? count : longest;
        title += size + (title[size] == ' ');
    }
    return (unsigned)(longest * 9 + 9) / 10;
}

static unsigned column_digits(const struct tp_shown_table *shown, unsigned index)
{
    bool is_text = tp_shown_is_text_column(shown, index);
    unsigned most = is_text ? MAX_TEXT_DIGITS : MAX_NUMBER_DIGITS, digits;

    if (is_bar(shown, index))
        return BAR_DIGITS;
    digits = head_digits(tp_shown_column_title(shown, index));
    if (shown->columns[index].is_sorted && digits < UNIT_DIGITS)
        digits = UNIT_DIGITS;
    for (size_t row = 0; row < shown->row_count + (shown->foot != NULL) && digits < most; row++) {
        struct tp_str text = tp_shown_page_cell(shown, index, row);
        size_t count = tp_utf8_count(text.ptr, text.len);
        count += is_text ? (count + LETTERS_PER_WIDE - 1) / LETTERS_PER_WIDE : 0;
        digits = count > digits ? (unsigned)count : digits;
    }
    return digits < most ? digits : most;
}

/* ---- levels ---- */

/* Gives a column the lowest level at which it fits next to the columns before it; the first column always fits a phone.
 * used: width of the columns of each level and of all lower levels. */
static void choose_level(struct tp_shown_table *shown, unsigned index, unsigned used[2])
{
    unsigned width = shown->page_widths[index] + PADDING_DIGITS;
    unsigned half = shown->columns[index].flags & TP_SHOWN_LESS ? HALF_DIGITS_OF_LESS : HALF_DIGITS;
    bool fits_phone = used[0] + width <= PHONE_DIGITS || !used[0];
    enum tp_column_level level = used[1] + width > half ? TP_COLUMN_IN_FULL
                                 : fits_phone           ? TP_COLUMN_ALWAYS
                                                        : TP_COLUMN_IN_HALF;

    shown->page_levels[index] = (uint8_t)level;
    if (level == TP_COLUMN_ALWAYS)
        used[0] += width;
    if (level < TP_COLUMN_IN_FULL)
        used[1] += width;
}

/* Ranks a column by importance, the most important first: sorted column, numbers, texts, bars, others. */
static unsigned rank_of_column(const struct tp_shown_table *shown, unsigned index)
{
    enum { SORTED, NUMBERS, TEXTS, BARS, LESS };

    if (shown->columns[index].flags & TP_SHOWN_LESS)
        return LESS;
    if (shown->columns[index].is_sorted)
        return SORTED;
    return is_bar(shown, index) ? BARS : tp_shown_is_text_column(shown, index) ? TEXTS : NUMBERS;
}

void tp_table_layout_fill(struct tp_shown_table *shown)
{
    enum { RANKS = 5 };
    unsigned used[2] = {0, 0};

    choose_columns(shown);
    for (unsigned i = 0; i < shown->page_column_count; i++)
        shown->page_widths[shown->page_columns[i]] = (uint8_t)column_digits(shown, shown->page_columns[i]);
    for (unsigned rank = 0; rank < RANKS; rank++)
        for (unsigned i = 0; i < shown->page_column_count; i++)
            if (rank_of_column(shown, shown->page_columns[i]) == rank)
                choose_level(shown, shown->page_columns[i], used);
}
