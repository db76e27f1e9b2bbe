/* Interns raw bytes: see interner.h. Uses open addressing. The array of slots doubles when half of it is used. */
#include "webreport/trace/interner.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "writer/base/error.h"
#include "writer/base/limits.h"

struct tp_interner_slot {
    uint32_t hash, word; /* word: 1 + index of the word in `words`; 0 in a free slot */
};

void tp_interner_init(struct tp_interner *interner, struct tp_strings *meanings, struct tp_history *history,
                      struct tp_buf *scratch, bool has_json_values, size_t max_bytes)
{
    memset(interner, 0, sizeof *interner);
    interner->meanings = meanings;
    interner->history = history;
    interner->clean = scratch;
    interner->has_json_values = has_json_values;
    interner->max_bytes = max_bytes;
    interner->words = TP_VEC(meanings->arena, struct tp_word);
    interner->slot_count = 1024;
    interner->slots = tp_arena_array(meanings->arena, interner->slot_count, sizeof *interner->slots);
}

static void double_slot_count(struct tp_interner *interner)
{
    struct tp_interner_slot *old = interner->slots;
    uint32_t old_count = interner->slot_count, mask = old_count * 2 - 1;
    interner->slots = tp_arena_array(interner->meanings->arena, (size_t)old_count * 2, sizeof *old);
    interner->slot_count = old_count * 2;
    for (uint32_t k = 0; k < old_count; k++) {
        uint32_t i = old[k].hash & mask;
        if (!old[k].word)
            continue;
        while (interner->slots[i].word)
            i = (i + 1) & mask;
        interner->slots[i] = old[k];
    }
    tp_arena_free_item(interner->meanings->arena, old, old_count * sizeof *old);
}

/* Makes the tp_word of a new spelling: the id of the decoded text, and a stable copy of the spelling. If the spelling
 * equals the decoded text, this text is the copy. */
static struct tp_word make_word_of_spelling(struct tp_interner *interner, struct tp_str raw)
{
    struct tp_strings *meanings = interner->meanings;
    struct tp_word word = {.len = (uint32_t)raw.len};
    struct tp_str meaning = raw;
    if (interner->has_json_values || raw.len > interner->max_bytes || !tp_clean_is_plain(raw)) {
        tp_buf_clear(interner->clean);
        word.flags = interner->has_json_values ? tp_clean_value(interner->clean, raw)
                                               : tp_clean_string(interner->clean, raw, interner->max_bytes);
        if (interner->clean->failed)
            tp_arena_fail(meanings->arena, interner->clean->failed);
        meaning = (struct tp_str){interner->clean->size ? interner->clean->data : "", interner->clean->size};
    }
    word.id = tp_strings_add(meanings, meaning);
    struct tp_str kept = tp_strings_get(meanings, word.id);
    word.raw = tp_str_equal(kept, raw) ? kept.ptr : tp_arena_copy(meanings->arena, raw.ptr, raw.len);
    return word;
}

#ifdef __SSE2__
/* Compares 16 bytes at a and b. Each byte of the result is 255 if the two bytes are equal, otherwise 0. */
static inline __m128i compare_sixteen_bytes(const char *a, const char *b)
{
    return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)a), _mm_loadu_si128((const __m128i *)b));
}

static inline unsigned equal_byte_mask(__m128i equal)
{
    return (unsigned)_mm_movemask_epi8(equal);
}
#endif

/* Returns true if `len` bytes at a and b are equal. May read up to 15 bytes more, which are readable in the window
 * and in the arena. Has one branch per 64 bytes, because call stacks are long and nearly always equal. */
static inline bool has_same_bytes(const char *a, const char *b, size_t len)
{
#ifdef __SSE2__
    size_t i = 0;
    for (; i + 64 <= len; i += 64) {
        __m128i first =
            _mm_and_si128(compare_sixteen_bytes(a + i, b + i), compare_sixteen_bytes(a + i + 16, b + i + 16));
        __m128i second =
            _mm_and_si128(compare_sixteen_bytes(a + i + 32, b + i + 32), compare_sixteen_bytes(a + i + 48, b + i + 48));
        if (equal_byte_mask(_mm_and_si128(first, second)) != 0xFFFF)
            return false;
    }
    for (; i + 16 <= len; i += 16)
        if (equal_byte_mask(compare_sixteen_bytes(a + i, b + i)) != 0xFFFF)
            return false;
    unsigned wanted = (1u << (len - i)) - 1;
    return i == len || (equal_byte_mask(compare_sixteen_bytes(a + i, b + i)) & wanted) == wanted;
#else
    return memcmp(a, b, len) == 0;
#endif
}

/* Returns the history slot for the last four words. The slot contains 1 + index of the word that followed these words
 * last time; 0 if unknown. */
static inline uint32_t *history_slot_of_recent_words(const struct tp_interner *interner)
{
    uint32_t key = interner->history->recent_words_hash + (uint32_t)(uintptr_t)interner;
    return &interner->history->likely[key * 0x9E3779B1u >> 18];
}

static inline const struct tp_word *use_word_and_update_history(struct tp_interner *interner, uint32_t number)
{
    struct tp_history *history = interner->history;
    *history_slot_of_recent_words(interner) = number + 1;
    history->recent_words_hash = history->recent_words_hash << 8 ^ (number + 1) * 0x85EBCA6Bu;
    return TP_AT(&interner->words, struct tp_word, number);
}

const struct tp_word *tp_interner_add(struct tp_interner *interner, struct tp_str raw)
{
    uint32_t hash = (uint32_t)(tp_hash_bytes(raw.ptr, raw.len) >> 32), mask = interner->slot_count - 1, i = hash & mask;
    for (; interner->slots[i].word; i = (i + 1) & mask) {
        const struct tp_word *word = TP_AT(&interner->words, struct tp_word, interner->slots[i].word - 1);
        if (interner->slots[i].hash == hash && word->len == raw.len && has_same_bytes(word->raw, raw.ptr, raw.len))
            return use_word_and_update_history(interner, interner->slots[i].word - 1);
    }
    if (interner->words.count * 2 >= interner->slot_count) {
        double_slot_count(interner);
        mask = interner->slot_count - 1;
        for (i = hash & mask; interner->slots[i].word; i = (i + 1) & mask)
            ;
    }
    struct tp_word word = make_word_of_spelling(interner, raw);
    *(struct tp_word *)tp_vec_push(&interner->words) = word;
    interner->slots[i] = (struct tp_interner_slot){hash, (uint32_t)interner->words.count};
    return use_word_and_update_history(interner, (uint32_t)interner->words.count - 1);
}

static inline bool does_word_match_at(const struct tp_interner *interner, const struct tp_word *word, const char *token,
                                      const char *end)
{
    size_t quote = interner->has_json_values ? 0 : 1;
    return !word->flags && word->len + 2 * quote < (size_t)(end - token) &&
           has_same_bytes(word->raw, token + quote, word->len) && (!quote || token[1 + word->len] == '"');
}

const struct tp_word *tp_interner_add_predicted(struct tp_interner *interner, const char *token, const char *end)
{
    uint32_t number = *history_slot_of_recent_words(interner);
    if (number == 0 || number > interner->words.count || token >= end)
        return NULL;
    const struct tp_word *word = TP_AT(&interner->words, struct tp_word, number - 1);
    return does_word_match_at(interner, word, token, end) ? use_word_and_update_history(interner, number - 1) : NULL;
}
