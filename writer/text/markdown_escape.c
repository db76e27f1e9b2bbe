/* Escapes any text for Markdown: see markdown_escape.h.
 *
 * GitHub turns mentions, issue numbers, URLs, e-mail addresses, commit hashes, emoji and formulas into links or
 * pictures, even if Markdown's own characters are escaped. GitHub changes nothing in code spans, so a word that GitHub
 * might turn into a link or picture becomes a code span. Sources: GitHub Flavored Markdown 0.29, "Autolinked references
 * and URLs" of GitHub's documentation. */
#include "writer/text/markdown_escape.h"

#include <ctype.h>
#include <strings.h>

#include "writer/base/utf8.h"

/* Writes the character at the start of `text` as an escape if Markdown accepts this character but it is unsafe. Such
 * characters are U+0080..9F and the bidirectional controls, which change the order in which a line is read. Returns
 * the length of the character in bytes, or 0 for any other character. slashes: written before "u202e". */
static size_t write_unsafe_character(struct tp_buf *out, struct tp_str text, const char *slashes)
{
    const unsigned char *p = (const unsigned char *)text.ptr;
    if (text.len >= 2 && p[0] == 0xC2 && p[1] >= 0x80 && p[1] < 0xA0) {
        tp_buf_putc(out, ' ');
        return 2;
    }
    unsigned bidi = *p < 0x80 ? 0 : tp_utf8_bidi_length(text.ptr, text.len);
    if (!bidi)
        return 0;
    tp_buf_printf(out, "%su%04x", slashes, bidi);
    return bidi < 0x800 ? 2 : 3;
}

static void write_escaped_text(struct tp_buf *out, struct tp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        size_t invisible = write_unsafe_character(out, (struct tp_str){text.ptr + i, text.len - i}, "\\\\");

        if (invisible)
            i += invisible - 1;
        else if (c == '<')
            tp_buf_puts(out, "&lt;");
        else if (c == '>')
            tp_buf_puts(out, "&gt;");
        else if (c == '&')
            tp_buf_puts(out, "&amp;");
        else if (c == '@')
            tp_buf_puts(out, "&#64;");
        else if (strchr("\\`*_[]|~#!$", c))
            tp_buf_printf(out, "\\%c", c);
        else
            tp_buf_putc(out, (char)c);
    }
}

/* ---- code spans ---- */

/* Returns the number of backticks in the longest run of backticks. */
static size_t longest_run_of_backticks(struct tp_str text)
{
    size_t most = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

/* Writes a code span between fences that are longer than any run of backticks in the span. In a table (is_cell),
 * escapes the bar even in code. */
static void write_code_span(struct tp_buf *out, struct tp_str text, bool is_cell)
{
    size_t fence = longest_run_of_backticks(text) + 1;
    bool is_padded = text.ptr[0] == '`' || text.ptr[text.len - 1] == '`';
    /* A space separates adjacent spans, which would otherwise become one. */
    if (out->size && out->data[out->size - 1] == '`')
        tp_buf_putc(out, ' ');
    for (size_t i = 0; i < fence; i++)
        tp_buf_putc(out, '`');
    tp_buf_puts(out, is_padded ? " " : "");
    for (size_t i = 0; i < text.len; i++) {
        size_t invisible = write_unsafe_character(out, (struct tp_str){text.ptr + i, text.len - i}, "\\");
        if (invisible)
            i += invisible - 1;
        else if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
            tp_buf_putc(out, ' ');
        else
            tp_buf_printf(out, is_cell && text.ptr[i] == '|' ? "\\%c" : "%c", text.ptr[i]);
    }
    tp_buf_puts(out, is_padded ? " " : "");
    for (size_t i = 0; i < fence; i++)
        tp_buf_putc(out, '`');
}

/* ---- words ---- */

static bool has_text(struct tp_str word, const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i + size <= word.len; i++)
        if (strncasecmp(word.ptr + i, text, size) == 0)
            return true;
    return false;
}

/* Returns whether the word contains a reference to an issue, such as "GH-1". */
static bool has_issue_reference(struct tp_str word)
{
    for (size_t i = 0; i + 3 < word.len; i++)
        if (strncasecmp(word.ptr + i, "gh-", 3) == 0 && isdigit((unsigned char)word.ptr[i + 3]))
            return true;
    return false;
}

