/* Learns the texts between the values of events, and scans events with them: see learned_keys.h. */
#include "webreport/trace/learned_keys.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { MAX_NODES = 4096 };

enum kind { JOIN, STRING, NUMBER, CONTAINER, END };

void tp_learned_keys_init(struct tp_learned_keys *layout, struct tp_arena *arena)
{
    memset(layout, 0, sizeof *layout);
    layout->nodes = tp_arena_array(arena, MAX_NODES, sizeof *layout->nodes);
    layout->count = 1;
}

void tp_learned_keys_set_interner(struct tp_learned_keys *layout, enum tp_field field, struct tp_interner *interner)
{
    layout->expected[field] = interner;
}

/* ---- matching of learned texts ---- */

#ifdef __SSE2__
/* Returns the bits that differ between 16 bytes at a and at b. `mask` has 255 for each byte to compare, otherwise 0. */
static inline __m128i differing_bits(const char *a, const char *b, const uint8_t *mask)
{
    __m128i x = _mm_loadu_si128((const __m128i *)a), y = _mm_loadu_si128((const __m128i *)b);
    return _mm_and_si128(_mm_xor_si128(x, y), _mm_loadu_si128((const __m128i *)mask));
}

static inline bool is_all_zero(__m128i x)
{
    return _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128())) == 0xFFFF;
}
#endif

/* Returns true if the node's text is at p. Compares 16, 32 or 64 bytes without a loop, so that no branch can be
 * mispredicted. A mask ignores the bytes after the text, which are readable because of the window's padding. */
static inline bool matches_node_text(const struct tp_learned_keys_node *node, const char *p)
{
#ifdef __SSE2__
#define SIXTEEN 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
    static const uint8_t ones[2 * TP_LAYOUT_TEXT] = {SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN};
    const uint8_t *mask = ones + TP_LAYOUT_TEXT - node->size;
    __m128i differ = differing_bits(p, node->text, mask);
    if (node->size > 16)
        differ = _mm_or_si128(differ, differing_bits(p + 16, node->text + 16, mask + 16));
    if (__builtin_expect(node->size > 32, 0)) {
        differ = _mm_or_si128(differ, differing_bits(p + 32, node->text + 32, mask + 32));
        differ = _mm_or_si128(differ, differing_bits(p + 48, node->text + 48, mask + 48));
    }
    return is_all_zero(differ);
#else
    return memcmp(p, node->text, node->size) == 0;
#endif
}

/* Returns the child of `node` whose text is at p; NULL if none exists. Moves the child one position towards the
 * front of the list. */
static inline struct tp_learned_keys_node *find_matching_child(struct tp_learned_keys *layout,
                                                               struct tp_learned_keys_node *node, const char *p)
{
    for (unsigned i = 0; i < node->child_count; i++) {
        struct tp_learned_keys_node *child = &layout->nodes[node->children[i]];
        if (!matches_node_text(child, p))
            continue;
        if (i) {
            uint16_t moved = node->children[i];
            node->children[i] = node->children[i - 1];
            node->children[i - 1] = moved;
        }
        return child;
    }
    return NULL;
}

/* Returns true if c may follow a number. */
static inline bool is_number_end(char c)
{
    static const bool ENDS[256] = {[','] = true, ['}'] = true, [']'] = true, ['\n'] = true, [' '] = true};
    return ENDS[(unsigned char)c] || (unsigned char)c < ' ';
}

/* Returns the end of a number at p that has only digits, signs and points. Returns NULL if the window ends or
 * another character follows. The plain scanner reads exponents, which are rare. */
static inline const char *find_number_end(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i first = _mm_set1_epi8('-'), span = _mm_set1_epi8('9' - '-');
    for (; p < end; p += 16) {
        __m128i x = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), first);
        unsigned inside = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(x, span), x));
        if (inside != 0xFFFF) {
            p += __builtin_ctz(~inside);
            break;
        }
    }
#else
    while (p < end && *p >= '-' && *p <= '9')
        p++;
#endif
    return p < end && is_number_end(*p) ? p : NULL;
}

/* Returns the end of the value at p and sets the span of its field. Returns NULL if the value is not of the kind
 * that was learned for the node. */
static inline __attribute__((always_inline)) const char *match_value_of_node(struct tp_scan *scan,
                                                                             const struct tp_learned_keys_node *node,
                                                                             const char *p, struct tp_spans *spans)
{
    /* writes both members in place, because copying a struct that was just written is slow */
    struct tp_str *value = &spans->field[node->field];
    const char *stop;
    if (p >= scan->end)
        return NULL;
    if (node->kind == NUMBER) {
        bool is_number = tp_is_digit(*p) || (*p == '-' && tp_is_digit(p[1]));
        stop = is_number ? find_number_end(p, scan->end) : NULL;
        if (!stop)
            return NULL;
        value->ptr = p;
        value->len = (size_t)(stop - p);
        return stop;
    }
    if (node->kind == STRING) { /* the opening quote is the last byte of the node's text */
        stop = tp_scan_find_string_end(p, scan->end);
        if (!stop)
            return NULL;
        value->ptr = p - 1;
        value->len = (size_t)(stop + 2 - p);
        return stop + 1;
    }
    scan->at = p;
    return (*p == '[' || *p == '{') && tp_scan_value(scan, value, spans) == TP_SCAN_OK ? scan->at : NULL;
}

