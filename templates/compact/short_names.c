/* Implements short_names.h: collects the places of all variables, counts them by name, and copies the script with a new
 * name at each place. */
#include "templates/compact/short_names.h"

#include <stdbool.h>
#include <string.h>

#include "templates/compact/script_text.h"
#include "writer/base/sort.h"

enum { MAX_DEPTH = 256, SHORT_SIZE = 4 };

/* Keywords, and the names of the browser that the scripts use as variables. tests/browser/page.mjs compares this list
 * with the scripts and with the names that the browser declares. Sorted. */
static const char *const KEPT[] = {
    "Array",
    "Blob",
    "Boolean",
    "CSS",
    "CustomEvent",
    "DataView",
    "DecompressionStream",
    "Event",
    "Float32Array",
    "Float64Array",
    "Infinity",
    "IntersectionObserver",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "ResizeObserver",
    "Response",
    "Set",
    "String",
    "TextDecoder",
    "Uint32Array",
    "Uint8Array",
    "addEventListener",
    "arguments",
    "async",
    "atob",
    "await",
    "break",
    "case",
    "catch",
    "console",
    "const",
    "continue",
    "decodeURIComponent",
    "default",
    "delete",
    "do",
    "document",
    "else",
    "encodeURIComponent",
    "event",
    "false",
    "finally",
    "for",
    "frames",
    "function",
    "getComputedStyle",
    "history",
    "if",
    "in",
    "innerHeight",
    "innerWidth",
    "instanceof",
    "isNaN",
    "length",
    "let",
    "localStorage",
    "location",
    "matchMedia",
    "name",
    "navigator",
    "new",
    "null",
    "of",
    "open",
    "parent",
    "parseFloat",
    "parseInt",
    "performance",
    "requestAnimationFrame",
    "return",
    "scrollTo",
    "scrollY",
    "self",
    "setTimeout",
    "static",
    "this",
    "throw",
    "top",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "window",
    "yield",
};
enum { KEPT_COUNT = sizeof KEPT / sizeof *KEPT };

enum place_kind {
    PLACE_PROPERTY,
    PLACE_VARIABLE,
    PLACE_SHORT_MEMBER, /* {name}: both the name of a member and a variable */
};

struct place {
    struct tp_str word;
    size_t number; /* of the place in the order of the script */
    bool is_short_member;
    const char *to;
};

struct name {
    size_t first, count; /* its places in the order of names */
};

