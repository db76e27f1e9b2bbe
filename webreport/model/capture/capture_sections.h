/* Finds the captured graphs of a trace, and determines whether the trace is only a map (docs/definitions.md,
 * section 33). */
#ifndef TP_WEBREPORT_MODEL_CAPTURE_CAPTURE_SECTIONS_H
#define TP_WEBREPORT_MODEL_CAPTURE_CAPTURE_SECTIONS_H

#include "webreport/model/capture/graph_captures.h"
#include "webreport/model/facts.h"

/* Finds the sections of the trace of `model`, whose trees, links and marks must be built. Leaves *captures empty if
 * there are no sections. path: path of the trace file; its name may show the batch size. details: text of the file
 * "execution_details.json" in its folder; ptr NULL if it does not exist. Allocates from `arena`. */
void tp_capture_sections_find(struct tp_captures *captures, const struct tp_model *model, const char *path,
                              struct tp_str details, struct tp_arena *arena);

/* Parses a text "capture_32_FULL" or "capture_32". Returns false for other texts. mode: empty without a mode. */
bool tp_capture_range_parse(struct tp_str name, int64_t *batch, struct tp_str *mode);

/* Parses digits at the start of a text. Returns the number of digits; 0 if the text does not start with a digit. Larger
 * numbers than int64_t become INT64_MAX. */
size_t tp_capture_digits(struct tp_str text, int64_t *number);

#endif
