/* Finds misspelled names: see conflicts_parts.h. A name with only one event is misspelled if it differs from another
 * name in one place. The difference is a wrong letter, blanks instead of text, or missing characters inside words.
 *
 * Correct names differ in digits ("gemm_64", "gemm_128"), in short words ("nn", "nt") or in whole words ("norm",
 * "fused_norm"). A few operators of torch differ in only one letter ("relu", "selu"). The list of operators in
 * aten_names.h contains them. */
#include "webreport/model/aten_names.h"
#include "webreport/model/conflicts_parts.h"
#include "webreport/trace/regions.h"
#include "writer/base/sort.h"

enum {
    NEIGHBORS = 32,     /* number of neighbors in sorted order, on each side, with which a name is compared */
    SHORTEST_PIECE = 5, /* minimum number of bytes that a truncated name must share with a marker of torch */
    KINDS = 1 << TP_KIND_OPERATOR | 1 << TP_KIND_ANNOTATION | 1 << TP_KIND_KERNEL | 1 << TP_KIND_RUNTIME
};

/* ---- words in names ---- */

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || is_upper(c);
}

/* Returns true if text[i - 1] and text[i] are letters of the same word. For example, "CUDAFunctor" has two words. */
static bool is_inside_word(struct tp_str text, size_t i)
{
    if (i == 0 || i >= text.len || !is_letter(text.ptr[i - 1]) || !is_letter(text.ptr[i]))
        return false;
    if (!is_upper(text.ptr[i]))
        return true;
    bool begins_word = i + 1 < text.len && is_letter(text.ptr[i + 1]) && !is_upper(text.ptr[i + 1]);
    return is_upper(text.ptr[i - 1]) && !begins_word;
}

/* A word in a text: the bytes from text[first] to text[end - 1]. */
struct word {
    size_t first, end;
};

static struct word word_around_position(struct tp_str text, size_t i)
{
    struct word word = {i, i + 1};
    while (is_inside_word(text, word.first))
        word.first--;
    while (is_inside_word(text, word.end))
        word.end++;
    return word;
}

/* ---- comparison of two names ---- */

/* The single place in which a name differs from the correct name `right`. */
struct difference {
    struct tp_str name, right;
    size_t at, size, right_size; /* name[at] to name[at + size - 1] replaces right[at] to right[at + right_size - 1] */
};

static struct difference find_difference(struct tp_str name, struct tp_str right)
{
    size_t shorter = name.len < right.len ? name.len : right.len, same = 0, tail = 0;
    while (same < shorter && name.ptr[same] == right.ptr[same])
        same++;
    while (tail < shorter - same && name.ptr[name.len - 1 - tail] == right.ptr[right.len - 1 - tail])
        tail++;
    return (struct difference){name, right, same, name.len - same - tail, right.len - same - tail};
}

/* Minimum lengths of a word in which a wrong letter is a misspelling. The length depends on the place of the letter:
 * `first` letter of the word, `last` letter, or an `inner` letter. */
struct word_lengths {
    uint8_t first, inner, last;
};

/* Returns true if the wrong text is the character U+FFFD. The reader replaces bytes that are not UTF-8 with this
 * character. */
static bool is_replaced_invalid_byte(const struct difference *d)
{
    return d->size == 3 && d->right_size == 1 && memcmp(d->name.ptr + d->at, "\xEF\xBF\xBD", 3) == 0;
}

static bool is_wrong_letter(const struct difference *d, const struct word_lengths *word_lengths)
{
    if (is_replaced_invalid_byte(d))
        return true;
    if (d->size != 1 || d->right_size != 1)
        return false;
    char wrong = d->name.ptr[d->at], right = d->right.ptr[d->at];
    if (!is_letter(right))
        return !tp_is_digit(right) && !tp_is_digit(wrong) && (unsigned char)wrong < 0x80;
    struct word word = word_around_position(d->right, d->at);
    size_t length = word.end - word.first;
    unsigned shortest = d->at == word.first     ? word_lengths->first
                        : d->at + 1 == word.end ? word_lengths->last
                                                : word_lengths->inner;
    return length >= shortest;
}

