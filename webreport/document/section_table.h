/* A table prepared for display: selected columns, one unit for each column, bars, rows that can be expanded, totals,
 * and a limit of rows. A page shows the first TP_OPEN_ROWS rows and hides the others until the reader opens them.
 *
 * The table is prepared once. The template "table" then reads it through struct tp_data (table_page.h). */
#ifndef TP_WEBREPORT_DOCUMENT_SECTION_TABLE_H
#define TP_WEBREPORT_DOCUMENT_SECTION_TABLE_H

#include "webreport/document/data.h"
#include "webreport/measure/audience/speech.h"
#include "writer/base/table.h"
#include "writer/text/format.h"

struct tp_naming; /* name_text.h */

enum tp_shown_format {
    TP_SHOW_COUNT,
    TP_SHOW_TIME, /* time, from an NS column or from a REAL column in microseconds */
    TP_SHOW_BYTES,
    TP_SHOW_REAL,    /* number with `decimals` digits after the point */
    TP_SHOW_PERCENT, /* percentage from 0 to 100 */
    TP_SHOW_RATIO,   /* share from 0 to 1, shown as a percentage */
    TP_SHOW_SHARE,   /* share of the column's sum over all rows, shown as a percentage */
    TP_SHOW_BAR,     /* bar whose length is relative to the column's maximum */
    TP_SHOW_TEXT,
    TP_SHOW_YES_NO,   /* value of a BOOL column, shown as yes or – (in pages: yes or nothing) */
    TP_SHOW_OWN_TEXT, /* text from the table's own_texts */
    TP_SHOW_PRINTED,  /* text that the table's function `print` returns */
};

enum tp_shown_flag {
    TP_SHOWN_SUM = 1,     /* the last row shows the sum over all rows of the table */
    TP_SHOWN_WIDE = 2,    /* only pages show the column */
    TP_SHOWN_NARROW = 8,  /* pages omit the column, because they show the WIDE columns instead */
    TP_SHOWN_SIGNED = 4,  /* positive numbers get a plus sign in cells with units */
    TP_SHOWN_NUMBER = 32, /* texts of the column begin with a number, and are aligned like numbers */
    TP_SHOWN_LESS = 16,   /* narrow pages hide the column before columns without this flag */
};

struct tp_shown_column {
    enum tp_shown_format format;
    unsigned column;     /* index of the column in the table; for TP_SHOW_OWN_TEXT, index in own_texts */
    const char *title;   /* title of the column; NULL: use the title in the column's definition */
    unsigned unit_group; /* columns with the same group, other than 0, share a unit */
    unsigned decimals;
    bool is_sorted; /* true: rows are sorted by this column, largest first */
    unsigned flags; /* bits of enum tp_shown_flag */
};

/* The first cell of a row, and other properties of the row. */
struct tp_shown_row {
    struct tp_str name;       /* displayed name of the row */
    struct tp_str short_name; /* short name for narrow outputs; ptr NULL: use `name` */
    struct tp_str prefix;     /* dimmed text before the name */
    bool is_place;            /* true: `prefix` is the folder of a source line, which narrow outputs omit */
    /* name in pages, and smaller text after it, such as "normalize" and "train.py:390"; ptr NULL: pages show
     * `prefix` and `name` */
    struct tp_str page_name, page_place;
    struct tp_str full;    /* full name, which pages show as a tooltip; ptr NULL: `name` is the full name */
    const char *cause;     /* color of a dot before the name in pages, such as "gpu" or "host"; NULL: no dot */
    const char *marks;     /* times that the row marks in the timeline of its page (time_marks.h), or NULL */
    const char *href;      /* address that the name links to, or NULL */
    unsigned depth;        /* depth of the row in a tree */
    bool is_uncertain;     /* true: the numbers of the row are uncertain, and the page prints them in grey */
    unsigned bold_columns; /* bits of the columns whose cells pages print in bold */
    struct tp_data more; /* object for the template "table_more", shown in the expanded row; kind NONE if the row cannot
                            be expanded */
};

enum {
    TP_MAX_SHOWN_COLUMNS = 28,
    TP_MAX_OWN_TEXTS = 4,
    TP_OPEN_ROWS = 8 /* number of rows that pages show before the reader opens the others */
};

/* Width of a page, or part of a page, from which on it shows a column. */
enum tp_column_level {
    TP_COLUMN_ALWAYS,
    TP_COLUMN_IN_HALF, /* hidden on phones and in the narrow columns of a printed page */
    TP_COLUMN_IN_FULL, /* shown only if the table has the whole width of the page */
};

