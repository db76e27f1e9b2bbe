/* Declares the sections of the page. Each function takes one profile and returns the object for the template of the
 * same name, or kind NONE if the profile has no data for the section. All memory is in section->arena or borrowed from
 * the profile. The sections of call tree and timeline are in ../charts. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_SECTIONS_H
#define TP_WEBREPORT_DOCUMENT_REPORT_SECTIONS_H

#include "webreport/document/charts/trace_picture.h"
#include "webreport/document/section.h"
#include "webreport/document/section_verdict.h"
#include "webreport/measure/ranks/distributed.h"

/* Returns kind NONE unless another recording of the same run, from outside, covers the steps. */
struct tp_data tp_section_wall(const struct tp_section *section);
/* Returns kind NONE unless the program records ranges through tracepress.h. */
struct tp_data tp_section_ranges(const struct tp_section *section);
struct tp_data tp_section_idle(const struct tp_section *section);
/* Adds the member streams: queues and idle time of the streams, and delays of launches. (section_streams.c) */
void tp_section_put_streams(const struct tp_section *section, struct tp_object *object);
/* Returns kind NONE if no device worked in the analysed steps. */
struct tp_data tp_section_work(const struct tp_section *section);
struct tp_data tp_section_operators(const struct tp_section *section);
/* Add the operators of graph kernels, and the captured graphs, to the tables of the section of operators. The second
 * function returns false if the trace has no captured graphs. (section_captures.c) */
void tp_section_add_captured_operators(const struct tp_section *section, struct tp_list *tables);
bool tp_section_add_captures(const struct tp_section *section, struct tp_list *tables);
struct tp_data tp_section_kernels(const struct tp_section *section);
/* Returns the title of a row for times from one limit to the next, such as "below 1 us", "1 us to 10 us" or "1 s or
 * more". column: NS column with the lower limit of each row; the first one is 0. (section_kernels.c) */
const char *tp_section_title_of_times(const struct tp_section *section, const struct tp_table *table, unsigned column,
                                      size_t row);
struct tp_data tp_section_memory(const struct tp_section *section);
struct tp_data tp_section_modules(const struct tp_section *section);
/* Returns kind NONE if the replay is withheld or shows nothing new. */
struct tp_data tp_section_what_if(const struct tp_section *section);
/* Adds the critical path to the section "What if": the members path_title and path_tables. (section_critical_path.c) */
void tp_section_add_critical_path(const struct tp_section *section, struct tp_object *object);
/* Returns the line of the first screen about the critical path, or about why there are no answers, as marked text
 * (writer/text/marked_text.h); NULL if the page does not show the replay. (section_what_if.c) */
const char *tp_section_critical_path_line(const struct tp_section *section);
struct tp_data tp_section_serving(const struct tp_section *section);
struct tp_data tp_section_tasks(const struct tp_section *section);
struct tp_data tp_section_counters(const struct tp_section *section);
/* Returns kind NONE unless another profiler recorded calls of the operating system. */
struct tp_data tp_section_os_calls(const struct tp_section *section);
struct tp_data tp_section_samples(const struct tp_section *section);
struct tp_data tp_section_about(const struct tp_section *section);
/* Return the sections of a program recorded from outside. (section_program.c) */
struct tp_data tp_section_processes(const struct tp_section *section);
struct tp_data tp_section_threads(const struct tp_section *section);
struct tp_data tp_section_flame(const struct tp_section *section);
struct tp_data tp_section_functions(const struct tp_section *section);
struct tp_data tp_section_waits(const struct tp_section *section);
struct tp_data tp_section_usage(const struct tp_section *section);

/* Makes the overview of a profile for the page and the digest: verdict, figures, findings, and the heaviest kernels
 * and operators. Allocates from section->arena. */
void tp_report_document(struct tp_document *document, const struct tp_section *section);

/* Adds one line that summarizes a profile, such as "worker0: Input-bound, 177.6 ms per step; B1 The step waits for
 * input data, 22.8 to 28.5 %". */
void tp_document_add_profile_line(struct tp_document *document, const struct tp_section *section);
/* Adds a line for an input that could not be analyzed. why: reason. */
void tp_document_add_failed_input(struct tp_document *document, const struct tp_naming *naming, struct tp_str file,
                                  const char *why);