static bool is_replaced_by_blanks(const struct difference *d)
{
    if (d->size < 2 || d->size != d->right_size)
        return false;
    for (size_t i = d->at; i < d->at + d->size; i++)
        if (d->name.ptr[i] != ' ')
            return false;
    return true;
}

/* Returns the number of ends of the missing text that are inside words of the correct name (0 to 2). Returns 0 if no
 * text is missing. */
static int count_ends_inside_words(const struct difference *d)
{
    if (d->size || !d->right_size)
        return 0;
    return is_inside_word(d->right, d->at) + is_inside_word(d->right, d->at + d->right_size);
}

/* Returns true if text is missing and both ends of the missing text are inside words of the correct name. */
static bool is_text_missing_inside_words(const struct difference *d)
{
    enum { LONG_WORD = 8 };
    if (count_ends_inside_words(d) < 2)
        return false;
    struct word word = word_around_position(d->right, d->at);
    return d->right_size > 1 || word.end - word.first >= LONG_WORD;
}

static bool is_aten_name(struct tp_str name)
{
    const size_t skip = sizeof "aten::" - 1;
    return tp_str_starts(name, "aten::") && tp_is_aten_name((struct tp_str){name.ptr + skip, name.len - skip});
}

static bool is_misspelling_of_operator(const struct difference *d)
{
    static const struct word_lengths short_words = {1, 1, 1}, long_words = {6, 6, 6};
    bool is_of_torch = tp_str_starts(d->right, "aten::");
    if (is_aten_name(d->name))
        return false;
    if (is_replaced_by_blanks(d) || is_wrong_letter(d, is_of_torch ? &short_words : &long_words))
        return true;
    return is_of_torch ? count_ends_inside_words(d) > 0 : is_text_missing_inside_words(d);
}

static bool is_misspelling_of_kernel(const struct difference *d, bool knows_setup)
{
    static const struct word_lengths known = {6, 4, 5}, unknown = {6, 5, 5};
    return is_replaced_by_blanks(d) || is_wrong_letter(d, knows_setup ? &known : &unknown) ||
           is_text_missing_inside_words(d);
}

static bool is_misspelling_of_call(const struct difference *d)
{
    static const struct word_lengths word_lengths = {6, 4, 5};
    return is_replaced_by_blanks(d) || is_wrong_letter(d, &word_lengths) || is_text_missing_inside_words(d);
}

static struct tp_str name_without_number(struct tp_str name)
{
    while (name.len && tp_is_digit(name.ptr[name.len - 1]))
        name.len--;
    return name;
}

/* Returns true if an annotation is misspelled. Checks only torch's markers, because users choose all other names of
 * annotations. */
static bool is_misspelled_annotation(struct tp_str name, struct tp_str right)
{
    static const struct word_lengths word_lengths = {6, 6, 6};
    if (!(tp_regions_by_name(right) & TP_REGION_OF_TORCH))
        return false;
    struct difference d = find_difference(name_without_number(name), name_without_number(right));
    bool is_piece = d.at + (d.name.len - d.at - d.size) >= SHORTEST_PIECE;
    return is_replaced_by_blanks(&d) || is_wrong_letter(&d, &word_lengths) ||
           (is_piece && count_ends_inside_words(&d) > 0 && d.right_size > 1);
}

/* ---- search over all names ---- */

/* Ids of the names to check, sorted by text or by the reversed text. */
struct sorted {
    uint32_t *ids;
    uint32_t count;
    bool is_backward;
};

static int compare_by_text(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_strings *names = context;
    return tp_str_compare(names->items[x], names->items[y]);
}

