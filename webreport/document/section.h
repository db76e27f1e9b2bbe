/* Sections of the page: each takes one profile and yields the object that its template (of the same name) prints, or a
 * value of kind NONE when the profile has nothing for it. Everything lives in section->arena or is borrowed from the
 * profile. */
#ifndef TP_WEBREPORT_DOCUMENT_SECTION_H
#define TP_WEBREPORT_DOCUMENT_SECTION_H

#include "webreport/document/name_text.h"
#include "webreport/document/page_limits.h"
#include "webreport/document/section_table.h"
#include "webreport/measure/distributed.h"
#include "webreport/measure/profile.h"

struct tp_section {
    struct tp_arena *arena;
    const struct tp_profile *profile;
    const struct tp_page_limits *limits;
    struct tp_naming naming;
    const char *title; /* of the profile */
    bool is_one_of_many;
    const char *left_out; /* said in `about`; NULL: nothing */
};

#define TP_NO_DATA ((struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0})

struct tp_data tp_section_overview(const struct tp_section *section);
struct tp_data tp_section_idle(const struct tp_section *section);
struct tp_data tp_section_operators(const struct tp_section *section);
struct tp_data tp_section_kernels(const struct tp_section *section);
struct tp_data tp_section_memory(const struct tp_section *section);
struct tp_data tp_section_modules(const struct tp_section *section);
struct tp_data tp_section_samples(const struct tp_section *section);
struct tp_data tp_section_calltree(const struct tp_section *section);
struct tp_data tp_section_timeline(const struct tp_section *section);
struct tp_data tp_section_quality(const struct tp_section *section);
struct tp_data tp_section_about(const struct tp_section *section);

/* Parts of the overview. */
void tp_section_put_notices(const struct tp_section *section, struct tp_object *overview);
void tp_section_put_findings(const struct tp_section *section, struct tp_object *overview);
void tp_section_put_figures(const struct tp_section *section, struct tp_object *overview);

/* The verdict of the analysis in words, in naming->arena. */
struct tp_verdict_words {
    const char *tag, *tone; /* tone: "", "good", "low" */
    const char *headline, *text;
};
struct tp_verdict_words tp_section_verdict(const struct tp_naming *naming, const struct tp_profile *profile);

/* The ranks of one span beside each other. */
struct tp_data tp_section_distributed(struct tp_arena *arena, const struct tp_naming *naming,
                                      const struct tp_distributed *view);

/* ---- small builders that sections share ---- */

/* Adds {term, fact} to a list; nothing when fact is NULL. */
void tp_section_add_fact(struct tp_list *list, const char *term, const char *fact);
/* Adds a prepared table to a list. */
void tp_section_add_table(struct tp_list *list, struct tp_shown_table *shown);
/* Fills the rows' names from a text column: shown text, prefix apart, source link when it is a line. */
void tp_section_name_rows(const struct tp_naming *naming, struct tp_shown_table *shown, unsigned text_column);
/* "GPU 0" or "CPU". */
const char *tp_section_device_name(struct tp_arena *arena, bool is_gpu, int64_t id);

#endif
