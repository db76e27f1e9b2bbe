/* Declares the recognizers in the table of input formats. Each one returns whether the head of a file has the signature
 * of one format. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SIGNS_H
#define TP_WEBREPORT_TRACE_INPUTS_SIGNS_H

#include "webreport/trace/inputs/input_format.h"

typedef bool tp_sign(const struct tp_input_head *head, const struct tp_input_sign *sign);

/* Recognizes the bytes of the signature at their offset, and its text anywhere in the head. */
tp_sign tp_sign_bytes;
/* Recognizes a JSON object without a list of events that has the members and the text of the signature. */
tp_sign tp_sign_keys;
/* Accepts every file. */
tp_sign tp_sign_any;

/* Recognize JSON lists: torch's memory timeline, and a tree of Proton (signs.c). */
tp_sign tp_sign_memory_timeline, tp_sign_proton;
/* Recognize formats of Python and TensorBoard, and a report of Nsight Systems by its file name (signs.c). */
tp_sign tp_sign_pstats, tp_sign_event_file, tp_sign_nsys_name;
/* Recognize texts that are not JSON (text_signs.c). */
tp_sign tp_sign_perf_script, tp_sign_torch_log, tp_sign_folded, tp_sign_svg, tp_sign_html, tp_sign_markup;
/* Recognize protobuf messages (protobuf_signs.c). */
tp_sign tp_sign_xplane, tp_sign_pprof, tp_sign_perfetto;

/* Returns a head with the facts that several recognizers need. Borrows the texts. */
struct tp_input_head tp_sign_head(const void *bytes, size_t size, const char *name);

/* Returns the offset of the first byte at or after `at` that is not JSON white space, or `size`. */
size_t tp_sign_skip_space(const char *text, size_t size, size_t at);

/* Returns whether a JSON text has the key, written with its quotes (`"ph"`), followed by a colon or by the end of the
 * text. The text may be cut anywhere. */
bool tp_sign_has_key(const char *text, size_t size, const char *key);

/* Returns whether the head begins as a trace in JSON: an object with "traceEvents", or a list of events. */
bool tp_sign_is_trace(const char *text, size_t size);

/* Returns whether a name has one of the endings, which are separated by spaces. */
bool tp_sign_has_ending(const char *name, const char *endings);

#endif
