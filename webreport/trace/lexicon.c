/* Interning from raw bytes: see lexicon.h. Open addressing; the slot array doubles at half load. */
#include "webreport/trace/lexicon.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "writer/base/error.h"
#include "writer/base/limits.h"

struct tp_lexicon_slot {
    uint32_t hash, word; /* number of the word + 1; 0: free */
};

void tp_lexicon_init(struct tp_lexicon *lexicon, struct tp_strings *meanings, struct tp_history *history,
                     struct tp_buf *scratch, bool holds_values, size_t max_bytes)
{
    memset(lexicon, 0, sizeof *lexicon);
    lexicon->meanings = meanings;
    lexicon->history = history;
    lexicon->clean = scratch;
    lexicon->holds_values = holds_values;
    lexicon->max_bytes = max_bytes;
    lexicon->words = TP_VEC(meanings->arena, struct tp_word);
    lexicon->slot_count = 1024;
    lexicon->slots = tp_arena_array(meanings->arena, lexicon->slot_count, sizeof *lexicon->slots);
}

static void grow(struct tp_lexicon *lexicon)
{
    struct tp_lexicon_slot *old = lexicon->slots;
    uint32_t old_count = lexicon->slot_count, mask = old_count * 2 - 1;
    lexicon->slots = tp_arena_array(lexicon->meanings->arena, (size_t)old_count * 2, sizeof *old);
    lexicon->slot_count = old_count * 2;
    for (uint32_t k = 0; k < old_count; k++) {
        uint32_t i = old[k].hash & mask;
        if (!old[k].word)
            continue;
        while (lexicon->slots[i].word)
            i = (i + 1) & mask;
        lexicon->slots[i] = old[k];
    }
    tp_arena_drop(lexicon->meanings->arena, old, old_count * sizeof *old);
}

/* First sighting of a spelling: its meaning, and a stable copy of the spelling (shared with the meaning when equal). */
static struct tp_word make_word(struct tp_lexicon *lexicon, struct tp_str raw)
{
    struct tp_strings *meanings = lexicon->meanings;
    struct tp_word word = {.len = (uint32_t)raw.len};
    struct tp_str meaning = raw;
    if (lexicon->holds_values || raw.len > lexicon->max_bytes || !tp_clean_is_plain(raw)) {
        tp_buf_clear(lexicon->clean);
        word.flags = lexicon->holds_values ? tp_clean_value(lexicon->clean, raw)
                                           : tp_clean_string(lexicon->clean, raw, lexicon->max_bytes);
        if (lexicon->clean->failed)
            tp_arena_fail(meanings->arena, lexicon->clean->failed);
        meaning = (struct tp_str){lexicon->clean->size ? lexicon->clean->data : "", lexicon->clean->size};
    }
    word.id = tp_strings_add(meanings, meaning);
    struct tp_str kept = tp_strings_get(meanings, word.id);
    word.raw = tp_str_equal(kept, raw) ? kept.ptr : tp_arena_copy(meanings->arena, raw.ptr, raw.len);
    return word;
}

/* Equality of `len` bytes; reads whole blocks of 16, which both the window and the arena's items have. */
static inline bool same_bytes(const char *a, const char *b, size_t len)
{
#ifdef __SSE2__
    size_t i = 0;
    for (; i + 16 <= len; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(a + i)), y = _mm_loadu_si128((const __m128i *)(b + i));
        if (_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) != 0xFFFF)
            return false;
    }
    if (i == len)
        return true;
    __m128i x = _mm_loadu_si128((const __m128i *)(a + i)), y = _mm_loadu_si128((const __m128i *)(b + i));
    unsigned wanted = (1u << (len - i)) - 1;
    return ((unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) & wanted) == wanted;
#else
    return memcmp(a, b, len) == 0;
#endif
}

/* Where the history keeps the number + 1 of this lexicon's word that followed the recent words. */
static inline uint32_t *likely(const struct tp_lexicon *lexicon)
{
    uint32_t key = lexicon->history->recent + (uint32_t)(uintptr_t)lexicon;
    return &lexicon->history->likely[key * 0x9E3779B1u >> 18];
}

static inline const struct tp_word *use(struct tp_lexicon *lexicon, uint32_t number)
{
    struct tp_history *history = lexicon->history;
    *likely(lexicon) = number + 1;
    history->recent = history->recent << 8 ^ (number + 1) * 0x85EBCA6Bu;
    return TP_AT(&lexicon->words, struct tp_word, number);
}

const struct tp_word *tp_lexicon_add(struct tp_lexicon *lexicon, struct tp_str raw)
{
    uint32_t hash = (uint32_t)(tp_hash_bytes(raw.ptr, raw.len) >> 32), mask = lexicon->slot_count - 1, i = hash & mask;
    for (; lexicon->slots[i].word; i = (i + 1) & mask) {
        const struct tp_word *word = TP_AT(&lexicon->words, struct tp_word, lexicon->slots[i].word - 1);
        if (lexicon->slots[i].hash == hash && word->len == raw.len && same_bytes(word->raw, raw.ptr, raw.len))
            return use(lexicon, lexicon->slots[i].word - 1);
    }
    if (lexicon->words.count * 2 >= lexicon->slot_count) {
        grow(lexicon);
        mask = lexicon->slot_count - 1;
        for (i = hash & mask; lexicon->slots[i].word; i = (i + 1) & mask)
            ;
    }
    struct tp_word word = make_word(lexicon, raw);
    *(struct tp_word *)tp_vec_push(&lexicon->words) = word;
    lexicon->slots[i] = (struct tp_lexicon_slot){hash, (uint32_t)lexicon->words.count};
    return use(lexicon, (uint32_t)lexicon->words.count - 1);
}

static inline bool stands_at(const struct tp_lexicon *lexicon, const struct tp_word *word, const char *token,
                             const char *end)
{
    size_t quote = lexicon->holds_values ? 0 : 1;
    return !word->flags && word->len + 2 * quote < (size_t)(end - token) &&
           same_bytes(word->raw, token + quote, word->len) && (!quote || token[1 + word->len] == '"');
}

const struct tp_word *tp_lexicon_expect(struct tp_lexicon *lexicon, const char *token, const char *end)
{
    uint32_t number = *likely(lexicon);
    if (number == 0 || number > lexicon->words.count || token >= end)
        return NULL;
    const struct tp_word *word = TP_AT(&lexicon->words, struct tp_word, number - 1);
    return stands_at(lexicon, word, token, end) ? use(lexicon, number - 1) : NULL;
}
