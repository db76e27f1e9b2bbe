/* Declares the functions to which the table of kinds of inputs refers. */
#ifndef TP_WEBREPORT_ASK_INPUTS_KINDS_H
#define TP_WEBREPORT_ASK_INPUTS_KINDS_H

#include "webreport/ask/ask_input.h"

/* all kinds; the last one takes every input that no other row recognises */
extern const struct tp_ask_kind tp_ask_kinds[];

#endif