/* Returns whether the word contains a possible commit hash: 7 to 40 hexadecimal digits with both letters and digits. */
static bool has_commit_hash(struct tp_str word)
{
    enum { SHORTEST = 7, LONGEST = 40 };
    for (size_t i = 0, end; i < word.len; i = end + 1) {
        bool is_hex = true, has_digit = false, has_letter = false;
        for (end = i; end < word.len && isalnum((unsigned char)word.ptr[end]); end++) {
            is_hex &= isxdigit((unsigned char)word.ptr[end]) != 0;
            has_digit |= isdigit((unsigned char)word.ptr[end]) != 0;
            has_letter |= isalpha((unsigned char)word.ptr[end]) != 0;
        }
        if (is_hex && has_digit && has_letter && end - i >= SHORTEST && end - i <= LONGEST)
            return true;
    }
    return false;
}

/* Returns whether the word contains the name of an emoji, ":tada:". */
static bool has_emoji_code(struct tp_str word)
{
    for (size_t i = 0; i < word.len; i++) {
        size_t end = i + 1;
        while (word.ptr[i] == ':' && end < word.len &&
               (isalnum((unsigned char)word.ptr[end]) || strchr("+-_", word.ptr[end])))
            end++;
        if (end > i + 1 && end < word.len && word.ptr[end] == ':')
            return true;
    }
    return false;
}

/* Returns whether a line that begins with the word would become a list, a heading or a rule. */
static bool begins_block(struct tp_str word)
{
    size_t digits = 0, same = 0;
    while (digits < word.len && isdigit((unsigned char)word.ptr[digits]))
        digits++;
    while (same < word.len && word.ptr[same] == word.ptr[0])
        same++;
    return (same == word.len && strchr("-+=", word.ptr[0])) ||
           (digits && digits + 1 == word.len && strchr(".)", word.ptr[digits]));
}

static bool is_active_markup(struct tp_str word)
{
    bool has_letter = false, has_sign = false;
    for (size_t i = 0; i < word.len; i++) {
        unsigned char c = (unsigned char)word.ptr[i];
        has_letter |= isalnum(c) || c >= 0x80;
        has_sign |= strchr("@#$`_*\\<>|~", c) != NULL;
    }
    return (has_letter && has_sign) || has_text(word, "://") || has_text(word, "www.") || has_issue_reference(word) ||
           has_commit_hash(word) || has_emoji_code(word);
}

/* Returns the word without the punctuation around it: "(@user)," gives "@user". */
static struct tp_str strip_punctuation(struct tp_str word)
{
    while (word.len && strchr("([\"'", word.ptr[0]))
        word = (struct tp_str){word.ptr + 1, word.len - 1};
    while (word.len) {
        char last = word.ptr[word.len - 1];
        bool is_closing = last == ')' && !memchr(word.ptr, '(', word.len);
        if (!is_closing && !strchr(".,;:!?\"'", last))
            break;
        word.len--;
    }
    return word;
}

static void write_word(struct tp_buf *out, struct tp_str word, bool is_first, bool is_cell)
{
    struct tp_str core = strip_punctuation(word);
    if (is_first && begins_block(word)) {
        write_code_span(out, word, is_cell);
        return;
    }
    if (!is_active_markup(core)) {
        if (is_active_markup(word)) /* `word` has the last colon, which `core` lacks; ":tada" alone is not an emoji */
            write_code_span(out, word, is_cell);
        else
            write_escaped_text(out, word);
        return;
    }
    write_escaped_text(out, (struct tp_str){word.ptr, (size_t)(core.ptr - word.ptr)});
    write_code_span(out, core, is_cell);
    write_escaped_text(out, (struct tp_str){core.ptr + core.len, (size_t)(word.ptr + word.len - core.ptr) - core.len});
}

/* ---- paths with spaces ---- */

