/* Words captured graphs, and how the kernels of graphs were joined with them. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_CAPTURE_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_CAPTURE_WORDS_H

#include "webreport/measure/views/capture_view.h"

/* Returns "capture trace: map for 3 graphs (sizes 1, 2, 4)". captures: sections of one file. In `arena`. */
const char *tp_capture_map_text(const struct tp_captures *captures, struct tp_arena *arena);

/* Returns the name of a section: "capture_32_FULL", otherwise the name of its file and its number. In `arena`. */
const char *tp_capture_section_name(const struct tp_captures *captures, uint32_t section, struct tp_arena *arena);

/* Returns how many kernels of graphs were joined, and with which captures; if none was joined, why. NULL if the trace
 * has no launches of graphs or no captures. In `arena`. */
const char *tp_joined_text(const struct tp_joined *joined, struct tp_arena *arena);

/* Returns why a launch of a graph was not joined, or which part of the capture does not apply to it; NULL if the
 * capture applies without reservation. In `arena`. */
const char *tp_join_reason_text(const struct tp_graph_replay *replay, struct tp_arena *arena);

/* Fills the texts of the view: its summary, and the reasons and captures of launches. In `arena`. */
void tp_fill_capture_texts(struct tp_capture_view *view, const struct tp_model *model, struct tp_arena *arena);

#endif
