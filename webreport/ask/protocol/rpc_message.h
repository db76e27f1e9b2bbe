/* Reads messages of JSON-RPC 2.0. Any bytes are safe to read. */
#ifndef TP_WEBREPORT_ASK_PROTOCOL_RPC_MESSAGE_H
#define TP_WEBREPORT_ASK_PROTOCOL_RPC_MESSAGE_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Codes of errors of JSON-RPC 2.0. */
enum tp_message_error {
    TP_MESSAGE_GOOD = 0,
    TP_MESSAGE_NO_JSON = -32700,
    TP_MESSAGE_INVALID = -32600,
    TP_MESSAGE_NO_METHOD = -32601,
    TP_MESSAGE_BAD_PARAMETERS = -32602
};

/* A request or a notification. The texts are compact JSON in the buffer of tp_message_read. */
struct tp_message {
    enum tp_message_error error; /* why the line is no message; then only `id` is set */
    bool is_notification;        /* true: it has no id and gets no answer */
    struct tp_str id;            /* a text or a number; "null" if it is unknown */
    struct tp_str method;        /* decoded, in the arena */
    struct tp_str parameters;    /* an object; ptr NULL without parameters */
};

/* Reads one line, without its line feed. compact: receives the text to which the message points; its former content is
 * removed. arena: for decoded texts; its guard is set. */
void tp_message_read(struct tp_message *message, struct tp_str line, struct tp_buf *compact, struct tp_arena *arena);

#endif