/* Add notices: about damage above the answer, and all others below the actions. */
void tp_section_put_notices(const struct tp_section *section, struct tp_document *document);
void tp_section_put_later_notices(const struct tp_section *section, struct tp_document *document);
/* Adds the notices that also appear in the digest: unknown event categories, and corrected ends of events. */
void tp_section_put_data_notices(const struct tp_section *section, struct tp_document *document);
/* Adds the bar by cause, the ribbon of steps, and the strip of a step. (section_answer.c) */
void tp_section_put_charts(const struct tp_section *section, struct tp_document *document);
/* Returns a lane of the strip in the colors of the page. */
struct tp_strip_row tp_section_strip_row(const struct tp_section *section, const struct tp_strip_lane *lane);
/* Makes the picture of a trace in `arena`, with copies of all texts. profile: of its views, only the facts are needed.
 * (section_picture.c) */
void tp_trace_picture_build(struct tp_trace_picture *picture, const struct tp_profile *profile,
                            const struct tp_section_options *options, struct tp_arena *arena);
/* Copies the list of findings of a trace into `arena`. The copy has no times for a timeline. heading: static.
 * (section_picture.c) */
void tp_findings_copy(struct tp_findings_block *to, const char *heading, const struct tp_section *section,
                      struct tp_arena *arena);
void tp_section_put_figures(const struct tp_section *section, struct tp_document *document);
/* Returns the estimated gain of a finding in percent of the analyzed time, such as "14.1 to 37.4 %"; NULL if the gain
 * is unknown. */
const char *tp_finding_gain_text(const struct tp_finding *finding, struct tp_arena *arena);
/* Returns the number of a finding in the list of actions, from 1; 0 if it is not an action. */
unsigned tp_finding_number(const struct tp_section *section, const struct tp_finding *finding);
void tp_section_put_findings(const struct tp_section *section, struct tp_document *document);
/* Adds the states of the main thread in the steps, if another recording of the same run, from outside, covers them. */
void tp_section_put_wall(const struct tp_section *section, struct tp_document *document);
/* Adds the ranges that a program records through tracepress.h. Adds nothing for other traces. */
void tp_section_put_ranges(const struct tp_section *section, struct tp_document *document);
/* Adds the steps of a serving engine. Does nothing unless the trace has such steps with device work. */
void tp_section_put_serving(const struct tp_section *section, struct tp_document *document);

/* Makes the answer about at least two ranks of one recording: headline, bar by cause, lanes, and the findings of a
 * replayed job. findings: findings of the slowest rank, for ranks without a replay; NULL if unknown. (section_ranks.c)
 */
void tp_ranks_document(struct tp_document *document, const struct tp_naming *naming, const struct tp_distributed *view,
                       const struct tp_findings_block *findings);
/* Returns the rank whose lane is first: the straggler, otherwise the rank with most computation. */
uint32_t tp_ranks_slowest(const struct tp_naming *naming, const struct tp_distributed *view);
/* Returns the section that compares the ranks of one recording. */
struct tp_data tp_section_distributed(struct tp_arena *arena, const struct tp_naming *naming,
                                      const struct tp_distributed *view, struct tp_speech speech);

/* Returns the source line of an operator, such as "model.py:200", if all its recorded stacks have the same innermost
 * line outside of PyTorch; "" otherwise. */
struct tp_str tp_section_line_of_operator(const struct tp_section *section, struct tp_str name);
/* Adds the table of code that torch.compile generated. Does nothing for traces without such code. (section_compiled.c)
 */
void tp_section_add_compiled(const struct tp_section *section, struct tp_list *tables);
/* Returns the source line of a generated kernel, such as "model.py:11-13", if all its calls have the same one; ""
 * otherwise. */
struct tp_str tp_section_compiled_line(const struct tp_section *section, struct tp_str name);

/* Returns the displayed name of a node: the title of a group, the short name of a kernel, or the node's own text. */
struct tp_str tp_section_name_of_time_node(const struct tp_section *section, const struct tp_time_tree *tree,
                                           uint32_t index);
/* Appends a table to `tables` that shows the time of a device as a tree. */
void tp_section_add_time(const struct tp_section *section, struct tp_list *tables, const struct tp_time_tree *tree);

/* Appends a table of the time by kind of work to `tables`. works: must have rows. caption: must live as long as the
 * section. */
void tp_section_add_works(const struct tp_section *section, struct tp_list *tables, const struct tp_works *works,
                          const char *caption);

#endif