struct scanner {
    const char *text;
    size_t size, at;
    char last;            /* last character that is not a space; 0 at the start */
    struct tp_str word;   /* last token if it is a word; empty otherwise */
    char open[MAX_DEPTH]; /* open brackets; 'o' for the brace of an object, '{' for the brace of a block */
    size_t depth;
    bool is_unsupported;
    struct tp_vec places; /* struct place */
};

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool is_kept(struct tp_str word)
{
    for (size_t low = 0, high = KEPT_COUNT; low < high;) {
        size_t middle = (low + high) / 2;
        int order = tp_str_compare(word, tp_str_of(KEPT[middle]));
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static char char_after_spaces(const struct scanner *s, size_t at)
{
    while (at < s->size && (s->text[at] == ' ' || s->text[at] == '\n'))
        at++;
    return at < s->size ? s->text[at] : 0;
}

/* Returns whether a brace after the last token starts an object or a pattern instead of a block. */
static bool opens_object(const struct scanner *s)
{
    static const char *const words[] = {"return", "const", "let", "var", "of", "in", "typeof"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tp_str_equal(s->word, tp_str_of(words[i])))
            return true;
    return !s->word.len && s->last && strchr("(,=:[?&|!.", s->last);
}

static void skip_bracket(struct scanner *s, char bracket)
{
    if (strchr("([{", bracket)) {
        if (s->depth == MAX_DEPTH)
            s->is_unsupported = true;
        else
            s->open[s->depth++] = bracket == '{' && opens_object(s) ? 'o' : bracket;
    } else if (s->depth)
        s->depth--;
}

static enum place_kind place_of_word(const struct scanner *s, size_t start, size_t end)
{
    if (s->last == '.' && !(start >= 3 && memcmp(s->text + start - 3, "...", 3) == 0))
        return PLACE_PROPERTY;
    bool is_member = s->depth && s->open[s->depth - 1] == 'o' && !s->word.len && (s->last == '{' || s->last == ',');
    if (!is_member)
        return PLACE_VARIABLE;
    char next = char_after_spaces(s, end);
    return next == ':' || next == '(' ? PLACE_PROPERTY : PLACE_SHORT_MEMBER;
}

static void read_word(struct scanner *s)
{
    size_t start = s->at;
    while (s->at < s->size && is_word_char(s->text[s->at]))
        s->at++;
    struct tp_str word = {s->text + start, s->at - start};
    bool is_number = word.ptr[0] >= '0' && word.ptr[0] <= '9';
    enum place_kind kind = is_number ? PLACE_PROPERTY : place_of_word(s, start, s->at);
    if (kind != PLACE_PROPERTY && (tp_str_equal(word, TP_STR("class")) || tp_str_equal(word, TP_STR("switch"))))
        s->is_unsupported = true;
    if (kind != PLACE_PROPERTY && !is_kept(word)) {
        size_t number = s->places.count;
        *(struct place *)tp_vec_push(&s->places) =
            (struct place){.word = word, .number = number, .is_short_member = kind == PLACE_SHORT_MEMBER};
    }
    s->last = word.ptr[word.len - 1];
    s->word = word;
}

static void skip_comment(struct scanner *s)
{
    ptrdiff_t length = tp_str_find((struct tp_str){s->text + s->at, s->size - s->at}, "*/");
    s->at = length < 0 ? s->size : s->at + (size_t)length + 2;
}

/* Skips a string, or a regular expression with its flags. */
static void skip_quoted(struct scanner *s)
{
    s->at = tp_script_quoted_end(s->text, s->size, s->at);
    while (s->last == '/' && s->at < s->size && is_word_char(s->text[s->at]))
        s->at++;
}

static void skip_mark(struct scanner *s)
{
    char before = s->last, mark = s->text[s->at];
    bool opens_expression = mark == '/' && tp_script_slash_opens_expression(s->text, s->at, before);
    if (strchr("()[]{}", mark))
        skip_bracket(s, mark);
    s->is_unsupported |= mark == '`';
    s->last = mark;
    s->word = (struct tp_str){0};
    if (mark == '\'' || mark == '"' || opens_expression)
        skip_quoted(s);
    else
        s->at++;
}

static void collect_places(struct scanner *s)
{
    while (s->at < s->size && !s->is_unsupported) {
        char now = s->text[s->at];
        if (is_word_char(now))
            read_word(s);
        else if (now == ' ' || now == '\n')
            s->at++;
        else if (now == '/' && s->at + 1 < s->size && s->text[s->at + 1] == '*')
            skip_comment(s);
        else
            skip_mark(s);
    }
}

static int compare_words(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct place *a = x, *b = y;
    return tp_str_compare(a->word, b->word);
}

static int compare_numbers(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct place *a = x, *b = y;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_counts(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct name *a = x, *b = y;
    return a->count > b->count ? -1 : a->count < b->count;
}

/* Writes the next short name that is not kept: a to z, A to Z, $, _, then two characters, and so on. */
static void next_short_name(size_t *number, char to[SHORT_SIZE])
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_0123456789";
    enum { FIRST = 54, ALL = sizeof characters - 1 };
    do {
        size_t left = (*number)++, length = 0;
        to[length++] = characters[left % FIRST];
        for (left /= FIRST; left && length + 1 < SHORT_SIZE; left = (left - 1) / ALL)
            to[length++] = characters[(left - 1) % ALL];
        to[length] = 0;
    } while (is_kept(tp_str_of(to)));
}

/* Gives each place its new name. */
static void name_places(struct tp_vec *places, struct tp_arena *arena)
{
    struct place *all = places->data;
    struct tp_vec names = TP_VEC(arena, struct name);
    size_t number = 0;
    tp_merge_sort(arena, all, places->count, sizeof *all, compare_words, NULL);
    for (size_t i = 0; i < places->count; i++) {
        if (i == 0 || !tp_str_equal(all[i].word, all[i - 1].word))
            ((struct name *)tp_vec_push(&names))->first = i;
        TP_AT(&names, struct name, names.count - 1)->count++;
    }
    tp_merge_sort(arena, names.data, names.count, sizeof(struct name), compare_counts, NULL);
    for (size_t n = 0; n < names.count; n++) {
        const struct name *name = TP_AT(&names, struct name, n);
        char *to = tp_arena_alloc(arena, SHORT_SIZE);
        next_short_name(&number, to);
        for (size_t i = 0; i < name->count; i++)
            all[name->first + i].to = to;
    }
    tp_merge_sort(arena, all, places->count, sizeof *all, compare_numbers, NULL);
}

/* Returns the script with the new names. */
static struct tp_str renamed(struct tp_str script, const struct tp_vec *places, struct tp_arena *arena)
{
    char *text = tp_arena_alloc(arena, script.len + places->count * SHORT_SIZE + 1), *end = text;
    const char *from = script.ptr;
    for (size_t i = 0; i < places->count; i++) {
        const struct place *place = TP_AT(places, struct place, i);
        size_t kept = (size_t)(place->word.ptr - from) + (place->is_short_member ? place->word.len : 0);
        size_t length = strlen(place->to);
        memcpy(end, from, kept);
        end += kept;
        if (place->is_short_member)
            *end++ = ':';
        memcpy(end, place->to, length);
        end += length;
        from = place->word.ptr + place->word.len;
    }
    size_t rest = (size_t)(script.ptr + script.len - from);
    memcpy(end, from, rest);
    return (struct tp_str){text, (size_t)(end - text) + rest};
}

struct tp_str tp_shorten_names(struct tp_str script, struct tp_arena *arena)
{
    struct scanner *s = tp_arena_alloc(arena, sizeof *s);
    *s = (struct scanner){.text = script.ptr, .size = script.len, .places = TP_VEC(arena, struct place)};
    collect_places(s);
    if (s->is_unsupported)
        return script;
    name_places(&s->places, arena);
    return renamed(script, &s->places, arena);
}
