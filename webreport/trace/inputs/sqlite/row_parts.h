/* What readers of small databases share: texts by number, times, markers and operations. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_ROW_PARTS_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_ROW_PARTS_H

#include "webreport/trace/inputs/sqlite/database.h"
#include "webreport/trace/inputs/sqlite/row_events.h"

/* Texts by their numbers in a database. */
struct tp_row_texts {
    struct tp_id_map index; /* number of a text: index in texts */
    struct tp_vec texts;    /* elements: struct tp_str */
};

void tp_row_texts_init(struct tp_row_texts *texts, struct tp_arena *arena);
void tp_row_texts_add(struct tp_row_texts *texts, int64_t id, struct tp_str text);
/* Returns the text with this number; empty if it is missing. */
struct tp_str tp_row_texts_get(const struct tp_row_texts *texts, int64_t id);

/* Reads start and end of a row. Returns false if they are no possible times. */
bool tp_row_read_span(const struct tp_database_row *row, unsigned start, unsigned end, int64_t span_ns[2]);

/* Delivers a marker: an operator if its text is one (range_text.h), otherwise a range. Returns true for an operator. */
bool tp_row_add_marker(struct tp_row_events *events, struct tp_str text, uint32_t thread, const int64_t span_ns[2]);

/* Returns an operation without the numbers that only kernels have. */
struct tp_row_device tp_row_start_operation(enum tp_row_cat cat, const int64_t span_ns[2]);

/* Returns the id of the name of a copy. direction: "HtoD"; NULL if unknown. */
uint32_t tp_row_copy_name(struct tp_row_events *events, const char *direction);

/* Returns the number of blocks for a number of work items in one dimension. */
int64_t tp_row_blocks(int64_t items, int64_t group_items);

#endif
