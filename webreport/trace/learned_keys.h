/* Scans events whose text between the values is known from earlier events, without reading the keys again.
 * Writers print events from a few format strings, so the text between two values (separators, keys, quotes, the phase
 * and the category) repeats byte for byte. A trie contains these texts; one compare per value replaces parsing. Any
 * other text is a miss: the plain scanner reads the event and its layout is learned. Results are equal by construction:
 * a node matches only identical bytes of an event that the plain scanner accepted, and values end by the same rules. */
#ifndef TP_WEBREPORT_TRACE_LEARNED_KEYS_H
#define TP_WEBREPORT_TRACE_LEARNED_KEYS_H

#include "webreport/trace/interner.h"
#include "webreport/trace/json/scan.h"
#include "writer/base/arena.h"

enum { TP_LAYOUT_TEXT = 64, TP_LAYOUT_CHILDREN = 14, TP_LAYOUT_FOLDS = 3 };

struct tp_learned_keys_node {
    char text[TP_LAYOUT_TEXT];
    uint8_t size, kind; /* kind: of the value that follows the text */
    uint8_t field;      /* field of the value that follows; TP_FIELD_COUNT: not used */
    uint8_t fold_count, child_count;
    bool has_own_args; /* only in the last node of an event: see struct tp_spans */
    bool has_odd_key;  /* only in the last node of an event, too */
    struct tp_learned_keys_fold {
        uint8_t field, offset, size; /* a value inside the text: ph, cat */
        uint32_t text_id;
    } folds[TP_LAYOUT_FOLDS];
    uint64_t bit;                          /* bit of the field; 0: not used */
    uint64_t bits, known_bits;             /* bits of the field and the folds, and of folds whose text_id is valid */
    struct tp_interner *interner;          /* interner that gets the value's text unchanged, or NULL */
    uint16_t children[TP_LAYOUT_CHILDREN]; /* most recently used first */
};

struct tp_learned_keys {
    struct tp_learned_keys_node *nodes; /* [0]: the root */
    uint32_t count;
    struct tp_interner *expected[TP_FIELD_COUNT]; /* interner of a field's texts; NULL: not interned */
    uint64_t hits, misses;
};

void tp_learned_keys_init(struct tp_learned_keys *layout, struct tp_arena *arena);

/* Sets that the texts of `field` are interned in `interner`: expected texts are recognized before their end is
 * sought. */
void tp_learned_keys_expect(struct tp_learned_keys *layout, enum tp_field field, struct tp_interner *interner);

/* Scans the event at scan->at like tp_scan_event, but tries learned texts first. Same results, same notes; also sets
 * spans->known. */
enum tp_scan_status tp_learned_keys_event(struct tp_learned_keys *layout, struct tp_scan *scan, struct tp_spans *spans);

#endif
