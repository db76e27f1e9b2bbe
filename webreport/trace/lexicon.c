/* Interning from raw bytes: see lexicon.h. Open addressing; the slot array doubles at half load. */
#include "webreport/trace/lexicon.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "writer/base/error.h"
#include "writer/base/limits.h"

void tp_lexicon_init(struct tp_lexicon *lexicon, struct tp_strings *meanings, struct tp_buf *scratch, bool holds_values,
                     size_t max_bytes)
{
    memset(lexicon, 0, sizeof *lexicon);
    lexicon->meanings = meanings;
    lexicon->clean = scratch;
    lexicon->holds_values = holds_values;
    lexicon->max_bytes = max_bytes;
    lexicon->slot_count = 1024;
    lexicon->words = tp_arena_array(meanings->arena, lexicon->slot_count, sizeof *lexicon->words);
}

static void grow(struct tp_lexicon *lexicon)
{
    struct tp_word *old = lexicon->words;
    uint32_t old_count = lexicon->slot_count, mask = old_count * 2 - 1;
    lexicon->words = tp_arena_array(lexicon->meanings->arena, (size_t)old_count * 2, sizeof *old);
    lexicon->slot_count = old_count * 2;
    for (uint32_t k = 0; k < old_count; k++) {
        uint32_t i = (uint32_t)(old[k].hash >> 32) & mask;
        if (!old[k].raw)
            continue;
        while (lexicon->words[i].raw)
            i = (i + 1) & mask;
        lexicon->words[i] = old[k];
    }
    tp_arena_drop(lexicon->meanings->arena, old, old_count * sizeof *old);
}

/* First sighting of a spelling: its meaning, and a stable copy of the spelling (shared with the meaning when equal). */
static struct tp_word make_word(struct tp_lexicon *lexicon, struct tp_str raw, uint64_t hash)
{
    struct tp_strings *meanings = lexicon->meanings;
    struct tp_word word = {.hash = hash, .len = (uint32_t)raw.len};
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

const struct tp_word *tp_lexicon_add(struct tp_lexicon *lexicon, struct tp_str raw)
{
    uint64_t hash = tp_hash_bytes(raw.ptr, raw.len);
    uint32_t mask = lexicon->slot_count - 1, i = (uint32_t)(hash >> 32) & mask;
    for (; lexicon->words[i].raw; i = (i + 1) & mask) {
        const struct tp_word *word = &lexicon->words[i];
        if (word->hash == hash && word->len == raw.len && same_bytes(word->raw, raw.ptr, raw.len))
            return word;
    }
    if (lexicon->word_count * 2 >= lexicon->slot_count) {
        grow(lexicon);
        mask = lexicon->slot_count - 1;
        for (i = (uint32_t)(hash >> 32) & mask; lexicon->words[i].raw; i = (i + 1) & mask)
            ;
    }
    lexicon->words[i] = make_word(lexicon, raw, hash);
    lexicon->word_count++;
    return &lexicon->words[i];
}
