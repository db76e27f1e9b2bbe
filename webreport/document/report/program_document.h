/* What is to know first of a program recorded from outside: for the page's overview, the digest and the terminal; and
 * what its sections share. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_DOCUMENT_H

#include "webreport/document/charts/chart_lanes.h"
#include "webreport/document/report/sections.h"

/* Is the profile one of a program, and nothing but that? */
static inline bool tp_section_is_program(const struct tp_section *section)
{
    return tp_is_of_program(section->profile->advice, section->profile->model);
}

/* The view of the program that the profile is of. */
static inline const struct tp_program_view *tp_section_program(const struct tp_section *section)
{
    return &section->profile->advice->program;
}

/* Fills an initialised document. */
void tp_program_document(struct tp_document *document, const struct tp_section *section);

/* A table of functions (enum tp_program_function_column), as pages show it; what it is called is the caller's to
 * say. */
struct tp_shown_table *tp_functions_table(const struct tp_section *section, const struct tp_table *rows, size_t max_rows);

/* Tables of a program, as pages show them; max_rows rows at most. NULL without rows. */
struct tp_shown_table *tp_program_functions_table(const struct tp_section *section, size_t max_rows);
struct tp_shown_table *tp_program_waits_table(const struct tp_section *section, size_t max_rows);

/* The command of a process as a row of a table: cut, and without private parts on request. */
struct tp_str tp_program_command(const struct tp_section *section, size_t row);

#endif
