/* What a section of the page is made from: one profile, how its names are shown and how much of it, and the builders
 * that sections and commands share. Everything lives in section->arena or is borrowed from the profile. */
#ifndef TP_WEBREPORT_DOCUMENT_SECTION_H
#define TP_WEBREPORT_DOCUMENT_SECTION_H

#include "webreport/document/block.h"
#include "webreport/document/name_text.h"
#include "webreport/document/page_limits.h"
#include "webreport/document/section_table.h"
#include "webreport/measure/audience/wording.h"
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

/* Adds {term, fact} to a list; nothing when fact is NULL. */
void tp_section_add_fact(struct tp_list *list, const char *term, const char *fact);
/* Adds a prepared table to a list. */
void tp_section_add_table(struct tp_list *list, struct tp_shown_table *shown);

/* Rows of one shown name, but of different full ones, show where the full names begin to differ. After the rows have
 * their names. names: by row; groups: by row, only rows of one group are told apart, NULL: all. */
void tp_section_tell_apart(const struct tp_naming *naming, struct tp_shown_row *rows, const struct tp_str *names,
                           const uint32_t *groups, size_t row_count);
/* The same for a whole table, whose full names stand in a column; no two rows have one name then. */
void tp_section_tell_rows_apart(const struct tp_naming *naming, struct tp_shown_table *shown, unsigned text_column);

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
