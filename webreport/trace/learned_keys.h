/* Scans events whose text between the values is known from earlier events, without reading the keys again.
 *
 * Writers print events from a few format strings. So the text between two values (separators, keys, quotes, the phase
 * and the category) repeats byte for byte. A trie contains these texts, and one comparison per value replaces parsing.
 * If the text is not in the trie, the plain scanner reads the event and its layout is learned. Results are equal by
 * construction: a node matches only bytes that the plain scanner accepted before, and values end by the same rules. */
#ifndef TP_WEBREPORT_TRACE_LEARNED_KEYS_H
#define TP_WEBREPORT_TRACE_LEARNED_KEYS_H

#include "webreport/trace/interner.h"
#include "webreport/trace/json/scan.h"
#include "writer/base/arena.h"

enum { TP_LAYOUT_TEXT = 64, TP_LAYOUT_CHILDREN = 14, TP_LAYOUT_FOLDS = 3 };

struct tp_learned_keys_node {
    char text[TP_LAYOUT_TEXT];
    uint8_t size, kind; /* kind: kind of the value that follows the text */
    uint8_t field;      /* field of the value that follows the text; TP_FIELD_COUNT if the value has no field */
    uint8_t fold_count, child_count;
    bool has_own_args; /* set only in the last node of an event: see struct tp_spans */
    bool has_odd_key;  /* set only in the last node of an event: see struct tp_spans */
    struct tp_learned_keys_fold {
        /* a value inside the text, such as ph or cat: its field, and its position in the text */
        uint8_t field, offset, size;
        uint32_t text_id;
    } folds[TP_LAYOUT_FOLDS];
    uint64_t bit; /* bit of the field; 0 if the value has no field */
    /* bits of the field and of the folds, and bits of those folds whose text_id is valid */
    uint64_t bits, known_bits;
    /* interner of the value's unchanged text; NULL if the value is not interned */
    struct tp_interner *interner;
    uint16_t children[TP_LAYOUT_CHILDREN]; /* indexes of the children, most recently used first */
};

struct tp_learned_keys {
    struct tp_learned_keys_node *nodes; /* nodes of the trie; nodes[0] is the root */
    uint32_t count;
    /* by field: interner of its texts; NULL if the texts are not interned */
    struct tp_interner *expected[TP_FIELD_COUNT];
    uint64_t hits, misses;
};

void tp_learned_keys_init(struct tp_learned_keys *layout, struct tp_arena *arena);

/* Registers `interner` for the texts of `field`, so that an expected text is recognized before its end is searched. */
void tp_learned_keys_set_interner(struct tp_learned_keys *layout, enum tp_field field, struct tp_interner *interner);

/* Scans the event at scan->at like tp_scan_event, but tries learned texts first. Gives the same results and notes. Also
 * sets spans->known. */
enum tp_scan_status tp_learned_keys_event(struct tp_learned_keys *layout, struct tp_scan *scan, struct tp_spans *spans);

#endif
