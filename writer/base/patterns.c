/* Searches a name for many patterns in one pass: see patterns.h. */
#include "writer/base/patterns.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_NAME = 4096, MAX_DEPTH = 8, MAX_WRITTEN = 120 };

/* Placeholders in an expanded text. Names may contain these bytes, but patterns must not. */
enum { ANYTHING = 1, DIGITS = 2, END = 3 };

static char lower_case(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Returns the bucket of patterns that begin with these two lower-case letters. */
static inline unsigned bucket_of_first_letters(char first, char second)
{
    return ((unsigned char)first * 31u + (unsigned char)second) % TP_PATTERN_BUCKETS;
}

/* ---- expanding patterns ---- */

struct writing {
    struct tp_patterns *patterns;
    unsigned rule;
    const char *after[MAX_DEPTH]; /* for each enclosing group: the pattern's text after the group */
    unsigned depth, length;
    bool is_anchored, has_failed;
    char text[MAX_WRITTEN + 1]; /* the part of the text that is expanded so far */
};

static void expand_rest(struct writing *w, const char *at);

/* Returns the number of leading letters that two texts have in common. Placeholders are not letters. */
static uint8_t count_common_letters(const char *a, const char *b)
{
    uint8_t n = 0;
    while (a[n] == b[n] && (unsigned char)a[n] > END)
        n++;
    return n;
}

/* Adds the expanded text to the table of patterns. Sets has_failed if the text does not begin with two letters, or if
 * the table is full. */
static void add_expanded_pattern(struct writing *w)
{
    struct tp_patterns *p = w->patterns;
    bool has_two = w->length >= 2 && (unsigned char)w->text[0] > END && (unsigned char)w->text[1] > END;
    if (!has_two || p->count == TP_MAX_PATTERNS || p->size + w->length + 1 > TP_PATTERN_BYTES) {
        w->has_failed = true;
        return;
    }
    unsigned bucket = bucket_of_first_letters(lower_case(w->text[0]), lower_case(w->text[1]));
    uint32_t id = p->count++;
    p->start[id] = (uint16_t)p->size;
    p->rule[id] = (uint16_t)w->rule;
    p->is_anchored[id] = w->is_anchored;
    memcpy(p->text + p->size, w->text, w->length);
    p->size += w->length + 1;
    if (p->first[bucket]) {
        unsigned before = p->last[bucket] - 1u;
        p->next[before] = (uint16_t)(id + 1);
        p->common[id] = count_common_letters(p->text + p->start[before], p->text + p->start[id]);
    } else {
        p->first[bucket] = (uint16_t)(id + 1);
    }
    p->last[bucket] = (uint16_t)(id + 1);
}

/* Appends one character to the expanded text, expands the rest of the pattern, and removes the character again. */
static void append_character_and_expand(struct writing *w, char c, const char *rest)
{
    if (w->length == MAX_WRITTEN) {
        w->has_failed = true;
        return;
    }
    w->text[w->length++] = c;
    expand_rest(w, rest);
    w->length--;
}

/* Returns the position after the ')' that closes the group at `at`. Returns NULL if the group is not closed. */
static const char *find_group_end(const char *at)
{
    for (unsigned depth = 0; *at; at++) {
        if (*at == '\\' && at[1])
            at++;
        else if (*at == '[')
            at += strcspn(at, "]");
        else if (*at == '(')
            depth++;
        else if (*at == ')' && depth-- == 0)
            return at + 1;
        if (!*at)
            break;
    }
    return NULL;
}

/* Expands each alternative of a group, followed by the text `after` the group. at: start of the first alternative. The
 * last alternative must end at the character `end`. */
static void expand_alternatives(struct writing *w, const char *at, char end, const char *after)
{
    if (w->depth == MAX_DEPTH) {
        w->has_failed = true;
        return;
    }
    w->after[w->depth++] = after;
    for (unsigned depth = 0;; at++) {
        expand_rest(w, at);
        for (; *at && (depth || (*at != '|' && *at != ')')); at++) {
            depth += *at == '(';
            depth -= *at == ')';
            at += *at == '\\' && at[1];
        }
        if (*at != '|')
            break;
    }
    w->depth--;
    w->has_failed |= *at != end;
}

static void expand_group(struct writing *w, const char *at)
{
    const char *after = find_group_end(at + 1);
    if (!after) {
        w->has_failed = true;
        return;
    }
    bool may_be_missing = *after == '?';
    expand_alternatives(w, at + 1, ')', after + may_be_missing);
    if (may_be_missing)
        expand_rest(w, after + 1);
}

/* Expands a character set at `at`, in the form "[kp]" or "[0-9]+". */
static void expand_character_set(struct writing *w, const char *at)
{
    size_t length = strcspn(at, "]");
    const char *after = at + length + 1;
    if (strncmp(at, "[0-9]+", 6) == 0) {
        append_character_and_expand(w, DIGITS, at + 6);
        return;
    }
    if (!at[length] || memchr(at, '-', length) || *after == '+' || *after == '*' || *after == '?') {
        w->has_failed = true;
        return;
    }
    for (size_t i = 1; i < length; i++)
        append_character_and_expand(w, lower_case(at[i]), after);
}

/* Expands the rest of an alternative in all its forms, followed by the text after the enclosing groups. at: start of
 * the rest. */
static void expand_rest(struct writing *w, const char *at)
{
    bool is_over = !*at || *at == '|' || *at == ')';
    if (w->has_failed) {
        return;
    } else if (is_over && w->depth) {
        const char *after = w->after[--w->depth];
        expand_rest(w, after);
        w->after[w->depth++] = after;
    } else if (is_over) {
        add_expanded_pattern(w);
    } else if (*at == '(') {
        expand_group(w, at);
    } else if (*at == '[') {
        expand_character_set(w, at);
    } else if (at[0] == '.' && at[1] == '*') {
        append_character_and_expand(w, ANYTHING, at + 2);
    } else if (*at == '^' && !w->length) {
        bool before = w->is_anchored;
        w->is_anchored = true;
        expand_rest(w, at + 1);
        w->is_anchored = before;
    } else if (*at == '$') {
        append_character_and_expand(w, END, at + 1);
    } else if (strchr(".*+?{}^", *at)) {
        w->has_failed = true;
    } else {
        at += *at == '\\' && at[1];
        bool may_be_missing = at[1] == '?';
        append_character_and_expand(w, lower_case(*at), at + 1 + may_be_missing);
        if (may_be_missing)
            expand_rest(w, at + 2);
    }
}

int tp_patterns_add(struct tp_patterns *patterns, unsigned rule, const char *pattern)
{
    struct writing w = {.patterns = patterns, .rule = rule};
    expand_alternatives(&w, pattern, 0, "");
    return w.has_failed ? -1 : 0;
}

/* ---- searching ---- */

/* State of a search: the end of the name, and a bit for each pattern that cannot match any more. If the text after a
 * ".*" does not occur after one position, it does not occur after later positions either. */
struct search {
    const char *end;
    uint8_t is_over[TP_MAX_PATTERNS / 8];
};

static bool does_pattern_match_at(const char *pattern, const char *at, const char *end, bool *is_over)
{
    for (; *pattern; pattern++) {
        if (*pattern == ANYTHING) {
            bool ignored;
            for (; at <= end; at++)
                if (does_pattern_match_at(pattern + 1, at, end, &ignored))
                    return true;
            *is_over = true;
            return false;
        }
        if (*pattern == END) {
            if (at != end)
                return false;
        } else if (at == end || (*pattern == DIGITS ? !tp_is_digit(*at) : lower_case(*at) != *pattern)) {
            return false;
        } else {
            for (at++; *pattern == DIGITS && at < end && tp_is_digit(*at);)
                at++;
        }
    }
    return true;
}

/* Returns how many leading letters of the pattern match the name at position `at`. The first `n` letters are known to
 * match. */
static unsigned count_matching_letters(const char *pattern, const char *at, const char *end, unsigned n)
{
    while ((unsigned char)pattern[n] > END && at + n < end && lower_case(at[n]) == pattern[n])
        n++;
    return n;
}

/* Returns the smallest rule with a match at position `at`, if it is below `best`; otherwise `best`. first: 1 + index of
 * the bucket's first pattern. Hundreds of patterns begin with "aten::", so the result for most patterns follows from
 * the previous pattern: if a pattern failed after n letters, a pattern that shares more than n letters with it fails as
 * well. */
static int find_matching_rule_at(const struct tp_patterns *patterns, struct search *search, unsigned first,
                                 const char *at, bool is_begin, int best)
{
    unsigned here = 0; /* number of letters of the previous pattern that match at position `at` */
    for (unsigned i = first; i; i = patterns->next[i - 1]) {
        unsigned id = i - 1, common = patterns->common[id];
        const char *pattern = patterns->text + patterns->start[id];
        bool is_over = false;
        if (patterns->rule[id] >= best)
            return best; /* all later patterns of the bucket belong to higher rules */
        if (common > here)
            continue;
        here = common < here ? common : count_matching_letters(pattern, at, search->end, here);
        if ((unsigned char)pattern[here] > END || (patterns->is_anchored[id] && !is_begin) ||
            search->is_over[id / 8] >> id % 8 & 1)
            continue;
        if (does_pattern_match_at(pattern + here, at + here, search->end, &is_over))
            return patterns->rule[id];
        search->is_over[id / 8] |= (uint8_t)(is_over << id % 8);
    }
    return best;
}

int tp_patterns_find(const struct tp_patterns *patterns, struct tp_str name)
{
    size_t length = name.len < MAX_NAME ? name.len : MAX_NAME;
    struct search search = {.end = name.ptr + length};
    int best = INT16_MAX;
    char letter = length ? lower_case(*name.ptr) : 0;
    for (size_t i = 0; i + 1 < length; i++) {
        char next = lower_case(name.ptr[i + 1]);
        unsigned first = patterns->first[bucket_of_first_letters(letter, next)];
        if (first) /* 0 for most pairs of letters, because no pattern begins with them */
            best = find_matching_rule_at(patterns, &search, first, name.ptr + i, i == 0, best);
        letter = next;
    }
    return best == INT16_MAX ? -1 : best;
}