static int compare_by_text_backward(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_strings *names = context;
    struct tp_str a = names->items[x], b = names->items[y];
    while (a.len && b.len && a.ptr[a.len - 1] == b.ptr[b.len - 1]) {
        a.len--;
        b.len--;
    }
    if (!a.len || !b.len)
        return (a.len > b.len) - (a.len < b.len);
    return (unsigned char)a.ptr[a.len - 1] < (unsigned char)b.ptr[b.len - 1] ? -1 : 1;
}

struct spelling {
    const struct tp_trace *trace;
    const struct tp_name_use *use;
    struct tp_name_kernels *kernels;
    struct tp_arena *arena;
};

static bool is_misspelled(const struct spelling *s, uint32_t name, uint32_t right)
{
    const unsigned ranges = 1u << TP_KIND_OPERATOR | 1u << TP_KIND_ANNOTATION;
    unsigned kinds = s->use->kinds[name] & s->use->kinds[right] & KINDS;
    struct tp_str text = s->trace->names.items[name], of_right = s->trace->names.items[right];
    if (s->use->kinds[right] == 1u << TP_KIND_ANNOTATION && s->use->kinds[name] & ranges)
        return is_misspelled_annotation(text, of_right);
    if (!kinds || of_right.len + 2 < text.len)
        return false;
    struct difference d = find_difference(text, of_right);
    if (kinds == 1u << TP_KIND_OPERATOR)
        return (s->use->count[right] > 1 || is_aten_name(of_right)) && is_misspelling_of_operator(&d);
    if (s->use->count[right] < 2)
        return false;
    if (kinds == 1u << TP_KIND_RUNTIME)
        return is_misspelling_of_call(&d);
    return kinds == 1u << TP_KIND_KERNEL &&
           is_misspelling_of_kernel(&d, tp_name_has_setup(s->kernels, s->trace, name, s->arena)) &&
           tp_name_has_equal_setup(s->kernels, s->trace, name, right, s->arena);
}

/* Returns true if the name at position `at` is misspelled in comparison with one of its neighbors in sorted order. */
static bool is_name_misspelled_at(const struct spelling *s, const struct sorted *sorted, uint32_t at)
{
    uint32_t first = at > NEIGHBORS ? at - NEIGHBORS : 0;
    uint32_t end = sorted->count - at > NEIGHBORS ? at + NEIGHBORS : sorted->count;
    for (uint32_t k = first; k < end; k++)
        if (k != at && is_misspelled(s, sorted->ids[at], sorted->ids[k]))
            return true;
    return false;
}

static bool may_be_misspelled(const struct spelling *s, uint32_t name)
{
    unsigned kinds = s->use->kinds[name] & ((1u << TP_KIND_COUNT) - 1);
    return s->use->count[name] == 1 && kinds & KINDS && s->trace->names.items[name].len > 1;
}

static void find_misspelled(bool *is_found, const struct spelling *s, const struct sorted *sorted)
{
    tp_sort_rows(sorted->ids, sorted->count, sorted->is_backward ? compare_by_text_backward : compare_by_text,
                 &s->trace->names, s->arena);
    for (uint32_t at = 0; at < sorted->count; at++) {
        uint32_t name = sorted->ids[at];
        if (!is_found[name] && may_be_misspelled(s, name))
            is_found[name] = is_name_misspelled_at(s, sorted, at);
    }
}

void tp_conflicts_find_misspelled(bool *is_found, const struct tp_trace *trace, const struct tp_name_use *use,
                                  struct tp_name_kernels *kernels, struct tp_arena *arena)
{
    struct spelling s = {trace, use, kernels, arena};
    struct sorted sorted = {.ids = tp_arena_array(arena, trace->names.count + 1u, sizeof *sorted.ids)};
    for (uint32_t i = 0; i < trace->names.count; i++)
        if (use->kinds[i] & KINDS)
            sorted.ids[sorted.count++] = i;
    find_misspelled(is_found, &s, &sorted);
    sorted.is_backward = true;
    find_misspelled(is_found, &s, &sorted);
    tp_arena_free_item(arena, sorted.ids, (trace->names.count + 1u) * sizeof *sorted.ids);
}