struct tp_shown_table {
    struct tp_arena *arena;
    const struct tp_table *table;
    const struct tp_shown_column *columns;
    unsigned column_count;
    struct tp_speech speech;                  /* vocabulary for titles and definitions of columns */
    const char *name;                         /* short name for CSV files and the row filter, such as "operators" */
    const char *caption;                      /* description for screen readers */
    const char *heading;                      /* heading above the table, or NULL */
    const char *noun;                         /* plural noun for the rows, such as "operators"; NULL: "rows" */
    const char *name_title, *name_definition; /* title and definition of the first column */
    const char *foot;                         /* text in the first cell of the row of totals; NULL: no row of totals */
    /* text below the table, or NULL; the template adds a separate note if rows are omitted */
    const char *note;
    bool is_tree;           /* true: rows form a tree, which is indented and never sorted */
    unsigned open_depth;    /* deepest level of the tree that is visible before the reader unfolds rows */
    size_t row_count;       /* number of displayed rows, at most the number of rows in `table` */
    size_t open_count;      /* only the first open_count rows can be expanded; 0: all rows with details */
    size_t short_row_count; /* number of displayed rows in outputs with little space; 0: row_count */
    bool shows_all_rows;    /* true: pages show all displayed rows without a click, as they do for trees */
    struct tp_shown_row *rows;
    const struct tp_str *own_texts[TP_MAX_OWN_TEXTS]; /* own_texts[i]: array with a text for each row, shown by the OWN
                                                         columns whose `column` is i */
    /* returns the text of a cell in a PRINTED column, in the arena */
    struct tp_str (*print)(struct tp_arena *arena, const struct tp_table *table, unsigned column, size_t row);
    /* the remaining members are set by tp_shown_table_measure, tp_shown_table_data and tp_table_layout_fill */
    struct tp_unit units[TP_MAX_SHOWN_COLUMNS];
    double maxima[TP_MAX_SHOWN_COLUMNS], sums[TP_MAX_SHOWN_COLUMNS];
    const char *definitions[TP_MAX_SHOWN_COLUMNS];
    uint8_t page_columns[TP_MAX_SHOWN_COLUMNS]; /* indexes of the columns that pages show, in the order of the page */
    unsigned page_column_count;
    uint8_t page_widths[TP_MAX_SHOWN_COLUMNS]; /* width of each column in pages, in digits */
    uint8_t page_levels[TP_MAX_SHOWN_COLUMNS]; /* enum tp_column_level of each column */
    /* columns that pages omit because all rows have the same value, with this value: "Kind: operator, Graphs: yes"; ""
     * for no columns */
    const char *same_values;
};

/* Returns a table with these columns and at most `max_rows` displayed rows, in the arena. The caller sets the names of
 * the rows. */
struct tp_shown_table *tp_shown_table_new(struct tp_arena *arena, const struct tp_table *table,
                                          const struct tp_shown_column *columns, unsigned column_count,
                                          size_t max_rows);

/* Computes the sums of columns, which are needed for shares, and chooses their units. For outputs that read single
 * cells and do not call tp_shown_table_data (table_page.h). */
void tp_shown_table_measure(struct tp_shown_table *shown);

/* Returns a cell as a number; times are in nanoseconds. Returns NaN for unknown values and for texts. */
double tp_shown_cell_number(const struct tp_shown_table *shown, unsigned index, size_t row);

/* Return the title of a displayed column, and whether its cells are left-aligned texts. */
const char *tp_shown_column_title(const struct tp_shown_table *shown, unsigned index);
bool tp_shown_is_text_column(const struct tp_shown_table *shown, unsigned index);

/* Returns a cell with its unit, such as "12.2 ms" or "+3.1 %"; "–" for null. The text is borrowed or in the arena.
 * Outputs whose columns have no unit call this function. */
struct tp_str tp_shown_cell_text(const struct tp_shown_table *shown, unsigned index, size_t row);

/* Returns a cell as pages show it, without its unit; "" for unknown values, for zero and for "no". A number that rounds
 * to zero is shown as "<0.01". The text is borrowed or in the arena. index: index of the column, not a BAR column. row:
 * row of the table; shown->row_count for the row of totals. Call tp_shown_table_measure before. */
struct tp_str tp_shown_page_cell(const struct tp_shown_table *shown, unsigned index, size_t row);

/* Returns the unit of a column, such as "ms" or "%"; "" without unit. */
const char *tp_shown_unit_text(const struct tp_shown_table *shown, unsigned index);

/* Returns a copy of the table with the given rows in the given order. Cells are copied into `arena`; texts are
 * shared. */
struct tp_table *tp_table_copy_rows(struct tp_arena *arena, const struct tp_table *table, const size_t *rows,
                                    size_t count);

/* Returns a copy of the table in `arena`, with its rows sorted by an integer column, largest first. Equal rows keep
 * their order. */
struct tp_table *tp_table_copy_sorted(struct tp_arena *arena, const struct tp_table *table, unsigned column);

/* Makes equal displayed names different: appends details of the kernels in brackets, such as "(tn)", or the part in
 * which their full names differ. Call this function after setting the names of the rows. names: full name of each row.
 * groups: number of each row's group; only names in the same group must differ. NULL: all rows are one group. */
void tp_shown_rows_distinguish_names(const struct tp_naming *naming, struct tp_shown_row *rows,
                                     const struct tp_str *names, const uint32_t *groups, size_t row_count);
/* Does the same as tp_shown_rows_distinguish_names for all rows of a table whose full names are in a text column.
 * Afterwards all displayed names differ. */
void tp_shown_table_distinguish_rows(const struct tp_naming *naming, struct tp_shown_table *shown,
                                     unsigned text_column);

/* Makes the displayed names of kernels different, in the cache of `naming`. Afterwards tp_shown_kernel_name returns the
 * same name for a kernel in tables, findings and the timeline. names: full names. */
void tp_shown_kernels_distinguish(const struct tp_naming *naming, const struct tp_str *names, size_t count);

#endif
