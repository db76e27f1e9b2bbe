/* Lists the ranks of a trace in JSON into which somebody merged the traces of several ranks (rank_split.h). */
#ifndef TP_WEBREPORT_TRACE_MERGED_RANKS_H
#define TP_WEBREPORT_TRACE_MERGED_RANKS_H

#include "webreport/trace/input_part.h"

/* Lists the ranks of a file. Searches a small part of the text for signs of several ranks first, and reads the whole
 * file only if this part has one, so that this function takes no noticeable time for the trace of one rank. If the
 * ranks cannot be separated, appends one part with a refusal, with which the reader refuses the file. */
tp_input_parts_lister tp_merged_ranks_list;

#endif
