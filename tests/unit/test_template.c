/* Tests the template engine: the official Mustache spec (if ../shared has it), escaping, limits, the builder of data,
 * and tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "webreport/print/template.h"

/* ---- a small JSON reader for the files of the spec ---- */

struct reader {
    struct tp_arena *arena;
    const char *at;
};

static struct tp_data read_value(struct reader *r);

static void skip_blanks(struct reader *r)
{
    while (*r->at && strchr(" \t\r\n,:", *r->at))
        r->at++;
}

static struct tp_str read_text(struct reader *r)
{
    char *text = tp_arena_alloc(r->arena, strlen(r->at)), *to = text;
    for (r->at++; *r->at != '"'; r->at++) {
        char c = *r->at;
        if (c == '\\') {
            c = *++r->at;
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
            if (c == 'u') { /* the spec uses \u only for ASCII characters */
                c = (char)strtol((char[]){r->at[3], r->at[4], 0}, NULL, 16);
                r->at += 4;
            }
        }
        *to++ = c;
    }
    r->at++;
    return (struct tp_str){text, (size_t)(to - text)};
}

static struct tp_data read_object(struct reader *r)
{
    struct tp_object *object = tp_object_new(r->arena);
    for (r->at++, skip_blanks(r); *r->at != '}'; skip_blanks(r)) {
        struct tp_str key = read_text(r);
        skip_blanks(r);
        tp_object_add_value(object, tp_arena_copy(r->arena, key.ptr, key.len), read_value(r));
    }
    r->at++;
    return tp_data_of_object(object);
}

static struct tp_data read_list(struct reader *r)
{
    struct tp_list *list = tp_list_new(r->arena);
    for (r->at++, skip_blanks(r); *r->at != ']'; skip_blanks(r))
        tp_list_add(list, read_value(r));
    r->at++;
    return tp_data_of_list(list);
}

static struct tp_data read_value(struct reader *r)
{
    skip_blanks(r);
    if (*r->at == '"')
        return tp_data_str(read_text(r));
    if (*r->at == '{')
        return read_object(r);
    if (*r->at == '[')
        return read_list(r);
    const char *from = r->at;
    r->at += strcspn(r->at, " \t\r\n,]}");
    struct tp_str word = {from, (size_t)(r->at - from)};
    if (tp_str_equal(word, TP_STR("true")) || tp_str_equal(word, TP_STR("false")))
        return tp_data_bool(*from == 't');
    return tp_str_equal(word, TP_STR("null")) ? (struct tp_data){0} : tp_data_str(word);
}

static struct tp_data get_member(struct tp_data object, const char *name)
{
    struct tp_data out = {0};
    if (object.kind == TP_DATA_OBJECT)
        object.source->member(&object, tp_str_of(name), &out);
    return out;
}

static struct tp_str value_text(struct tp_data value)
{
    return (struct tp_str){value.self ? value.self : "", value.kind == TP_DATA_TEXT ? (size_t)value.number : 0};
}

/* Returns the text of a template, which is a member of a JSON object; "main" is the template to render. */
static int load_template(void *context, struct tp_str name, struct tp_str *text, struct tp_error *err)
{
    (void)err;
    struct tp_data found, *texts = context;
    if (texts->kind != TP_DATA_OBJECT || !texts->source->member(texts, name, &found))
        return TP_ENOTFOUND;
    *text = value_text(found);
    return 0;
}

static int render_template(struct tp_arena *arena, struct tp_data texts, struct tp_data data, struct tp_buf *out,
                           struct tp_error *err)
{
    struct tp_templates templates;
    tp_templates_init(&templates, arena, load_template, &texts);
    templates.max_steps = 100000;
    tp_buf_init(out, 1 << 20);
    return tp_template_render(&templates, "main", data, out, err);
}

static void assert_rendered(struct tp_data data, const char *template, const char *expected)
{
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    struct tp_object *texts = tp_object_new(&arena);
    tp_object_add_text(texts, "main", template);
    struct tp_buf out;
    assert_int_equal(render_template(&arena, tp_data_of_object(texts), data, &out, NULL), 0);
    assert_string_equal(out.data ? out.data : "", expected);
    tp_buf_release(&out);
    tp_arena_release(&arena);
}

