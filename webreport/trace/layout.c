/* Learned layout: see layout.h. */
#include "webreport/trace/layout.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { MAX_NODES = 4096 };

enum kind { JOIN, STRING, NUMBER, CONTAINER, END };

void tp_layout_init(struct tp_layout *layout, struct tp_arena *arena)
{
    memset(layout, 0, sizeof *layout);
    layout->nodes = tp_arena_array(arena, MAX_NODES, sizeof *layout->nodes);
    layout->count = 1;
}

/* ---- matching -----------------------------------------------------------------------------------------------------
 */

/* The window's padding makes the bytes behind p readable. */
static inline bool matches(const struct tp_layout_node *node, const char *p)
{
#ifdef __SSE2__
    unsigned i = 0;
    for (; i + 16 <= node->size; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(p + i)), y = _mm_loadu_si128((const __m128i *)(node->text + i));
        if (_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) != 0xFFFF)
            return false;
    }
    unsigned rest = node->size - i;
    if (rest == 0)
        return true;
    __m128i x = _mm_loadu_si128((const __m128i *)(p + i)), y = _mm_loadu_si128((const __m128i *)(node->text + i));
    unsigned want = (1u << rest) - 1;
    return ((unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) & want) == want;
#else
    return memcmp(p, node->text, node->size) == 0;
#endif
}

/* The child of `node` whose text stands at p; it moves one place to the front. */
static inline struct tp_layout_node *child_at(struct tp_layout *layout, struct tp_layout_node *node, const char *p)
{
    for (unsigned i = 0; i < node->child_count; i++) {
        struct tp_layout_node *child = &layout->nodes[node->children[i]];
        if (!matches(child, p))
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

/* End of a plain number at p, or NULL when it is none, or the window ends. */
static inline const char *number_end(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i blank = _mm_set1_epi8(' '), comma = _mm_set1_epi8(','), brace = _mm_set1_epi8('}');
    const __m128i bracket = _mm_set1_epi8(']'), nine = _mm_set1_epi8('9'), quote = _mm_set1_epi8('"');
    const char *from = p;
    for (; p < end; p += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)p);
        __m128i stop =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, comma), _mm_cmpeq_epi8(x, brace)),
                         _mm_or_si128(_mm_cmpeq_epi8(x, bracket), _mm_cmpeq_epi8(_mm_min_epu8(x, blank), x)));
        __m128i odd = _mm_or_si128(_mm_cmpgt_epi8(x, nine), _mm_cmpeq_epi8(x, quote)); /* letters : { " .. */
        unsigned stops = (unsigned)_mm_movemask_epi8(stop), odds = (unsigned)_mm_movemask_epi8(odd);
        unsigned before = stops ? (stops & -stops) - 1 : 0xFFFF;
        if (odds & before)
            return NULL; /* exponents too: rare, and the plain scanner's business */
        if (stops) {
            p += __builtin_ctz(stops);
            return p < end && p > from ? p : NULL;
        }
    }
    return NULL;
#else
    const char *from = p;
    while (p < end && *p != ',' && *p != '}' && *p != ']' && (unsigned char)*p > ' ') {
        if (*p > '9' || *p == '"')
            return NULL;
        p++;
    }
    return p < end && p > from ? p : NULL;
#endif
}

/* Steps over the value that follows a node's text; false: not here what was learned. */
static inline bool take_value(struct tp_scan *scan, const struct tp_layout_node *node, struct tp_str *value,
                              struct tp_spans *spans)
{
    const char *p = scan->at;
    const char *stop;
    if (p >= scan->end)
        return false;
    switch (node->kind) {
    case STRING: /* the text ends with the opening quote */
        stop = tp_scan_string_end(p, scan->end);
        if (!stop)
            return false;
        *value = (struct tp_str){p - 1, (size_t)(stop + 2 - p)};
        scan->at = stop + 1;
        return true;
    case NUMBER:
        stop = (unsigned char)(p[*p == '-'] - '0') <= 9 ? number_end(p, scan->end) : NULL;
        if (!stop)
            return false;
        *value = (struct tp_str){p, (size_t)(stop - p)};
        scan->at = stop;
        return true;
    default:
        return (*p == '[' || *p == '{') && tp_scan_value(scan, value, spans) == TP_SCAN_OK;
    }
}

