/* Makes the summary of a program that was recorded from outside, for the page's overview, the digest and the terminal.
 * Also declares functions that several sections about such a program use. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_DOCUMENT_H

#include "webreport/document/charts/chart_lanes.h"
#include "webreport/document/report/sections.h"

/* Returns whether the profile contains only a program recorded from outside. */
static inline bool tp_section_is_program(const struct tp_section *section)
{
    return tp_advice_is_for_program(section->profile->advice, section->profile->model);
}

/* Returns the data of the recorded program, which the profile must have. */
static inline const struct tp_program_view *tp_section_program(const struct tp_section *section)
{
    return &section->profile->advice->program;
}

/* Fills a document that tp_document_init has initialized. */
void tp_program_document(struct tp_document *document, const struct tp_section *section);

/* Returns a table of functions for pages, with the columns of enum tp_program_function_column. The caller sets the
 * names of the table. */
struct tp_shown_table *tp_functions_table(const struct tp_section *section, const struct tp_table *rows,
                                          size_t max_rows);

/* Return tables about a program for pages, with at most max_rows rows; NULL if a table would be empty. */
struct tp_shown_table *tp_program_functions_table(const struct tp_section *section, size_t max_rows);
struct tp_shown_table *tp_program_waits_table(const struct tp_section *section, size_t max_rows);

/* Returns the command of the process in row `row`, shortened, and without private parts if `redact` is set. */
struct tp_str tp_program_command(const struct tp_section *section, size_t row);

#endif
