/* Makes the summary of a program that was recorded from outside, for the page's overview, the digest and the terminal.
 * Also declares functions that several sections about such a program use. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_DOCUMENT_H

#include "webreport/document/charts/chart_lanes.h"
#include "webreport/document/report/program_section.h"

/* Returns the color of a function: that of its segment of the running time in the bar. */
enum tp_look tp_program_function_look(const struct tp_program_view *view, struct tp_str name, struct tp_str file);

/* Fills a document that tp_document_init has initialized. */
void tp_program_document(struct tp_document *document, const struct tp_section *section);

/* Returns a table of functions for pages, with the columns of enum tp_program_function_column. The caller sets the
 * names of the table. */
struct tp_shown_table *tp_functions_table(const struct tp_section *section, const struct tp_table *rows,
                                          size_t max_rows);

/* Return tables about a program for pages, with at most max_rows rows; NULL if a table would be empty. */
struct tp_shown_table *tp_program_functions_table(const struct tp_section *section, size_t max_rows);
struct tp_shown_table *tp_program_waits_table(const struct tp_section *section, size_t max_rows);

/* Adds facts about the recording to the section About: how it was made, its precision, its cost, and what it missed. */
void tp_program_add_facts_of_recording(const struct tp_section *section, struct tp_list *facts);

/* Returns the command of a process, shortened, and without private parts if `redact` is set. */
struct tp_str tp_program_full_command(const struct tp_section *section, struct tp_str command);

/* Returns the last program of this command without its folder: "cc1 -quiet a.c" for "gcc a.c  =>  /usr/lib/cc1 -quiet
 * a.c". */
struct tp_str tp_program_short_command(const struct tp_section *section, struct tp_str command);

#endif
