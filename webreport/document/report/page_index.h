/* Index of the page: an entry for each profile and each failed input. The page shows the index as a table if there
 * are several profiles. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PAGE_INDEX_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PAGE_INDEX_H

#include "webreport/document/report/sections.h"

enum { TP_MAX_SECTIONS = 32 };

struct tp_page_entry {
    char prefix[24];          /* prefix of the profile's ids, such as "p3-" */
    struct tp_str run, title; /* displayed names of the run and the profile */
    const char *tag;          /* verdict of the profile, as one or two words */
    const char *finding;      /* title of the first finding, or "" */
    int64_t step_ns;          /* length of the mean step, ns; TP_NULL_INT if unknown */
    int64_t wall_ns;          /* wall time of a program recorded from outside, ns; TP_NULL_INT for other profiles */
    double busy_percent;      /* share of the steps in which the device is busy, percent; NaN without a device */
    double ceiling_percent;   /* upper bound of the total gain of all findings, percent */
    struct tp_str worker;     /* worker and number of the recording, by which the comparison of ranks finds the entry */
    int64_t span;
    const struct tp_findings_block *findings; /* findings of one of a few profiles; NULL for other profiles */
    struct tp_speech speech;                  /* vocabulary for the texts in the profile's sections */
    /* sections that the page has for this profile, in the order of the page: indexes in the printer's table */
    uint8_t sections[TP_MAX_SECTIONS];
    unsigned section_count;
    bool is_shown;       /* true: the page has sections for this profile */
    const char *failure; /* reason why the input was not used, or NULL */
};

struct tp_page_index {
    struct tp_arena *arena;
    struct tp_vec entries; /* elements: struct tp_page_entry */
    size_t shown_count, failed_count;
    unsigned span_count; /* number of sections that compare the ranks of a recording */
    struct tp_str run;   /* displayed name of the run; "" if the profiles have different runs */
    bool has_run;        /* true: `run` was set at least once */
};

void tp_page_index_init(struct tp_page_index *index, struct tp_arena *arena);
/* Adds an entry with a new prefix for ids. The pointer is valid until the next call. */
struct tp_page_entry *tp_page_index_add(struct tp_page_index *index);
/* Records the run of the next profile. The page shows the name of the run only if all profiles have the same run. */
void tp_page_index_set_run_name(struct tp_page_index *index, const struct tp_naming *naming, struct tp_str run);
/* Adds the members link_href and link_title to `object`, for the last added profile. They link to the profile that the
 * run has from the other recording, from inside or from outside (profile.h: linked). Does nothing if the page lacks
 * that profile. has_room: true if the page has room for a later profile. */
void tp_page_index_put_link(const struct tp_page_index *index, struct tp_object *object,
                            const struct tp_section *section, bool has_room);

/* Returns the text next to a profile's title, such as "CPU only, 12.3 ms per step", in `arena`. */
const char *tp_page_index_summary(const struct tp_page_entry *entry, struct tp_arena *arena);

/* Fills an entry from a profile, and copies the texts into `arena`. */
void tp_page_index_fill(struct tp_page_entry *entry, struct tp_arena *arena, const struct tp_section *section);
void tp_page_index_add_failed(struct tp_page_index *index, const struct tp_naming *naming, struct tp_str worker,
                              struct tp_str file, const char *why);
/* Returns the entry of a worker in a recording, or NULL. */
const struct tp_page_entry *tp_page_index_find(const struct tp_page_index *index, struct tp_str worker, int64_t span);
/* Returns the approximate size of an index with `profile_count` profiles, bytes. */
size_t tp_page_index_estimated_bytes(const struct tp_page_index *index, size_t profile_count);
/* Returns the name of the profile of an entry, after the name of its run if the page has several runs. */
struct tp_str tp_page_index_label(const struct tp_page_index *index, size_t entry);
/* Returns the vocabulary that suits all profiles of the page, for the index and for sections about all profiles. */
struct tp_speech tp_page_index_joined_speech(const struct tp_page_index *index);
/* Returns the title of the page. */
struct tp_str tp_page_index_title(const struct tp_page_index *index);
/* Returns the object for the template "index"; kind NONE if the page has a single profile and no failed input. */
struct tp_data tp_page_index_data(struct tp_page_index *index, size_t profile_count, size_t max_bytes);

#endif
