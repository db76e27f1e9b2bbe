/* Words and colors for the critical path and for changes of a replay (docs/definitions.md, section "What if"). */
#ifndef TP_WEBREPORT_DOCUMENT_PATH_WORDS_H
#define TP_WEBREPORT_DOCUMENT_PATH_WORDS_H

#include "webreport/document/looks.h"
#include "webreport/document/section.h"

/* Returns the name of a group in a sentence, such as "the host". Static text. */
const char *tp_path_group_words(enum tp_path_group group);

/* Returns the name of a group in tables and keys, such as "Host". Static text. */
const char *tp_path_group_title(enum tp_path_group group);

/* Returns the color of a group. It is the color that slices of the same work have in the timeline. */
enum tp_look tp_look_of_path_group(enum tp_path_group group);

/* Returns what a node waits for, such as "stream order". Static text. */
const char *tp_edge_reason_words(enum tp_edge_reason reason);

/* Returns the displayed name of a part of the critical path: the short name of a kernel, or words for a latency. The
 * text is in naming->arena or borrowed. */
struct tp_str tp_path_name_text(const struct tp_naming *naming, enum tp_path_kind kind, struct tp_str name);

/* A change in words: "Host" and "twice as fast". */
struct tp_change_words {
    struct tp_str name; /* what changes */
    struct tp_str full; /* name as recorded, without private parts; ptr NULL: `name` */
    const char *rest;   /* how it changes */
};

/* Returns the words for a change, such as "host=1/2" or "kernel:NAME=1/2". Texts are in section->arena or borrowed. */
struct tp_change_words tp_change_words_of(const struct tp_section *section, const struct tp_what_if_row *row);

/* Returns whether the page shows the replay of a trace. It leaves out the replays of programs with a single lane, whose
 * critical path is all of their host time, and of recordings that the verdict does not judge. */
bool tp_section_has_replay(const struct tp_section *section);

#endif
