/* The inputs that a session has open: at most TP_MAX_ASK_TRACES, in tp_ask_options.cache_bytes of memory. The one that
 * was not used for the longest time is closed first. A file that changed is read anew. */
#ifndef TP_WEBREPORT_ASK_INPUTS_CACHE_H
#define TP_WEBREPORT_ASK_INPUTS_CACHE_H

#include "webreport/ask/ask_input.h"

/* Finds an input by its path, or by the id that tool_traces.c lists. Opens it if it is not open. Sets *input, which
 * stays open until the next call of this function at least. Returns TP_ASK_ANSWERED or the reason of a failure. */
enum tp_ask_code tp_inputs_cache_get(struct tp_ask_input **input, struct tp_ask_call *call, struct tp_str given);

/* Finds a path as tp_inputs_cache_get does, without opening it. *process: see tp_ask_input. */
enum tp_ask_code tp_inputs_cache_find(const char **path, const char **process, struct tp_file_identity *identity,
                                      struct tp_ask_call *call, struct tp_str given);

/* Closes all inputs. */
void tp_inputs_cache_close(struct tp_ask *ask);

#endif
