/* Rows of key_averages as text: torch's own table, byte for byte, and CSV, JSON and Markdown for programs and pages.
 *
 * All append to `out`; a failure is sticky in it. order: row numbers as tp_key_averages_sort gives them. */
#ifndef TP_WEBREPORT_PRINT_KEY_TABLE_H
#define TP_WEBREPORT_PRINT_KEY_TABLE_H

#include "webreport/measure/key_averages.h"
#include "writer/base/json_out.h"

enum tp_key_time_unit { TP_KEY_UNIT_AUTO, TP_KEY_UNIT_S, TP_KEY_UNIT_MS, TP_KEY_UNIT_US };

/* Arguments of torch's table(), and its defaults. */
struct tp_key_table_options {
    int64_t row_limit;                                         /* negative: all */
    size_t max_name_width, max_shapes_width, max_source_width; /* characters; 0: as wide as needed */
    enum tp_key_time_unit time_unit;
    const char *header; /* NULL: none */
    bool top_level_events_only;
    bool has_flops; /* the column even when torch was not asked for it */
};

#define TP_KEY_TABLE_OPTIONS                                                                                           \
    {                                                                                                                  \
        .row_limit = 100, .max_name_width = 55, .max_shapes_width = 80, .max_source_width = 75                         \
    }

/* Nothing at all when there are no rows, as torch. Control characters are shown as "?". */
void tp_key_table_text(struct tp_buf *out, const struct tp_key_averages *averages, const uint32_t *order,
                       const struct tp_key_table_options *options);

/* The line of column names. Columns are the same for every trace: see templates/help/table.txt. */
void tp_key_table_csv_head(struct tp_buf *out);
/* profile: for the last column. Cells that a spreadsheet would take for a formula begin with an apostrophe. */
void tp_key_table_csv(struct tp_buf *out, const struct tp_key_averages *averages, const uint32_t *order,
                      const struct tp_key_table_options *options, struct tp_str profile);

/* Members of an open object: device, totals, rows. */
void tp_key_table_json(struct tp_json *json, const struct tp_key_averages *averages, const uint32_t *order,
                       const struct tp_key_table_options *options);

void tp_key_table_markdown(struct tp_buf *out, const struct tp_key_averages *averages, const uint32_t *order,
                           const struct tp_key_table_options *options);

/* ---- numbers as torch.profiler prints them ---- */

enum { TP_KEY_TEXT = 352 }; /* room for any double with three decimals */

/* "12.346us", "1.234ms", "1.000s". */
void tp_key_text_time(char text[TP_KEY_TEXT], double us, enum tp_key_time_unit unit);
/* "12.34%", "NaN" of nothing. */
void tp_key_text_share(char text[TP_KEY_TEXT], double us, double total_us);
/* "-8 B", "3.91 KB"; "b", "Kb" by the rules of 2.6. */
void tp_key_text_memory(char text[TP_KEY_TEXT], int64_t bytes, enum tp_torch_rules rules);

/* The unit that the smallest positive FLOPs of the rows call for: "MFLOPs" and what to multiply by. NULL: no row has
 * any. */
const char *tp_key_flops_unit(const struct tp_key_averages *averages, double *scale);

/* Whether a row is among those shown, when `shown` stand before it. */
static inline bool tp_key_is_shown(const struct tp_key_row *row, const struct tp_key_table_options *options,
                                   int64_t shown)
{
    return (options->row_limit < 0 || shown < options->row_limit) &&
           !(options->top_level_events_only && row->has_parent);
}

#endif
