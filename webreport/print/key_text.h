/* Numbers as torch.profiler prints them. */
#ifndef TP_WEBREPORT_PRINT_KEY_TEXT_H
#define TP_WEBREPORT_PRINT_KEY_TEXT_H

#include "webreport/print/key_table.h"

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
