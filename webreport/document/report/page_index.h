/* Index of the page: one entry per profile, shown as a table when there are several, and the inputs that failed. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PAGE_INDEX_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PAGE_INDEX_H

#include "webreport/document/report/sections.h"

struct tp_page_entry {
    char prefix[24];          /* of the profile's ids: "p3-" */
    struct tp_str run, title; /* ready to show */
    const char *tag;          /* the verdict */
    const char *finding;      /* the first one; "" when there is none */
    int64_t step_ns;          /* mean; TP_NULL_INT: unknown, or there are none */
    int64_t wall_ns;          /* of a program recorded from outside; else TP_NULL_INT */
    double busy_percent;      /* of the steps; NaN without a device */
    double ceiling_percent;   /* of the findings together */
    struct tp_speech speech;  /* in whose words its sections are */
    unsigned sections;        /* bits of the sections that the page holds */
    bool is_shown;            /* the page has its sections */
    const char *failure;      /* why it could not be used; NULL: it could */
};

struct tp_page_index {
    struct tp_arena *arena;
    struct tp_vec entries; /* struct tp_page_entry */
    size_t shown_count, failed_count;
    unsigned span_count; /* distributed sections */
    struct tp_str run;   /* of all profiles, ready to show; empty when they differ */
    bool has_run;        /* run was set */
};

void tp_page_index_init(struct tp_page_index *index, struct tp_arena *arena);
/* A new entry with its prefix. The pointer holds until the next one is added. */
struct tp_page_entry *tp_page_index_add(struct tp_page_index *index);
/* The run of the next profile: the page is named after it when all agree. */
void tp_page_index_name_run(struct tp_page_index *index, const struct tp_naming *naming, struct tp_str run);
/* Puts the link to the profile on the other side of `steps` (profile.h) into the object of the one added last, where
 * that is in the page, or, when it comes later, has_room: members link_href, link_title. */
void tp_page_index_put_link(const struct tp_page_index *index, struct tp_object *object,
                            const struct tp_section *section, bool has_room);

/* "CPU only, 12.3 ms per step": what the head of a profile says beside its title. In `arena`. */
const char *tp_page_index_summary(const struct tp_page_entry *entry, struct tp_arena *arena);

/* Takes over what the index shows of a profile; texts are copied into `arena`. */
void tp_page_index_fill(struct tp_page_entry *entry, struct tp_arena *arena, const struct tp_section *section);
void tp_page_index_add_failed(struct tp_page_index *index, const struct tp_naming *naming, struct tp_str worker,
                              struct tp_str file, const char *why);
/* About how many bytes the index will take for so many profiles. */
size_t tp_page_index_bytes(const struct tp_page_index *index, size_t profile_count);
/* What an entry is called among the others: with its run when there are several. */
struct tp_str tp_page_index_label(const struct tp_page_index *index, size_t entry);
/* Whose words the index and what is of all profiles are in. */
struct tp_speech tp_page_index_speech(const struct tp_page_index *index);
/* Title of the document. */
struct tp_str tp_page_index_title(const struct tp_page_index *index);
/* Object for the template "index"; NONE for a single profile without failures. */
struct tp_data tp_page_index_data(struct tp_page_index *index, size_t profile_count, size_t max_bytes);

#endif
