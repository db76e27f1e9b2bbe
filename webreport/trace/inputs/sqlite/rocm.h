/* Reads databases of AMD's profilers: rocpd, which rocprofv3 writes (ROCm 7), and rpd of rocmProfileData. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_ROCM_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_ROCM_H

#include "webreport/trace/inputs/sqlite/database.h"
#include "webreport/trace/inputs/sqlite/row_events.h"
#include "webreport/trace/source.h"

/* Return true if a database has the tables of the producer. */
bool tp_rocpd_is_one(const struct tp_database *db);
bool tp_rpd_is_one(const struct tp_database *db);

/* Append the pids of the processes to `pids`, elements: int64_t. Return the codes of tp_database_scan. */
int tp_rocpd_list_processes(struct tp_database *db, struct tp_vec *pids, struct tp_error *err);
int tp_rpd_list_processes(struct tp_database *db, struct tp_vec *pids, struct tp_error *err);

/* Read one process. Return the codes of tp_database_scan, and TP_EFORMAT without a device operation. */
int tp_rocpd_read(struct tp_database *db, struct tp_source *source, struct tp_row_events *events, int64_t pid);
int tp_rpd_read(struct tp_database *db, struct tp_source *source, struct tp_row_events *events, int64_t pid);

/* Texts by their numbers in a database. */
struct tp_rocm_texts {
    struct tp_id_map index; /* number of a text: index in texts */
    struct tp_vec texts;    /* elements: struct tp_str */
};

void tp_rocm_texts_init(struct tp_rocm_texts *texts, struct tp_arena *arena);
void tp_rocm_texts_add(struct tp_rocm_texts *texts, int64_t id, struct tp_str text);
/* Returns the text with this number; empty if it is missing. */
struct tp_str tp_rocm_texts_get(const struct tp_rocm_texts *texts, int64_t id);

/* Reads start and end of a row. Returns false if they are no possible times. */
bool tp_rocm_read_span(const struct tp_database_row *row, unsigned start, unsigned end, int64_t span_ns[2]);

/* Delivers a marker: an operator if its text is one (range_text.h), otherwise a range. Returns true for an operator. */
bool tp_rocm_add_marker(struct tp_row_events *events, struct tp_str text, uint32_t thread, const int64_t span_ns[2]);

/* Returns an operation without the numbers that only kernels have. */
struct tp_row_device tp_rocm_start_operation(enum tp_row_cat cat, const int64_t span_ns[2]);

/* Returns the id of the name of a copy. direction: "HtoD"; NULL if unknown. */
uint32_t tp_rocm_copy_name(struct tp_row_events *events, const char *direction);

/* Returns the number of blocks for a number of work items in one dimension. */
int64_t tp_rocm_blocks(int64_t items, int64_t group_items);

#endif
