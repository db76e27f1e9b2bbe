/* Learned layout: scans events whose text between the values has been seen before, without reading the keys again.
 *
 * Writers print events from a few format strings, so what stands between two values (separators, keys, quotes, the
 * phase and the category) repeats byte for byte. A trie holds these texts; one compare per value replaces parsing it.
 * Any other text is a miss: the plain scanner reads the event and its layout is learned. Equal results by construction:
 * a node matches only identical bytes of an event that the plain scanner accepted, and values end by the same rules. */
#ifndef TP_WEBREPORT_TRACE_LAYOUT_H
#define TP_WEBREPORT_TRACE_LAYOUT_H

#include "webreport/trace/scan.h"
#include "writer/base/arena.h"

enum { TP_LAYOUT_TEXT = 64, TP_LAYOUT_CHILDREN = 14, TP_LAYOUT_FOLDS = 3 };

struct tp_layout_node {
    char text[TP_LAYOUT_TEXT];
    uint8_t size, kind; /* what follows the text */
    int8_t field;       /* of the value that follows; -1: nobody's */
    uint8_t fold_count, child_count;
    struct {
        uint8_t field, offset, size; /* a value inside the text: ph, cat */
    } folds[TP_LAYOUT_FOLDS];
    uint16_t children[TP_LAYOUT_CHILDREN]; /* most recently used first */
};

struct tp_layout {
    struct tp_layout_node *nodes; /* [0]: the root */
    uint32_t count;
    uint64_t hits, misses;
};

void tp_layout_init(struct tp_layout *layout, struct tp_arena *arena);

/* Scans the event at scan->at as tp_scan_event does, from learned texts first. Same results, same notes. */
enum tp_scan_status tp_layout_event(struct tp_layout *layout, struct tp_scan *scan, struct tp_spans *spans);

#endif
