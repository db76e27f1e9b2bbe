/* A comparison of tensors as text, JSON, Markdown and a page. */
#ifndef TP_WEBREPORT_PRINT_PRECISION_PRINT_H
#define TP_WEBREPORT_PRINT_PRECISION_PRINT_H

#include "webreport/compare/precision.h"
#include "writer/base/buf.h"

/* The table as text for a terminal: a summary, and the rows that diverge, or all; at most row_limit (negative: all). */
void tp_precision_text(struct tp_buf *out, const struct tp_precision *precision, bool shows_all, int64_t row_limit);
void tp_precision_json(struct tp_buf *out, const struct tp_precision *precision);
/* At most 200 rows, those that diverge. */
void tp_precision_markdown(struct tp_buf *out, const struct tp_precision *precision);
/* A page that needs no network; `arena` for what is needed on the way. 0 or a code of the templates. */
int tp_precision_page(struct tp_buf *out, const struct tp_precision *precision, const char *templates_dir,
                      struct tp_arena *arena, struct tp_error *err);

/* A cell for people: four digits of a real number, "-" for null, bounds with their sign. */
void tp_precision_cell(const struct tp_table *table, unsigned column, size_t row, struct tp_buf *out);
/* One sentence about the outcome. */
void tp_precision_summary(struct tp_buf *out, const struct tp_precision *precision);
/* What diverges first, one line without its end; nothing when nothing does. */
void tp_precision_first(struct tp_buf *out, const struct tp_precision *precision);

#endif