static bool begins_path(struct tp_str word)
{
    word = strip_punctuation(word);
    bool is_windows = word.len > 2 && isalpha((unsigned char)word.ptr[0]) && word.ptr[1] == ':' &&
                      (word.ptr[2] == '\\' || word.ptr[2] == '/');
    return is_windows || (word.len > 1 && word.ptr[0] == '/') || tp_str_starts(word, "./") ||
           tp_str_starts(word, "../") || tp_str_starts(word, "~/");
}

/* Returns whether a word ends like a file name, such as "b.py" or "b.py(3)". */
static bool has_extension(struct tp_str word)
{
    enum { LONGEST = 5 };
    size_t size = word.len, letters = 0;
    if (size && word.ptr[size - 1] == ')')
        for (size--; size && isdigit((unsigned char)word.ptr[size - 1]);)
            size--;
    size -= size && size < word.len && word.ptr[size - 1] == '(';
    while (letters < size && isalnum((unsigned char)word.ptr[size - 1 - letters]))
        letters++;
    return letters && letters <= LONGEST && letters < size && word.ptr[size - 1 - letters] == '.' &&
           isalpha((unsigned char)word.ptr[size - letters]);
}

static size_t end_of_word(struct tp_str text, size_t at)
{
    while (at < text.len && (unsigned char)text.ptr[at] > ' ' && text.ptr[at] != 0x7f)
        at++;
    return at;
}

/* Returns the end of the path that begins at `at`. The path ends with the last word that has a slash or is a file
 * name, and before punctuation or another path. Sets *has_alive if a word of the path needs a code span. */
static size_t end_of_path(struct tp_str text, size_t at, bool *has_alive)
{
    size_t end = end_of_word(text, at), last = end;
    bool is_any = is_active_markup(strip_punctuation((struct tp_str){text.ptr + at, end - at}));
    *has_alive = is_any;
    while (end + 1 < text.len && text.ptr[end] == ' ' && !strchr(",;:!?", text.ptr[end - 1])) {
        size_t next = end_of_word(text, end + 1);
        struct tp_str word = {text.ptr + end + 1, next - end - 1}, core = strip_punctuation(word);
        if (!word.len || begins_path(word))
            break;
        is_any |= is_active_markup(core);
        end = next;
        if (memchr(core.ptr, '/', core.len) || memchr(core.ptr, '\\', core.len) || has_extension(core)) {
            last = end;
            *has_alive = is_any;
        }
    }
    return last;
}

/* Writes a path with spaces as one code span if one of its words needs a span. Returns the end of the path, or `at` if
 * there is no such path. */
static size_t write_path(struct tp_buf *out, struct tp_str text, size_t at, bool is_cell)
{
    bool has_alive;
    size_t first_end = end_of_word(text, at);
    if (!begins_path((struct tp_str){text.ptr + at, first_end - at}))
        return at;
    size_t end = end_of_path(text, at, &has_alive);
    if (end == first_end || !has_alive)
        return at;
    struct tp_str path = {text.ptr + at, end - at}, core = strip_punctuation(path);
    write_escaped_text(out, (struct tp_str){path.ptr, (size_t)(core.ptr - path.ptr)});
    write_code_span(out, core, is_cell);
    write_escaped_text(out, (struct tp_str){core.ptr + core.len, (size_t)(path.ptr + path.len - core.ptr) - core.len});
    return end;
}

static void write_words(struct tp_buf *out, struct tp_str text, bool is_cell)
{
    bool is_first = true;
    for (size_t i = 0, end; i < text.len; i = end) {
        end = end_of_word(text, i);
        if (end == i) {
            tp_buf_putc(out, ' ');
            end++;
            continue;
        }
        size_t behind_path = write_path(out, text, i, is_cell);
        if (behind_path > i)
            end = behind_path;
        else
            write_word(out, (struct tp_str){text.ptr + i, end - i}, is_first && !is_cell, is_cell);
        is_first = false;
    }
}

void tp_markdown_escape(struct tp_buf *out, struct tp_str text)
{
    write_words(out, text, false);
}

void tp_markdown_cell(struct tp_buf *out, struct tp_str text)
{
    write_words(out, text, true);
}

void tp_markdown_code_in_cell(struct tp_buf *out, struct tp_str text)
{
    if (text.len)
        write_code_span(out, text, true);
}
