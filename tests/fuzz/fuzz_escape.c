/* Escapes arbitrary bytes. The HTML text must contain no tag and no closing quote, cleaned JSON text must be read back
 * as the same text, and a code span of Markdown must end only at its end. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/strict.h"
#include "writer/base/json_out.h"
#include "writer/text/escape.h"
#include "writer/text/markdown_escape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static bool is_json(const struct tp_buf *text)
{
    struct tp_strict strict;
    tp_strict_init(&strict);
    return tp_strict_feed(&strict, text->data, text->size, NULL) == 0 && tp_strict_end(&strict, NULL) == 0;
}

/* Checks that the JSON writer writes a string that is decoded to the same text. */
static void check_json(struct tp_str raw, bool is_html_safe)
{
    struct tp_buf meaning, written, again;
    struct tp_json json;
    tp_buf_init(&meaning, 0);
    tp_buf_init(&written, 0);
    tp_buf_init(&again, 0);
    tp_clean_string(&meaning, raw, 1u << 20);
    tp_json_init(&json, &written);
    json.is_html_safe = is_html_safe;
    tp_json_str(&json, (struct tp_str){meaning.data ? meaning.data : "", meaning.size});
    abort_unless(is_json(&written));
    abort_unless(!is_html_safe || !memchr(written.data, '<', written.size));
    abort_unless(tp_clean_string(&again, (struct tp_str){written.data + 1, written.size - 2}, 1u << 20) == 0);
    abort_unless(again.size == meaning.size &&
                 (again.size == 0 || (meaning.data && memcmp(again.data, meaning.data, again.size) == 0)));
    tp_buf_release(&meaning);
    tp_buf_release(&written);
    tp_buf_release(&again);
}

/* Checks that a code span of Markdown is one line, and that its fence is longer than any run of backticks inside. */
static void check_code_span(struct tp_str raw)
{
    struct tp_buf span;
    size_t fence = 0, run = 0, runs = 0;
    tp_buf_init(&span, 0);
    tp_markdown_code_in_cell(&span, raw);
    while (fence < span.size && span.data[fence] == '`')
        fence++;
    for (size_t i = 0; i <= span.size; i++) {
        abort_unless(i == span.size || span.data[i] != '\n');
        if (i < span.size && span.data[i] == '`') {
            run++;
            continue;
        }
        runs += run >= fence && run > 0;
        run = 0;
    }
    abort_unless(!raw.len || runs == 2);
    tp_buf_release(&span);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_str raw = {(const char *)data, size};
    struct tp_buf html;
    tp_buf_init(&html, 0);
    tp_html_escape(&html, raw);
    for (size_t i = 0; i < html.size; i++)
        abort_unless(!strchr("<>\"'", html.data[i]) || html.data[i] == 0);
    abort_unless(size == 0 || html.size > 0);
    abort_unless(!html.data || !memchr(html.data, 0, html.size));
    tp_buf_release(&html);
    check_json(raw, false);
    check_json(raw, true);
    check_code_span(raw);
    return 0;
}
