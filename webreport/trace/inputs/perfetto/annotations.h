/* Converts the annotations of track events to arguments in JSON. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_ANNOTATIONS_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_ANNOTATIONS_H

#include "webreport/trace/inputs/perfetto/value_cache.h"

enum { TP_ANNOTATION_LEVELS = 32 }; /* most levels of nested values; deeper values become "[too deep]" */

/* Annotations whose presence decides how an event is read. */
enum tp_watched_annotation {
    TP_WATCHED_SYNC,   /* "cuda_sync_kind": the slice is a wait for the device */
    TP_WATCHED_THREAD, /* "thread": track of the thread that a memory record belongs to */
    /* annotations of rocprofv3 */
    TP_WATCHED_CORRELATION, /* "corr_id": id that a call and its operations share */
    TP_WATCHED_BYTES,       /* "copy_bytes": size of a copy */
    TP_WATCHED_SOURCE,      /* "src_agent": source of a copy */
    TP_WATCHED_COUNT
};

struct tp_annotations {
    struct tp_interned *interned;
    struct tp_sink *sink;
    struct tp_watched {
        uint32_t name;      /* number of the name in the interned texts */
        bool is_there;      /* true if the current event has the annotation; the caller resets it */
        uint64_t value;     /* its value, if that is a number */
        struct tp_str text; /* its value, if that is a text; empty if the event lacks the annotation */
    } watched[TP_WATCHED_COUNT];
    struct tp_value_cache nested; /* lists and objects by the bytes of their annotations */
    bool has_iids;                /* true if the nested value that was written last has an interned text */
    uint64_t too_deep_count;      /* number of annotations with values nested deeper than TP_ANNOTATION_LEVELS */
};

void tp_annotations_init(struct tp_annotations *annotations, struct tp_interned *interned, struct tp_sink *sink);

/* Adds one DebugAnnotation to the element that the builder builds. Returns false if the message is broken. */
bool tp_annotations_add(struct tp_annotations *annotations, struct tp_builder *builder,
                        const struct tp_sequence *sequence, struct tp_str message);

/* Returns the meaning of an argument name. text: number of the name in the interned texts. */
struct tp_builder_key tp_annotations_key(struct tp_interned *interned, const struct tp_builder *builder, uint32_t text);

/* Returns the name of an annotation, as the number of an interned text; TP_NO_ID if it has none. */
uint32_t tp_annotations_name(struct tp_interned *interned, const struct tp_sequence *sequence, struct tp_str message);

/* Sets *text to the text of an annotation that has a text as its value. Returns false for other annotations. */
bool tp_annotations_text(struct tp_str message, struct tp_str *text);

#endif
