/* Writes an Event message as a record, for all files that build event files. */
#ifndef TP_WRITER_TFEVENTS_MESSAGE_H
#define TP_WRITER_TFEVENTS_MESSAGE_H

#include <protobuf-c/protobuf-c.h>

#include "writer/tfevents.h"

/* Packs the message, a Tp__Event, as one record. */
void tp_tfevents_put(struct tp_tfevents *events, const ProtobufCMessage *event);

/* Packs a message that another message contains as bytes. out: an initialized buffer. The result points into `out`. */
ProtobufCBinaryData tp_tfevents_pack(struct tp_buf *out, const ProtobufCMessage *message);

/* Releases `packed`. If packing failed, marks `events` as failed too. */
void tp_tfevents_end_pack(struct tp_tfevents *events, struct tp_buf *packed);

/* Returns a text as borrowed bytes. */
static inline ProtobufCBinaryData tp_tfevents_bytes(struct tp_str text)
{
    return (ProtobufCBinaryData){.len = text.len, .data = (uint8_t *)(uintptr_t)text.ptr};
}

/* Returns a text as char *. protobuf-c requires this type, although it only reads the text. NULL becomes "". */
static inline char *tp_tfevents_chars(const char *text)
{
    return (char *)(uintptr_t)(text ? text : "");
}

/* Metadata of a TensorBoard plugin for one value. */
struct tp_tfevents_plugin {
    const char *name, *description;
    int data_class;              /* 1 scalar, 2 tensor, 3 blob sequence */
    ProtobufCBinaryData content; /* content that the plugin defines; may be empty */
};
/* Writes one value of one tag with the metadata of its plugin. value: a Tp__Value with tag and value set. */
void tp_tfevents_put_value(struct tp_tfevents *events, struct tp_tfevents_at at, void *value,
                           const struct tp_tfevents_plugin *plugin);

#endif
