/* The times of a kernel, operator, module or call by its name, which the id "k:" with 8 hexadecimal digits stands for.
 */
#ifndef TP_WEBREPORT_ASK_NAMED_TIMES_H
#define TP_WEBREPORT_ASK_NAMED_TIMES_H

#include "webreport/ask/ask_input.h"

enum { TP_NAME_ID_BYTES = 11 };

/* Writes the id of a name: "k:" and 8 digits of its SHA-256. */
void tp_name_id(char id[TP_NAME_ID_BYTES], struct tp_str name);

/* Answers the tool `explain` for the id of a name. */
enum tp_ask_code tp_explain_name(struct tp_ask_call *call);

#endif
