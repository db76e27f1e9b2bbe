/* The server of `tracepress mcp`: answers a client on two file descriptors until its input ends. */
#ifndef TP_WEBREPORT_ASK_PROTOCOL_SERVER_H
#define TP_WEBREPORT_ASK_PROTOCOL_SERVER_H

#include "webreport/ask/ask.h"

/* Reads messages from `in` and writes answers to `out`, one a line. Returns 0 when the input ends or the reader of the
 * output is gone. Returns TP_EIO if the input cannot be read, or TP_ENOMEM. */
int tp_server_run(struct tp_ask *ask, int in, int out, struct tp_error *err);

#endif
