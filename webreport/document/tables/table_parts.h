/* Declares the style of a table as text, the functions for the parts of its document, and functions that format numbers
 * as torch.profiler does. */
#ifndef TP_WEBREPORT_DOCUMENT_TABLES_TABLE_PARTS_H
#define TP_WEBREPORT_DOCUMENT_TABLES_TABLE_PARTS_H

#include "webreport/document/block.h"
#include "webreport/measure/torch_tables/profile_table.h"

enum tp_key_time_unit { TP_KEY_UNIT_AUTO, TP_KEY_UNIT_S, TP_KEY_UNIT_MS, TP_KEY_UNIT_US };

/* Arguments of torch's function table(). Initialize them with TP_TABLE_STYLE. */
struct tp_table_style {
    size_t max_name_width, max_shapes_width,
        max_source_width; /* largest widths of the columns for name, shapes and source, characters; 0: no limit */
    enum tp_key_time_unit time_unit;
    const char *header; /* line above the table, or NULL */
    bool has_flops;     /* true: show the column of FLOPs even if the trace was recorded without with_flops */
};

#define TP_TABLE_STYLE ((struct tp_table_style){.max_name_width = 55, .max_shapes_width = 80, .max_source_width = 75})

/* ---- parts: torch_table.c, calls_table.c, program_table.c ---- */

/* Adds torch's table as text. Like torch, adds nothing if there are no rows. */
void tp_torch_table_put(struct tp_document *document, const struct tp_profile_table *table,
                        const struct tp_table_style *style);
/* Adds torch's table with fewer columns, for Markdown. */
void tp_torch_table_put_short(struct tp_document *document, const struct tp_profile_table *table,
                              const struct tp_table_style *style);
/* Adds the output of pstats.Stats(..).sort_stats(key).print_stats(row_limit), without the line with the file name. */
void tp_calls_put(struct tp_document *document, const struct tp_profile_table *table);
/* Adds a summary of operators and their table. */
void tp_operator_calls_put(struct tp_document *document, const struct tp_profile_table *table);

/* Adds the functions, processes or waits of a program recorded from outside. (program_table.c) */
void tp_program_table_put(struct tp_document *document, const struct tp_profile_table *table);

/* ---- numbers as torch.profiler prints them ---- */

enum { TP_KEY_TEXT = 352 }; /* size of a buffer for any double with three decimals, bytes */

/* Writes a time, such as "12.346us", "1.234ms" or "1.000s". */
void tp_key_format_time(char text[TP_KEY_TEXT], double us, enum tp_key_time_unit unit);
/* Writes the percentage of `us` in `total_us`, such as "12.34%"; "NaN" if `total_us` is 0. */
void tp_key_format_share(char text[TP_KEY_TEXT], double us, double total_us);
/* Writes a size, such as "-8 B" or "3.91 KB". The rules of torch 2.6 use the units "b", "Kb" and so on. */
void tp_key_format_memory(char text[TP_KEY_TEXT], int64_t bytes, enum tp_torch_rules rules);
/* Returns the unit that fits the smallest positive FLOPs of the rows, such as "MFLOPs"; NULL if no row has FLOPs.
 * *scale: factor for the values. */
const char *tp_key_flops_unit(const struct tp_key_averages *averages, double *scale);

#endif
