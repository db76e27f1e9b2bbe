/* A table of a view as the page shows it: chosen columns, one unit per column, bars, rows that open, totals, a row
 * limit.
 *
 * Prepared once, then read by the template "table" through struct tp_data; cells are printed only when the template
 * asks. */
#ifndef TP_WEBREPORT_DOCUMENT_SECTION_TABLE_H
#define TP_WEBREPORT_DOCUMENT_SECTION_TABLE_H

#include "webreport/document/data.h"
#include "webreport/measure/audience/wording.h"
#include "writer/base/table.h"
#include "writer/text/format.h"

enum tp_shown_format {
    TP_SHOW_COUNT,
    TP_SHOW_TIME, /* NS column, or REAL column of microseconds */
    TP_SHOW_BYTES,
    TP_SHOW_REAL,    /* as it is, with `decimals` */
    TP_SHOW_PERCENT, /* 0..100 */
    TP_SHOW_RATIO,   /* 0..1, shown as per cent */
    TP_SHOW_SHARE,   /* per cent of the column's sum over all rows */
    TP_SHOW_BAR,     /* length relative to the column's maximum */
    TP_SHOW_TEXT,
    TP_SHOW_YES,     /* BOOL column: yes or – */
    TP_SHOW_OWN,     /* text from tp_shown_table.own_texts */
    TP_SHOW_PRINTED, /* text from tp_shown_table.print */
};

enum tp_shown_flag {
    TP_SHOWN_SUM = 1,    /* the foot shows the sum of all rows */
    TP_SHOWN_WIDE = 2,   /* pages alone have room for the column */
    TP_SHOWN_NARROW = 8, /* pages do not show the column: they have wide ones instead */
    TP_SHOWN_SIGNED = 4, /* a plus stands before what is more than 0, where cells have their units */
};

struct tp_shown_column {
    enum tp_shown_format format;
    unsigned column;     /* of the table; of OWN: index in own_texts */
    const char *title;   /* NULL: that of the column's definition */
    unsigned unit_group; /* columns of equal non-zero group share one unit */
    unsigned decimals;
    bool is_sorted; /* the rows stand in this order, largest first */
    unsigned flags; /* enum tp_shown_flag */
};

/* What the first cell of a row shows. */
struct tp_shown_row {
    struct tp_str name;   /* ready to show */
    struct tp_str brief;  /* instead of it where room is scarce; ptr NULL: the name */
    struct tp_str prefix; /* shown dimmed before it */
    bool is_place;        /* the prefix is the folder of a source line: what is cut where room is scarce */
    const char *href;     /* NULL: no link */
    unsigned depth;       /* of a tree */
    bool is_faint;        /* too uncertain to be read as a number */
    struct tp_data more;  /* object for the template "table_more"; kind NONE: the row does not open */
};

enum { TP_MAX_SHOWN_COLUMNS = 28, TP_MAX_OWN_TEXTS = 4 };

struct tp_shown_table {
    struct tp_arena *arena;
    const struct tp_table *table;
    const struct tp_shown_column *columns;
    unsigned column_count;
    struct tp_speech speech;                  /* in whose words titles and definitions of columns are shown */
    const char *name;                         /* short, for the file of a CSV and the filter: "operators" */
    const char *caption;                      /* for readers that cannot see the layout */
    const char *heading;                      /* above the table; NULL: none */
    const char *name_title, *name_definition; /* of the first column */
    const char *foot;                         /* first cell of the foot; NULL: no foot */
    const char *note;                         /* below the table; NULL: none, but a cut table says so by itself */
    bool is_tree;                             /* rows are indented, never sorted */
    unsigned open_depth;                      /* of a tree: rows deeper than this are folded by the script */
    size_t row_count;                         /* shown; at most the table's */
    size_t open_count;                        /* rows that may open, the first ones; 0: all that have something */
    size_t brief_count;                       /* rows for where room is scarce; 0: row_count */
    struct tp_shown_row *rows;
    const struct tp_str *own_texts[TP_MAX_OWN_TEXTS]; /* by OWN index, a text per row */
    /* The text of a PRINTED cell, in the arena. */
    struct tp_str (*print)(struct tp_arena *arena, const struct tp_table *table, unsigned column, size_t row);
    /* filled by tp_shown_table_prepare */
    struct tp_unit units[TP_MAX_SHOWN_COLUMNS];
    double maxima[TP_MAX_SHOWN_COLUMNS], sums[TP_MAX_SHOWN_COLUMNS];
    const char *definitions[TP_MAX_SHOWN_COLUMNS];
    uint8_t page_columns[TP_MAX_SHOWN_COLUMNS]; /* those that pages show, in their order */
    unsigned page_column_count;
};

/* A table with these columns that shows at most `max_rows`: its rows have no names yet. Lives in the arena. */
struct tp_shown_table *tp_shown_table_new(struct tp_arena *arena, const struct tp_table *table,
                                          const struct tp_shown_column *columns, unsigned column_count,
                                          size_t max_rows);

/* Finds the sums of columns, which shares need: for outputs that take cells one by one. */
void tp_shown_table_measure(struct tp_shown_table *shown);

/* Chooses units and sums; call when everything is set. Returns the object for the template (it borrows `shown`). */
struct tp_data tp_shown_table_data(struct tp_shown_table *shown);

/* Title of a column of what is shown, and whether its cells are texts, which stand to the left. */
const char *tp_shown_title(const struct tp_shown_table *shown, unsigned index);
bool tp_shown_is_text(const struct tp_shown_table *shown, unsigned index);

/* A cell with its unit, borrowed or in the arena: "12.2 ms", "+3.1 %"; "–" for null. For outputs whose columns have no
 * unit. */
struct tp_str tp_shown_cell(const struct tp_shown_table *shown, unsigned index, size_t row);

/* A copy of the table that holds only the rows named, in that order. Cells are copied shallowly into `arena`. */
struct tp_table *tp_table_pick(struct tp_arena *arena, const struct tp_table *table, const size_t *rows, size_t count);

/* A copy with the rows ordered by an integer column, largest first; rows of equal value keep their order. */
struct tp_table *tp_table_sorted(struct tp_arena *arena, const struct tp_table *table, unsigned column);

#endif