/* False: a miss; scan->at and spans are then worthless. */
static bool match_event(struct tp_layout *layout, struct tp_scan *scan, struct tp_spans *spans)
{
    struct tp_layout_node *node = &layout->nodes[0];
    spans->has = 0;
    spans->has_bare_word = spans->is_deep = false;
    for (;;) {
        const char *p = scan->at;
        struct tp_str value;
        node = child_at(layout, node, p);
        if (!node)
            return false;
        for (unsigned i = 0; i < node->fold_count; i++) {
            spans->field[node->folds[i].field] = (struct tp_str){p + node->folds[i].offset, node->folds[i].size};
            spans->has |= 1ull << node->folds[i].field;
        }
        scan->at = p + node->size;
        if (scan->at > scan->end)
            return false;
        if (node->kind == JOIN)
            continue;
        if (node->kind == END)
            return true;
        if (!take_value(scan, node, &value, spans))
            return false;
        if (node->field >= 0) {
            spans->field[node->field] = value;
            spans->has |= 1ull << node->field;
        }
    }
}

/* ---- learning -----------------------------------------------------------------------------------------------------
 */

static bool same_node(const struct tp_layout_node *a, const struct tp_layout_node *b)
{
    return a->size == b->size && a->kind == b->kind && a->field == b->field && a->fold_count == b->fold_count &&
           memcmp(a->text, b->text, a->size) == 0 && memcmp(a->folds, b->folds, sizeof a->folds) == 0;
}

/* Index of `made` among the children of `parent`, added when new; 0: there is no room. */
static uint32_t enter(struct tp_layout *layout, uint32_t parent, const struct tp_layout_node *made)
{
    struct tp_layout_node *node = &layout->nodes[parent];
    for (unsigned i = 0; i < node->child_count; i++)
        if (same_node(&layout->nodes[node->children[i]], made))
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
    struct tp_layout *layout;
    uint32_t node;
    struct tp_layout_node made;
    const char *from; /* where the text being collected begins */
};

/* Enters the text from..to as one node or, when it is long, several. False: no room. */
static bool finish_node(struct learner *l, const char *to, enum kind kind, int field)
{
    while ((size_t)(to - l->from) > TP_LAYOUT_TEXT) {
        struct tp_layout_node join = {.kind = JOIN, .field = -1, .size = TP_LAYOUT_TEXT};
        if (l->made.fold_count)
            return false; /* a fold in a text this long: leave it to the plain scanner */
        memcpy(join.text, l->from, TP_LAYOUT_TEXT);
        l->node = enter(l->layout, l->node, &join);
        l->from += TP_LAYOUT_TEXT;
        if (!l->node)
            return false;
    }
    l->made.size = (uint8_t)(to - l->from);
    l->made.kind = (uint8_t)kind;
    l->made.field = (int8_t)field;
    memcpy(l->made.text, l->from, l->made.size);
    l->node = enter(l->layout, l->node, &l->made);
    memset(&l->made, 0, sizeof l->made);
    return l->node != 0;
}

/* A value that stays part of the text: the phase, the category, and words such as false. */
static bool fold(struct learner *l, const struct tp_scan_step *step)
{
    bool is_word = step->value.ptr[0] == 't' || step->value.ptr[0] == 'f' || step->value.ptr[0] == 'n';
    bool is_kind = step->field == TP_FIELD_PH || step->field == TP_FIELD_CAT;
    if (!is_word && !is_kind)
        return false;
    size_t offset = (size_t)(step->value.ptr - l->from);
    if (step->field < 0)
        return true;
    if (l->made.fold_count == TP_LAYOUT_FOLDS || offset + step->value.len > TP_LAYOUT_TEXT)
        return false;
    l->made.folds[l->made.fold_count].field = (uint8_t)step->field;
    l->made.folds[l->made.fold_count].offset = (uint8_t)offset;
    l->made.folds[l->made.fold_count].size = (uint8_t)step->value.len;
    l->made.fold_count++;
    return true;
}

static void learn(struct tp_layout *layout, const char *from, const char *to, const struct tp_scan_trail *trail)
{
    struct learner l = {.layout = layout, .from = from};
    for (unsigned i = 0; i < trail->count; i++) {
        const struct tp_scan_step *step = &trail->steps[i];
        char c = step->value.ptr[0];
        if (fold(&l, step))
            continue;
        bool is_number = (unsigned char)(c - '0') <= 9 || c == '-';
        if (!is_number && c != '"' && c != '[' && c != '{')
            return;
        const char *end = step->value.ptr + (c == '"');
        if (!finish_node(&l, end, c == '"' ? STRING : is_number ? NUMBER : CONTAINER, step->field))
            return;
        l.from = step->value.ptr + step->value.len;
    }
    finish_node(&l, to, END, -1);
}

enum tp_scan_status tp_layout_event(struct tp_layout *layout, struct tp_scan *scan, struct tp_spans *spans)
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
        learn(layout, from, scan->at, &trail);
    return status;
}
