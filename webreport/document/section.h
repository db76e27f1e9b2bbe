/* The input of a section of the page: one profile, with options for its names and limits. Also declares functions that
 * sections and commands use. All returned memory is in section->arena or borrowed from the profile. */
#ifndef TP_WEBREPORT_DOCUMENT_SECTION_H
#define TP_WEBREPORT_DOCUMENT_SECTION_H

#include "webreport/document/block.h"
#include "webreport/document/lead.h"
#include "webreport/document/name_text.h"
#include "webreport/document/page_limits.h"
#include "webreport/document/section_table.h"
#include "webreport/measure/audience/phrases.h"
#include "webreport/measure/result/profile.h"

struct tp_section {
    struct tp_arena *arena;
    const struct tp_profile *profile;
    const struct tp_page_limits *limits;
    struct tp_naming naming;
    const char *title; /* title of the profile on the page */
    bool is_one_of_many;
    const char *left_out; /* sentence about parts that the page omits, for the section About, or NULL */
};

/* Options for displaying the names of a profile; argument of tp_section_init. */
struct tp_section_options {
    bool redact;
    const char *source_url; /* pattern for tp_source_link; NULL for no links */
    bool is_one_of_many;
};

/* Initializes the input of the sections about a profile, including its title. The caller sets the limits. */
void tp_section_init(struct tp_section *section, struct tp_arena *arena, const struct tp_profile *profile,
                     const struct tp_section_options *options);

#define TP_NO_DATA ((struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0})

/* Adds an object {term, fact} to a list. Does nothing if `fact` is NULL. */
void tp_list_add_fact(struct tp_list *list, const char *term, const char *fact);
/* Prepares a table with tp_shown_table_data and adds it to a list. */
void tp_list_add_shown_table(struct tp_list *list, struct tp_shown_table *shown);

/* Sets the names of all rows from a text column, each with its prefix, and with a link if the text is a source line. */
void tp_shown_table_set_row_names(const struct tp_naming *naming, struct tp_shown_table *shown, unsigned text_column);
/* Like tp_shown_table_new, but the titles of the table use the words that fit the program that made the trace. */
struct tp_shown_table *tp_section_table_new(const struct tp_section *section, const struct tp_table *table,
                                            const struct tp_shown_column *columns, unsigned column_count,
                                            size_t max_rows);
/* Replaces words in a text by the words that fit the program that made the trace (tp_speech_text). */
const char *tp_section_words_for_producer(const struct tp_section *section, const char *text);
/* Returns the name of a device: "GPU 0", or the name that the program itself gave to the device. */
const char *tp_section_device_name(const struct tp_section *section, int64_t id);

#endif
