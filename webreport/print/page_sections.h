/* Makes the sections of a profile, and puts them into the order of the page. Sections that read every event (large
 * sections) are built on a second thread, in its own arena. */
#ifndef TP_WEBREPORT_PRINT_PAGE_SECTIONS_H
#define TP_WEBREPORT_PRINT_PAGE_SECTIONS_H

#include <pthread.h>

#include "webreport/document/report/page_index.h"

/* The large sections of a profile. */
struct tp_large_sections {
    struct tp_section section;            /* input; its arena belongs to the thread that builds the sections */
    struct tp_data data[TP_MAX_SECTIONS]; /* sections by index */
    pthread_t thread;
    bool has_thread, is_built;
};

/* Builds the large sections on the calling thread. After a failure, the section's arena has the error. */
void tp_large_sections_build(struct tp_large_sections *large);

/* Builds the sections of a profile, and adds them to the template data in `root` as the list `groups` of rows; the row
 * about the report is the list `last_groups`. Stores the sections in `entry`. large: large sections, which are built in
 * large_arena unless is_built is set. Jumps to the guard of the section's arena if an allocation fails. */
void tp_page_sections_put(struct tp_object *root, struct tp_page_entry *entry, const struct tp_section *section,
                          struct tp_large_sections *large, struct tp_arena *large_arena);

/* Return the id of a section, and its label in the navigation. index: an element of entry->sections. */
const char *tp_page_section_name(unsigned index);
const char *tp_page_section_label(unsigned index);
/* Returns whether the section describes the report itself. Such a section ends the page. */
bool tp_page_section_is_last(unsigned index);

#endif