static void assert_template_error(const char *template, int code, const char *message)
{
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    struct tp_object *texts = tp_object_new(&arena);
    tp_object_add_text(texts, "main", template);
    struct tp_object *data = tp_object_new(&arena);
    tp_object_add_bool(data, "yes", true);
    struct tp_buf out;
    struct tp_error err = {0};
    assert_int_equal(render_template(&arena, tp_data_of_object(texts), tp_data_of_object(data), &out, &err), code);
    if (!strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
    tp_buf_release(&out);
    tp_arena_release(&arena);
}

/* ---- the spec ---- */

static char *read_file(struct tp_arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = tp_arena_alloc(arena, 1 << 18);
    size_t size = fread(text, 1, (1 << 18) - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

static void run_spec_case(struct tp_arena *arena, const char *file, struct tp_data test)
{
    struct tp_data partials = get_member(test, "partials");
    struct tp_object *texts = tp_object_new(arena);
    if (partials.kind == TP_DATA_OBJECT)
        texts = (struct tp_object *)(uintptr_t)partials.self;
    tp_object_add_value(texts, "main", get_member(test, "template"));
    struct tp_buf out;
    struct tp_str expected = value_text(get_member(test, "expected"));
    assert_int_equal(render_template(arena, tp_data_of_object(texts), get_member(test, "data"), &out, NULL), 0);
    struct tp_str got = {out.data, out.size};
    if (!tp_str_equal(got, expected))
        fail_msg("%s, %s: got <%s> want <%s>", file, value_text(get_member(test, "name")).ptr, out.data, expected.ptr);
    tp_buf_release(&out);
}

static unsigned run_spec_file(const char *name)
{
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    char path[256];
    snprintf(path, sizeof path, "../shared/data/mustache-spec/specs/%s.json", name);
    struct reader reader = {&arena, read_file(&arena, path)};
    unsigned count = 0;
    if (reader.at) {
        struct tp_data tests = get_member(read_value(&reader), "tests"), test;
        for (; count < tests.number; count++) {
            tests.source->item(&tests, count, &test);
            run_spec_case(&arena, name, test);
        }
    }
    tp_arena_release(&arena);
    return count;
}

static void spec_cases_pass(void **state)
{
    (void)state;
    static const char *const files[] = {"comments", "delimiters", "interpolation", "inverted",
                                        "partials", "sections",   "~dynamic-names"};
    unsigned count = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        count += run_spec_file(files[i]);
    if (!count)
        skip();
    assert_int_equal(count, 157);
}

/* ---- test cases of tracepress itself ---- */

#define BAD "\xEF\xBF\xBD"

static void markup_and_controls_are_escaped(void **state)
{
    (void)state;
    assert_rendered(tp_data_text("<a href='x'>\"&\""), "{{.}}", "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;");
    assert_rendered(tp_data_str(TP_STR("a\0b\x01\t\n\r\x7f")), "{{.}}", "a" BAD "b" BAD "\t\n" BAD BAD);
    assert_rendered(tp_data_text("é ✓ 𝄞"), "{{.}}", "é ✓ 𝄞");
    assert_rendered(tp_data_text("\xC3("), "{{.}}", BAD "(");
    assert_rendered(tp_data_text("\xED\xA0\x80"), "{{.}}", BAD BAD BAD);
    assert_rendered(tp_data_text("\xF4\x90\x80\x80x\xE2\x80"), "{{.}}", BAD BAD BAD BAD "x" BAD BAD);
    assert_rendered(tp_data_text("a\xE2\x80\xAE!\xE2\x81\xA6"), "{{.}}", "a\\u202e!\\u2066");
    assert_rendered(tp_data_text("<b>"), "{{{.}}}{{&.}}", "<b><b>");
}

static void value_names_a_partial(void **state)
{
    (void)state;
    struct tp_arena arena;
    struct tp_buf out;
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    struct tp_object *texts = tp_object_new(&arena), *data = tp_object_new(&arena);
    tp_object_add_text(texts, "main", "{{> *which}}|{{#parts}}{{> * which }};{{/parts}}|{{> *count}}{{> *none}}");
    tp_object_add_text(texts, "a", "A{{x}}");
    tp_object_add_text(texts, "b", "B{{x}}");
    tp_object_add_text(data, "which", "a");
    tp_object_add_int(data, "x", 1);
    tp_object_add_int(data, "count", 7);
    struct tp_list *parts = tp_object_add_list(data, "parts");
    tp_object_add_text(tp_list_add_object(parts), "which", "b");
    tp_object_add_int(tp_list_add_object(parts), "x", 2);
    assert_int_equal(render_template(&arena, tp_data_of_object(texts), tp_data_of_object(data), &out, NULL), 0);
    assert_int_equal(out.size, strlen("A1|B1;A2;|"));
    assert_memory_equal(out.data, "A1|B1;A2;|", out.size);
    tp_buf_release(&out);
    tp_arena_release(&arena);
}

static void empty_text_hides_a_section_and_zero_does_not(void **state)
{
    (void)state;
    assert_rendered(tp_data_text(""), "{{#.}}shown{{/.}}{{^.}}hidden{{/.}}", "hidden");
    assert_rendered(tp_data_int(0), "{{#.}}{{.}}{{/.}}{{^.}}hidden{{/.}}", "0");
    assert_rendered((struct tp_data){0}, "a{{b.c.d}}{{>none}}z", "az");
}

static void broken_templates_name_line_and_reason(void **state)
{
    (void)state;
    assert_template_error("a\nb {{x", TP_EFORMAT, "template main:2: tag is not closed");
    assert_template_error("\n\n{{#rows}}x", TP_EFORMAT, "template main:3: section is not closed: 'rows'");
    assert_template_error("{{#a}}{{/b}}", TP_EFORMAT, "another section is open than 'b'");
    assert_template_error("{{/b}}", TP_EFORMAT, "no open section 'b'");
    assert_template_error("{{=<% =%>=}}", TP_EFORMAT, "bad delimiters");
    assert_template_error("{{=12345678901234567 %>=}}", TP_ELIMIT, "delimiter longer");
    assert_template_error("{{=<% 12345678901234567=}}", TP_ELIMIT, "delimiter longer");
}

static void endless_template_is_refused(void **state)
{
    (void)state;
    assert_template_error("{{>main}}", TP_ELIMIT, "too deep");
    assert_template_error("{{#yes}}{{>main}}{{>main}}{{/yes}}", TP_ELIMIT, "too deep");
    assert_template_error(" {{>main}}\n {{>main}}\n", TP_ELIMIT, "template");
    char deep[65 * 8 + 1] = "";
    for (int i = 0; i < 65; i++)
        strcat(deep, "{{#yes}}");
    assert_template_error(deep, TP_ELIMIT, "64 sections");
}

static void built_objects_keep_their_last_member_and_growing_lists(void **state)
{
    (void)state;
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    struct tp_object *page = tp_object_new(&arena);
    tp_object_add_text(page, "title", "old");
    tp_object_add_formatted(page, "title", "%d of %s", 3, "new");
    struct tp_list *rows = tp_object_add_list(page, "rows");
    for (int i = 0; i < 3; i++)
        tp_object_add_int(tp_list_add_object(rows), "n", i);
    tp_object_add_text(tp_object_add_object(page, "a"), "b", "c");
    assert_rendered(tp_data_of_object(page), "{{title}}:{{#rows}} {{n}}{{/rows}} {{a.b}}{{a.x}}", "3 of new: 0 1 2 c");
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spec_cases_pass),
        cmocka_unit_test(markup_and_controls_are_escaped),
        cmocka_unit_test(value_names_a_partial),
        cmocka_unit_test(empty_text_hides_a_section_and_zero_does_not),
        cmocka_unit_test(broken_templates_name_line_and_reason),
        cmocka_unit_test(endless_template_is_refused),
        cmocka_unit_test(built_objects_keep_their_last_member_and_growing_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