/* Works like match_value_of_node, for a text that is interned. Sets the field's bit in *known if the text has no flags.
 * The decoder must handle a text with flags. */
static inline const char *match_text_value(struct tp_scan *scan, const struct tp_learned_keys_node *node, const char *p,
                                           struct tp_spans *spans, uint64_t *known)
{
    struct tp_interner *interner = node->interner;
    struct tp_str *value = &spans->field[node->field];
    const char *token = p - (node->kind == STRING);
    size_t quote = interner->has_json_values ? 0 : 1;
    const struct tp_word *word = tp_interner_add_predicted(interner, token, scan->end);
    if (word) {
        value->ptr = token;
        value->len = word->len + 2 * quote;
        p = token + value->len;
    } else {
        p = match_value_of_node(scan, node, p, spans);
        if (!p)
            return NULL;
        word = tp_interner_add(interner, (struct tp_str){value->ptr + quote, value->len - 2 * quote});
    }
    spans->text_id[node->field] = word->id;
    *known |= word->flags ? 0 : node->bit;
    return p;
}

static inline void fill_folded_values(const struct tp_learned_keys_node *node, const char *p, struct tp_spans *spans)
{
    for (unsigned i = 0; i < node->folded_value_count; i++) {
        const struct tp_learned_keys_fold *fold = &node->folds[i];
        spans->field[fold->field].ptr = p + fold->offset;
        spans->field[fold->field].len = fold->size;
        spans->text_id[fold->field] = fold->text_id;
    }
}

/* Scans an event by the learned texts. Returns false if a text is not learned; scan->at and spans are then invalid. */
static bool match_event(struct tp_learned_keys *layout, struct tp_scan *scan, struct tp_spans *spans)
{
    struct tp_learned_keys_node *node = &layout->nodes[0];
    const char *p = scan->at;
    uint64_t has = 0, known = 0;
    spans->has_bare_word = spans->is_nested_too_deep = false;
    while ((node = find_matching_child(layout, node, p)) != NULL) {
        has |= node->bits;
        /* a key may occur twice, so the bits of the later value replace those of the earlier one */
        known = (known & ~node->bits) | node->known_field_bits;
        if (node->folded_value_count)
            fill_folded_values(node, p, spans);
        p += node->size;
        if (p > scan->end)
            return false;
        if (node->kind == END) {
            scan->at = p;
            spans->has = has;
            spans->known = known;
            spans->has_own_args = node->has_own_args;
            spans->has_odd_key = node->has_odd_key;
            return true;
        }
        if (node->kind == JOIN)
            continue;
        p = node->interner ? match_text_value(scan, node, p, spans, &known) : match_value_of_node(scan, node, p, spans);
        if (!p)
            return false;
    }
    return false;
}

/* ---- learning of texts ---- */

static bool have_nodes_same_folds(const struct tp_learned_keys_node *a, const struct tp_learned_keys_node *b)
{
    for (unsigned i = 0; i < a->folded_value_count; i++)
        if (a->folds[i].field != b->folds[i].field || a->folds[i].offset != b->folds[i].offset ||
            a->folds[i].size != b->folds[i].size)
            return false;
    return true;
}

static bool are_nodes_equal(const struct tp_learned_keys_node *a, const struct tp_learned_keys_node *b)
{
    return a->size == b->size && a->kind == b->kind && a->field == b->field && memcmp(a->text, b->text, a->size) == 0 &&
           a->folded_value_count == b->folded_value_count && have_nodes_same_folds(a, b);
}

/* Returns the index in layout->nodes of the child of `parent` that equals `made`. Adds the child if it is new.
 * Returns 0 if there is no room. */
static uint32_t find_or_add_child_node(struct tp_learned_keys *layout, uint32_t parent,
                                       const struct tp_learned_keys_node *made)
{
    struct tp_learned_keys_node *node = &layout->nodes[parent];
    for (unsigned i = 0; i < node->child_count; i++)
        if (are_nodes_equal(&layout->nodes[node->children[i]], made))
            return node->children[i];
    if (node->child_count == TP_LAYOUT_CHILDREN || layout->count == MAX_NODES)
        return 0;
    uint32_t index = layout->count++;
    layout->nodes[index] = *made;
    memmove(node->children + 1, node->children, node->child_count * sizeof *node->children);
    node->children[0] = (uint16_t)index;
    node->child_count++;
    return index;
}

