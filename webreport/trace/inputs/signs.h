/* Declares the functions that recognize the input formats in the table. Each one returns true if the first bytes of
 * a file have the signature of one format. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SIGNS_H
#define TP_WEBREPORT_TRACE_INPUTS_SIGNS_H

#include "webreport/trace/inputs/input_format.h"

typedef bool tp_sign(const struct tp_input_head *head, const struct tp_input_sign *sign);

/* Recognizes the bytes of a signature at their offset. If the signature has a text, also requires it anywhere in the
 * first bytes of the file. */
tp_sign tp_sign_has_bytes;
/* Recognizes a JSON object that has the members and the text of the signature, but no list of events. */
tp_sign tp_sign_has_json_keys;
/* Accepts every file. */
tp_sign tp_sign_matches_any;

/* These functions recognize two kinds of JSON lists: torch's memory timeline, and a tree of Proton (signs.c). */
tp_sign tp_sign_is_memory_timeline, tp_sign_is_proton;
/* These functions recognize cProfile files, event files of TensorBoard, and reports of Nsight Systems by file name
 * (signs.c). */
tp_sign tp_sign_is_pstats, tp_sign_is_event_file, tp_sign_has_nsys_name;
/* These functions recognize memory snapshots: pickles, other files with the name of a pickle, and pages of
 * torch.cuda._memory_viz (snapshot_signs.c). */
tp_sign tp_sign_is_snapshot, tp_sign_has_pickle_name, tp_sign_is_snapshot_page;
/* These functions recognize texts that are not JSON (text_signs.c). */
tp_sign tp_sign_is_perf_script, tp_sign_is_torch_log, tp_sign_is_folded, tp_sign_is_svg, tp_sign_is_html,
    tp_sign_is_markup;
/* These functions recognize protobuf messages (protobuf_signs.c). */
tp_sign tp_sign_is_xplane, tp_sign_is_pprof, tp_sign_is_perfetto;

/* Returns the first bytes of a file with the properties that several recognizers need. Borrows the texts. */
struct tp_input_head tp_sign_make_head(const void *bytes, size_t size, const char *name);

/* Returns the offset of the first byte at or after `at` that is not JSON white space; `size` if none exists. */
size_t tp_sign_skip_space(const char *text, size_t size, size_t at);

/* Returns true if a JSON text has the key, followed by a colon or by the end of the text. The text may be cut
 * anywhere. key: with its quotes, such as `"ph"`. */
bool tp_sign_has_key(const char *text, size_t size, const char *key);

/* Returns true if a text begins like a trace in JSON: an object with "traceEvents", or a list of events. */
bool tp_sign_is_trace(const char *text, size_t size);

/* Returns the length of the first of the endings that a name has; 0 if it has none. endings: separated by spaces. */
size_t tp_sign_ending_bytes(const char *name, const char *endings);

/* Returns true if a name has one of the endings. endings: separated by spaces. */
bool tp_sign_has_ending(const char *name, const char *endings);

#endif
