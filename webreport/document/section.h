/* Sections of the page: each takes one profile and yields the object that its template (of the same name) prints, or a
 * value of kind NONE when the profile has nothing for it. Everything lives in section->arena or is borrowed from the
 * profile. */
#ifndef TP_WEBREPORT_DOCUMENT_SECTION_H
#define TP_WEBREPORT_DOCUMENT_SECTION_H

#include "webreport/document/block.h"
#include "webreport/document/name_text.h"
#include "webreport/document/page_limits.h"
#include "webreport/document/section_table.h"
#include "webreport/measure/audience/wording.h"
#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/result/profile.h"

struct tp_section {
    struct tp_arena *arena;
    const struct tp_profile *profile;
    const struct tp_page_limits *limits;
    struct tp_naming naming;
    const char *title; /* of the profile */
    bool is_one_of_many;
    const char *left_out; /* said in `about`; NULL: nothing */
};

/* How a profile's names are shown, for tp_section_init. */
struct tp_section_options {
    bool redact;
    const char *source_url; /* as tp_source_link has it; NULL: none */
    bool is_one_of_many;
};

/* The section of a profile, with its title; limits are the caller's to set. */
void tp_section_init(struct tp_section *section, struct tp_arena *arena, const struct tp_profile *profile,
                     const struct tp_section_options *options);

#define TP_NO_DATA ((struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0})

struct tp_data tp_section_wall(const struct tp_section *section); /* where a program from outside tells of the steps */
struct tp_data tp_section_ranges(const struct tp_section *section); /* of programs that record themselves */
struct tp_data tp_section_idle(const struct tp_section *section);
struct tp_data tp_section_operators(const struct tp_section *section);
struct tp_data tp_section_kernels(const struct tp_section *section);
struct tp_data tp_section_memory(const struct tp_section *section);
struct tp_data tp_section_modules(const struct tp_section *section);
struct tp_data tp_section_serving(const struct tp_section *section);
struct tp_data tp_section_tasks(const struct tp_section *section);
struct tp_data tp_section_samples(const struct tp_section *section);
struct tp_data tp_section_calltree(const struct tp_section *section);
struct tp_data tp_section_timeline(const struct tp_section *section);
struct tp_data tp_section_quality(const struct tp_section *section);
struct tp_data tp_section_about(const struct tp_section *section);
/* Of a program recorded from outside (section_program.c). */
struct tp_data tp_section_processes(const struct tp_section *section);
struct tp_data tp_section_threads(const struct tp_section *section);
struct tp_data tp_section_flame(const struct tp_section *section);
struct tp_data tp_section_functions(const struct tp_section *section);
struct tp_data tp_section_waits(const struct tp_section *section);
struct tp_data tp_section_usage(const struct tp_section *section);
struct tp_data tp_section_seen(const struct tp_section *section);

/* What is to know first of a profile, for the page's overview and the digest: verdict, figures, findings, the heaviest
 * kernels and operators. In section->arena. */
void tp_report_document(struct tp_document *document, const struct tp_section *section);

/* The same in one line: "worker0: Input-bound, 177.6 ms per step; B1 The step waits for input data, 22.8 to 28.5 %". */
void tp_report_line(struct tp_document *document, const struct tp_section *section);
/* Of an input that could not be used. */
void tp_report_failed_line(struct tp_document *document, const struct tp_naming *naming, struct tp_str file,
                           const char *why);

/* Parts of it. */
void tp_section_put_notices(const struct tp_section *section, struct tp_document *document);
/* The notices that every reader of the digest must know: categories that are not read, ends that were cut. */
void tp_section_put_doubts(const struct tp_section *section, struct tp_document *document);
void tp_section_put_figures(const struct tp_section *section, struct tp_document *document);
/* What a finding gains: "14.1 to 37.4 %", of the judged time; NULL: nobody knows. */
const char *tp_finding_gain(const struct tp_finding *finding, struct tp_arena *arena);
void tp_section_put_findings(const struct tp_section *section, struct tp_document *document);
/* States of the main thread in the steps; nothing where no program from outside tells of them. */
void tp_section_put_wall(const struct tp_section *section, struct tp_document *document);
/* Ranges of a program that records itself; nothing in other traces. */
void tp_section_put_ranges(const struct tp_section *section, struct tp_document *document);
/* Nothing where the trace has no engine's steps with device work. */
void tp_section_put_serving(const struct tp_section *section, struct tp_document *document);

/* What inferred steps are inferred from, in words: "the calls of ResNet". In naming->arena. */
const char *tp_section_step_source(const struct tp_naming *naming, const struct tp_model *model);

/* The verdict of the analysis in words, made once: for the document, the index of profiles, the terminal and other
 * tools' files. In naming->arena. */
struct tp_verdict_block tp_section_verdict(const struct tp_naming *naming, const struct tp_profile *profile);

/* The verdict that a summary has kept (tp_summary.verdict and .headline), in the same words. class "": an older file.
 */
struct tp_verdict_block tp_stored_verdict(const struct tp_naming *naming, struct tp_str class, struct tp_str headline);

/* The ranks of one span beside each other. */
struct tp_data tp_section_distributed(struct tp_arena *arena, const struct tp_naming *naming,
                                      const struct tp_distributed *view, struct tp_speech speech);

/* ---- small builders that sections share ---- */

/* Adds {term, fact} to a list; nothing when fact is NULL. */
void tp_section_add_fact(struct tp_list *list, const char *term, const char *fact);
/* Adds a prepared table to a list. */
void tp_section_add_table(struct tp_list *list, struct tp_shown_table *shown);

/* Adds the tree of a device's time. */
void tp_section_add_time(const struct tp_section *section, struct tp_list *tables, const struct tp_time_tree *tree);

/* Rows of one shown name, but of different full ones, show where the full names begin to differ. After the rows have
 * their names. names: by row; groups: by row, only rows of one group are told apart, NULL: all. */
void tp_section_tell_apart(const struct tp_naming *naming, struct tp_shown_row *rows, const struct tp_str *names,
                           const uint32_t *groups, size_t row_count);
/* The same for a whole table, whose full names stand in a column; no two rows have one name then. */
void tp_section_tell_rows_apart(const struct tp_naming *naming, struct tp_shown_table *shown, unsigned text_column);

/* Appends the table of time by kind of work. works: has rows; caption: lives as long as the section. */
void tp_section_add_works(const struct tp_section *section, struct tp_list *tables, const struct tp_works *works,
                          const char *caption);
/* Fills the rows' names from a text column: shown text, prefix apart, source link when it is a line. */
void tp_section_name_rows(const struct tp_naming *naming, struct tp_shown_table *shown, unsigned text_column);
/* As tp_shown_table_new, in the words of the profile's producer. */
struct tp_shown_table *tp_section_table_new(const struct tp_section *section, const struct tp_table *table,
                                            const struct tp_shown_column *columns, unsigned column_count,
                                            size_t max_rows);
/* A text of ours in the words of the profile's producer: tp_spoken. */
const char *tp_section_word(const struct tp_section *section, const char *text);
/* "GPU 0"; a device of the program's own by its name. */
const char *tp_section_device_name(const struct tp_section *section, int64_t id);

#endif