struct learner {
    struct tp_learned_keys *layout;
    uint32_t node;
    struct tp_learned_keys_node made;
    const char *from; /* start of the text that is not yet in a node */
};

/* Adds the text from l->from to `to` as one node, or as several nodes if it is long. Returns false if there is no
 * room. */
static bool add_nodes_for_text(struct learner *l, const char *to, enum kind kind, int field)
{
    while ((size_t)(to - l->from) > TP_LAYOUT_TEXT) {
        struct tp_learned_keys_node join = {.kind = JOIN, .field = TP_FIELD_COUNT, .size = TP_LAYOUT_TEXT};
        if (l->made.folded_value_count)
            return false; /* not learned, because a node with a value must not be split */
        memcpy(join.text, l->from, TP_LAYOUT_TEXT);
        l->node = find_or_add_child_node(l->layout, l->node, &join);
        l->from += TP_LAYOUT_TEXT;
        if (!l->node)
            return false;
    }
    l->made.size = (uint8_t)(to - l->from);
    l->made.kind = (uint8_t)kind;
    l->made.field = (uint8_t)(field < 0 ? TP_FIELD_COUNT : field);
    l->made.bit = field < 0 ? 0 : 1ull << field;
    l->made.bits |= l->made.bit;
    struct tp_interner *interner = field < 0 ? NULL : l->layout->expected[field];
    if (interner && (kind == STRING || (kind == CONTAINER && interner->has_json_values)))
        l->made.interner = interner;
    memcpy(l->made.text, l->from, l->made.size);
    l->node = find_or_add_child_node(l->layout, l->node, &l->made);
    memset(&l->made, 0, sizeof l->made);
    return l->node != 0;
}

/* Records a value that becomes part of a node's text: the phase, the category, or a word such as false. Returns
 * false for other values. */
static bool add_folded_value(struct learner *l, const struct tp_scan_step *step)
{
    bool is_word = step->value.ptr[0] == 't' || step->value.ptr[0] == 'f' || step->value.ptr[0] == 'n';
    bool is_kind = step->field == TP_FIELD_PH || step->field == TP_FIELD_CAT;
    if (!is_word && !is_kind)
        return false;
    size_t offset = (size_t)(step->value.ptr - l->from);
    if (step->field < 0)
        return true;
    if (l->made.folded_value_count == TP_LAYOUT_FOLDS || offset + step->value.len > TP_LAYOUT_TEXT)
        return false;
    struct tp_learned_keys_fold *made = &l->made.folds[l->made.folded_value_count++];
    struct tp_interner *interner = l->layout->expected[step->field];
    made->field = (uint8_t)step->field;
    made->offset = (uint8_t)offset;
    made->size = (uint8_t)step->value.len;
    l->made.bits |= 1ull << step->field;
    if (!interner || step->value.ptr[0] != '"')
        return true;
    const struct tp_word *word = tp_interner_add(interner, (struct tp_str){step->value.ptr + 1, step->value.len - 2});
    made->text_id = word->id;
    l->made.known_field_bits |= word->flags ? 0 : 1ull << step->field;
    return true;
}

static void learn_event_keys(struct tp_learned_keys *layout, const char *from, const char *to,
                             const struct tp_scan_trail *trail, const struct tp_spans *spans)
{
    struct learner l = {.layout = layout, .from = from};
    for (unsigned i = 0; i < trail->count; i++) {
        const struct tp_scan_step *step = &trail->steps[i];
        char c = step->value.ptr[0];
        if (add_folded_value(&l, step))
            continue;
        bool is_number = (unsigned char)(c - '0') <= 9 || c == '-';
        if (!is_number && c != '"' && c != '[' && c != '{')
            return;
        const char *end = step->value.ptr + (c == '"');
        if (!add_nodes_for_text(&l, end, c == '"' ? STRING : is_number ? NUMBER : CONTAINER, step->field))
            return;
        l.from = step->value.ptr + step->value.len;
    }
    l.made.has_own_args = spans->has_own_args;
    l.made.has_odd_key = spans->has_odd_key;
    add_nodes_for_text(&l, to, END, -1);
}

enum tp_scan_status tp_learned_keys_scan_event(struct tp_learned_keys *layout, struct tp_scan *scan,
                                               struct tp_spans *spans)
{
    const char *from = scan->at;
    if (__builtin_expect(match_event(layout, scan, spans), 1)) {
        layout->hits++;
        return TP_SCAN_OK;
    }
    struct tp_scan_trail trail = {.count = 0};
    bool may_learn = layout->count < MAX_NODES;
    layout->misses++;
    scan->at = from;
    scan->trail = may_learn ? &trail : NULL;
    enum tp_scan_status status = tp_scan_event(scan, spans);
    scan->trail = NULL;
    if (status == TP_SCAN_OK && may_learn && trail.count < TP_SCAN_TRAIL && !spans->has_bare_word)
        learn_event_keys(layout, from, scan->at, &trail, spans);
    return status;
}
