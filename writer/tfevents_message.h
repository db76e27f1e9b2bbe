/* Between the files that build event files, only: an Event message becomes a record. */
#ifndef TP_WRITER_TFEVENTS_MESSAGE_H
#define TP_WRITER_TFEVENTS_MESSAGE_H

#include <protobuf-c/protobuf-c.h>

#include "writer/tfevents.h"

/* Packs the message (a Tp__Event) as one record. */
void tp_tfevents_put(struct tp_tfevents *events, const ProtobufCMessage *event);

/* Packs a message that stands inside another as bytes, into `out` (initialised; failure is sticky there). The result
 * points into `out`. */
ProtobufCBinaryData tp_tfevents_pack(struct tp_buf *out, const ProtobufCMessage *message);

/* Releases `packed`; its failure becomes that of the records. */
void tp_tfevents_end_pack(struct tp_tfevents *events, struct tp_buf *packed);

/* Borrowed bytes of a text. */
static inline ProtobufCBinaryData tp_tfevents_bytes(struct tp_str text)
{
    return (ProtobufCBinaryData){.len = text.len, .data = (uint8_t *)(uintptr_t)text.ptr};
}

/* protobuf-c's texts are char *, though it only reads them. NULL becomes empty. */
static inline char *tp_tfevents_chars(const char *text)
{
    return (char *)(uintptr_t)(text ? text : "");
}

/* One value of one tag with its plugin's metadata; content: of the plugin, may be empty. data_class: 1 scalar, 2
 * tensor, 3 blob sequence. value is a Tp__Value with tag and value filled in. */
struct tp_tfevents_plugin {
    const char *name, *description;
    int data_class;
    ProtobufCBinaryData content;
};
void tp_tfevents_put_value(struct tp_tfevents *events, struct tp_tfevents_at at, void *value,
                           const struct tp_tfevents_plugin *plugin);

#endif
