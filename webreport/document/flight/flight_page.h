/* Declares the parts of the page of dumps of the Flight Recorder. flight_document.c calls them in the order of the
 * page. */
#ifndef TP_WEBREPORT_DOCUMENT_FLIGHT_FLIGHT_PAGE_H
#define TP_WEBREPORT_DOCUMENT_FLIGHT_FLIGHT_PAGE_H

#include "webreport/document/block.h"
#include "webreport/document/name_text.h"
#include "webreport/document/words/flight_words.h"

struct tp_flight_page {
    struct tp_document *document;
    struct tp_arena *arena;
    const struct tp_flight_result *result;
    struct tp_naming naming;
    const char *folder; /* name of the folder with the dumps */
};

/* Returns a text of a dump as C text, without NUL bytes, and without private parts if the page hides them. */
const char *tp_flight_page_text(const struct tp_flight_page *page, struct tp_str text);

/* Returns a sentence as C text, without NUL bytes. */
const char *tp_flight_page_sentence(const struct tp_flight_page *page, struct tp_str text);

/* Returns a frame as "path(line): function". */
const char *tp_flight_page_frame(const struct tp_flight_page *page, struct tp_flight_frame frame);

/* Returns ranks as text, such as "0, 1, 3" or "0, 1, 2, 3 and 9 more". */
const char *tp_flight_page_ranks(const struct tp_flight_page *page, struct tp_flight_ranks ranks);

/* Add the sections of the page. A section without content is left out. */
void tp_flight_page_put_calls(const struct tp_flight_page *page);      /* the last calls of each group and rank */
void tp_flight_page_put_mismatches(const struct tp_flight_page *page); /* both sides of calls that do not match */
void tp_flight_page_put_culprits(const struct tp_flight_page *page);   /* tables of culprits and of circles */
void tp_flight_page_put_open(const struct tp_flight_page *page);       /* table of the calls that ranks wait in */
void tp_flight_page_put_stacks(const struct tp_flight_page *page);     /* call stacks with the ranks that wait there */
void tp_flight_page_put_files(const struct tp_flight_page *page);      /* table of files */

/* Adds the answer as a finding, which only formats that list findings show. */
void tp_flight_page_put_finding(const struct tp_flight_page *page);

#endif
