/* Shared by the files that build event files: writes an Event message as a record. */
#ifndef TP_WRITER_TFEVENTS_MESSAGE_H
#define TP_WRITER_TFEVENTS_MESSAGE_H

#include <protobuf-c/protobuf-c.h>

#include "writer/tfevents.h"

/* Packs the message (a Tp__Event) as one record. */
void tp_tfevents_put(struct tp_tfevents *events, const ProtobufCMessage *event);

/* Packs a message that is embedded in another as bytes, into `out` (initialized; sticky failure). The result points
 * into `out`. */
ProtobufCBinaryData tp_tfevents_pack(struct tp_buf *out, const ProtobufCMessage *message);

/* Releases `packed`; its failure is transferred to the records. */
void tp_tfevents_end_pack(struct tp_tfevents *events, struct tp_buf *packed);

/* Returns a text as borrowed bytes. */
static inline ProtobufCBinaryData tp_tfevents_bytes(struct tp_str text)
{
    return (ProtobufCBinaryData){.len = text.len, .data = (uint8_t *)(uintptr_t)text.ptr};
}

/* Returns a text as char *, which protobuf-c requires although it only reads it. NULL becomes "". */
static inline char *tp_tfevents_chars(const char *text)
{
    return (char *)(uintptr_t)(text ? text : "");
}

/* Writes one value of one tag with its plugin's metadata. content: the plugin's content, may be empty. data_class: 1
 * scalar, 2 tensor, 3 blob sequence. value: a Tp__Value with tag and value set. */
struct tp_tfevents_plugin {
    const char *name, *description;
    int data_class;
    ProtobufCBinaryData content;
};
void tp_tfevents_put_value(struct tp_tfevents *events, struct tp_tfevents_at at, void *value,
                           const struct tp_tfevents_plugin *plugin);

#endif
