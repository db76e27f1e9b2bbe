/* Scans events with texts learned from earlier events, without reading the keys again.
 *
 * Writers print events from a few format strings. So the text between two values (separators, keys, quotes, the phase
 * and the category) repeats byte for byte. A trie contains these texts, and one comparison per value replaces parsing.
 * If a text is not in the trie, the plain scanner reads the event, and the texts of the event are learned. Results are
 * equal to those of the plain scanner: a node matches only bytes that the plain scanner accepted before, and values end
 * by the same rules. */
#ifndef TP_WEBREPORT_TRACE_LEARNED_KEYS_H
#define TP_WEBREPORT_TRACE_LEARNED_KEYS_H

#include "webreport/trace/interner.h"
#include "webreport/trace/json/scan.h"
#include "writer/base/arena.h"

enum { TP_LAYOUT_TEXT = 64, TP_LAYOUT_CHILDREN = 14, TP_LAYOUT_FOLDS = 3 };

struct tp_learned_keys_node {
    char text[TP_LAYOUT_TEXT];
    uint8_t size, kind; /* size: length of the text, bytes; kind: kind of the value that follows the text */
    uint8_t field;      /* field of the value that follows the text; TP_FIELD_COUNT if it has no field */
    uint8_t folded_value_count, child_count;
    bool has_own_args; /* value of tp_spans.has_own_args for an event that ends with this node */
    bool has_odd_key;  /* value of tp_spans.has_odd_key for an event that ends with this node */
    struct tp_learned_keys_fold {
        /* a value inside the node's text, such as the phase: its field, position and size, bytes */
        uint8_t field, offset, size;
        uint32_t text_id;
    } folds[TP_LAYOUT_FOLDS];
    uint64_t bit; /* bit of `field`; 0 if the value has no field */
    /* bits: fields of the value and of all values inside the text; known_field_bits: fields of the values inside the
     * text whose text_id is valid */
    uint64_t bits, known_field_bits;
    /* interner of the value's text; NULL if the value is not interned */
    struct tp_interner *interner;
    uint16_t children[TP_LAYOUT_CHILDREN]; /* indexes in the array of nodes; a child moves forward when it matches */
};

struct tp_learned_keys {
    struct tp_learned_keys_node *nodes; /* nodes of the trie; nodes[0] is the root */
    uint32_t count;
    /* interner for each field; NULL if texts of the field are not interned */
    struct tp_interner *expected[TP_FIELD_COUNT];
    uint64_t hits, misses;
};

void tp_learned_keys_init(struct tp_learned_keys *layout, struct tp_arena *arena);

/* Registers the interner for the texts of `field`, so that expected texts are recognized without a search for their
 * end. */
void tp_learned_keys_set_interner(struct tp_learned_keys *layout, enum tp_field field, struct tp_interner *interner);

/* Scans the event at scan->at like tp_scan_event, but tries the learned texts first. Gives the same results, and also
 * sets spans->known. */
enum tp_scan_status tp_learned_keys_scan_event(struct tp_learned_keys *layout, struct tp_scan *scan,
                                               struct tp_spans *spans);

#endif
