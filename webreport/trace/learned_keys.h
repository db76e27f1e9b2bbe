/* Learned layout: scans events whose text between the values has been seen before, without reading the keys again.
 *
 * Writers print events from a few format strings, so what stands between two values (separators, keys, quotes, the
 * phase and the category) repeats byte for byte. A trie holds these texts; one compare per value replaces parsing it.
 * Any other text is a miss: the plain scanner reads the event and its layout is learned. Equal results by construction:
 * a node matches only identical bytes of an event that the plain scanner accepted, and values end by the same rules. */
#ifndef TP_WEBREPORT_TRACE_LEARNED_KEYS_H
#define TP_WEBREPORT_TRACE_LEARNED_KEYS_H

#include "webreport/trace/interner.h"
#include "webreport/trace/scan.h"
#include "writer/base/arena.h"

enum { TP_LAYOUT_TEXT = 64, TP_LAYOUT_CHILDREN = 14, TP_LAYOUT_FOLDS = 3 };

struct tp_learned_keys_node {
    char text[TP_LAYOUT_TEXT];
    uint8_t size, kind; /* what follows the text */
    uint8_t field;      /* of the value that follows; TP_FIELD_COUNT: nobody's */
    uint8_t fold_count, child_count;
    bool has_own_args; /* of the last node of an event: see struct tp_spans */
    bool has_odd_key;  /* likewise */
    struct tp_learned_keys_fold {
        uint8_t field, offset, size; /* a value inside the text: ph, cat */
        uint32_t text_id;
    } folds[TP_LAYOUT_FOLDS];
    uint64_t bit;                          /* of the field; 0: nobody's */
    uint64_t bits, known_bits;             /* of the field and the folds', and of folds whose text_id counts */
    struct tp_interner *interner;          /* where the value's text is interned as it stands, or NULL */
    uint16_t children[TP_LAYOUT_CHILDREN]; /* most recently used first */
};

struct tp_learned_keys {
    struct tp_learned_keys_node *nodes; /* [0]: the root */
    uint32_t count;
    struct tp_interner *expected[TP_FIELD_COUNT]; /* of texts that end up there; NULL: not interned */
    uint64_t hits, misses;
};

void tp_learned_keys_init(struct tp_learned_keys *layout, struct tp_arena *arena);

/* Says that the texts of `field` are interned in `interner`: they are recognised there before their end is sought. */
void tp_learned_keys_expect(struct tp_learned_keys *layout, enum tp_field field, struct tp_interner *interner);

/* Scans the event at scan->at as tp_scan_event does, from learned texts first. Same results, same notes; besides,
 * spans->known. */
enum tp_scan_status tp_learned_keys_event(struct tp_learned_keys *layout, struct tp_scan *scan, struct tp_spans *spans);

#endif
