/* Builds the style, the scripts and the Content-Security-Policy of the page. See page_shell.h. */
#include "webreport/print/page_shell.h"

#include <string.h>

#include "writer/base/sha256.h"
#include "writer/text/base64.h"

/* Returns the position after a comment that fills whole lines, or `at` if no such comment starts there. Comments that
 * start with an exclamation mark stay, because they are for readers of the page. */
static size_t skip_comment(struct tp_str text, size_t at)
{
    if (text.len - at < 3 || memcmp(text.ptr + at, "/*", 2) != 0 || text.ptr[at + 2] == '!')
        return at;
    ptrdiff_t length = tp_str_find((struct tp_str){text.ptr + at, text.len - at}, "*/");
    size_t end = length < 0 ? text.len : at + (size_t)length + 2;
    return end < text.len && text.ptr[end] == '\n' ? end + 1 : at;
}

/* Appends the line at `at`, with LF in place of CR LF or CR. The browser's parser makes the same change before it
 * computes hashes. Returns the start of the next line. */
static size_t append_line_without_indentation(char *to, size_t *size, struct tp_str text, size_t at)
{
    const char *feed = memchr(text.ptr + at, '\n', text.len - at);
    size_t length = feed ? (size_t)(feed - text.ptr) + 1 - at : text.len - at;
    const char *carriage = memchr(text.ptr + at, '\r', length);
    if (carriage)
        length = (size_t)(carriage - text.ptr) - at;
    memcpy(to + *size, text.ptr + at, length);
    *size += length;
    at += length;
    if (!carriage)
        return at;
    to[(*size)++] = '\n';
    return at + 1 + (at + 1 < text.len && text.ptr[at + 1] == '\n');
}

/* Appends a file without indentation and comment lines, which only readers of the source need. */
static void append_without_comments(char *to, size_t *size, struct tp_str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t behind = skip_comment(text, at);
        if (text.ptr[at] == ' ' || text.ptr[at] == '\t')
            at++;
        else
            at = behind > at ? behind : append_line_without_indentation(to, size, text, at);
    }
}

/* Returns whether a page of this type omits a file, because it lacks the parts that use the file. */
static bool is_asset_omitted(struct tp_str name, enum tp_html_assets where)
{
    if (tp_str_starts(name, "program."))
        return where == TP_HTML_INLINE || where == TP_HTML_INLINE_DOCUMENT;
    bool is_without_timeline = where == TP_HTML_INLINE_DOCUMENT || where == TP_HTML_INLINE_ONLY_PROGRAM;
    return is_without_timeline && tp_str_equal(name, TP_STR("timeline.js"));
}

/* Joins the built-in files whose names end in `suffix`, in the order that page_shell.h states. Omits files for which
 * is_asset_omitted is true, and files in subfolders (svg/), which do not belong to the page. */
static int join_assets_by_suffix(struct tp_str *out, const struct tp_assets *assets, enum tp_html_assets where,
                                 const char *suffix, struct tp_error *err)
{
    const char *first = strcmp(suffix, ".css") == 0 ? TP_HTML_CSS_FILE : TP_HTML_JS_FILE;
    struct tp_vec texts = TP_VEC(assets->arena, struct tp_str);
    size_t room = 1, size = 0;
    struct tp_str name = tp_str_of(first), text;
    for (size_t i = 0; name.ptr; name = tp_assets_name(i++)) {
        if (!tp_str_ends(name, suffix) || memchr(name.ptr, '/', name.len) ||
            (i > 0 && tp_str_equal(name, tp_str_of(first))) || is_asset_omitted(name, where))
            continue;
        int code = tp_assets_get(assets, name, &text, err);
        if (code)
            return code;
        *(struct tp_str *)tp_vec_push(&texts) = text;
        room += text.len;
    }
    char *all = tp_arena_alloc(assets->arena, room);
    for (size_t i = 0; i < texts.count; i++)
        append_without_comments(all, &size, *TP_AT(&texts, struct tp_str, i));
    *out = (struct tp_str){all, size};
    return 0;
}

static int check_embeddable(struct tp_str text, const char *what, const char *end, struct tp_error *err)
{
    const char *found = NULL;
    if (tp_str_find_ignore_case(text, end) >= 0)
        found = end;
    else if (tp_str_find(text, "<!--") >= 0)
        found = "<!--";
    else if (memchr(text.ptr, '\0', text.len))
        found = "a NUL byte";
    if (found)
        return tp_error_set(err, TP_EFORMAT, 0, "the %s of the page contains %s", what, found);
    return 0;
}

/* Appends the hash of a text in the form that the policy needs, such as 'sha256-...'. */
static void append_policy_hash(struct tp_buf *out, struct tp_str text)
{
    uint8_t digest[32];
    tp_sha256_digest(text.ptr, text.len, digest);
    tp_buf_puts(out, "'sha256-");
    tp_base64_add(out, digest, sizeof digest);
    tp_buf_puts(out, "'");
}

static struct tp_str security_policy(const struct tp_html *html, struct tp_arena *arena)
{
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_puts(&text, "default-src 'none'; style-src ");
    if (html->is_separate)
        tp_buf_puts(&text, "'self'; script-src 'self'");
    else {
        append_policy_hash(&text, html->css);
        tp_buf_puts(&text, "; script-src ");
        append_policy_hash(&text, html->js);
    }
    tp_buf_puts(&text, "; img-src data:; base-uri 'none'; form-action 'none'");
    /* copy of the policy (at most 280 bytes), because the buffer must be released before an allocation in the arena can
     * fail */
    char kept[512];
    size_t size = text.failed ? 0 : text.size;
    if (size)
        memcpy(kept, text.data, size);
    tp_buf_release(&text);
    return (struct tp_str){tp_arena_copy(arena, kept, size), size};
}

int tp_html_build(struct tp_html *html, const struct tp_assets *assets, enum tp_html_assets where, struct tp_error *err)
{
    *html = (struct tp_html){.is_separate = where == TP_HTML_SEPARATE,
                             .has_programs = where == TP_HTML_SEPARATE || where == TP_HTML_INLINE_PROGRAM ||
                                             where == TP_HTML_INLINE_ONLY_PROGRAM};
    int code = join_assets_by_suffix(&html->css, assets, where, ".css", err);
    if (!code)
        code = join_assets_by_suffix(&html->js, assets, where, ".js", err);
    if (!code)
        code = check_embeddable(html->css, "style", "</style", err);
    if (!code)
        code = check_embeddable(html->js, "script", "</script", err);
    if (code)
        return code;
    html->csp = security_policy(html, assets->arena);
    if (!html->csp.len)
        return tp_error_set(err, TP_ENOMEM, 0, "not enough memory for the page");
    return 0;
}

int tp_html_build_with_programs(struct tp_html *html, const struct tp_assets *assets, bool is_only,
                                struct tp_error *err)
{
    if (html->has_programs)
        return 0;
    return tp_html_build(html, assets, is_only ? TP_HTML_INLINE_ONLY_PROGRAM : TP_HTML_INLINE_PROGRAM, err);
}

void tp_html_put_shell(const struct tp_html *html, struct tp_object *page)
{
    tp_object_add_str(page, "csp", html->csp);
    tp_object_add_bool(page, "is_separate", html->is_separate);
    tp_object_add_text(page, "css_file", TP_HTML_CSS_FILE);
    tp_object_add_text(page, "js_file", TP_HTML_JS_FILE);
    if (html->is_separate)
        return;
    tp_object_add_str(page, "css", html->css);
    tp_object_add_str(page, "js", html->js);
}
