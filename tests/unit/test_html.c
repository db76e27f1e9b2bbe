/* Tests assets, digests, and the security policy of the page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "webreport/print/page_shell.h"
#include "writer/base/sha256.h"
#include "writer/text/base64.h"

static void base64_adds_padding(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_buf out;
        tp_buf_init(&out, 0);
        tp_base64_add(&out, cases[i][0], strlen(cases[i][0]));
        assert_string_equal(out.data, cases[i][1]);
        tp_buf_release(&out);
    }
}

static void base64_respects_the_maximum(void **state)
{
    (void)state;
    struct tp_buf out;
    tp_buf_init(&out, 7);
    tp_base64_add(&out, "abcdef", 6);
    assert_int_equal(out.failed, TP_ELIMIT);
    assert_int_equal(out.size, 0);
    tp_buf_release(&out);
}

static void assert_digest(const void *bytes, size_t size, const char *expected)
{
    uint8_t digest[32];
    char hex[65];
    tp_sha256_digest(bytes, size, digest);
    tp_sha256_hex(digest, hex);
    assert_string_equal(hex, expected);
}

static void sha256_matches_fips_examples(void **state)
{
    (void)state;
    assert_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *many = malloc(1000000);
    memset(many, 'a', 1000000);
    assert_digest(many, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(many);
}

static void sha256_is_independent_of_splitting(void **state)
{
    (void)state;
    uint8_t text[3000], whole[32], joined[32];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 7 + i / 251);
    for (size_t size = 0; size < sizeof text; size += 61) {
        tp_sha256_digest(text, size, whole);
        struct tp_sha256 sha;
        tp_sha256_init(&sha);
        /* adds the text in short parts, which do not use the processor's SHA instructions */
        for (size_t at = 0; at < size;) {
            size_t take = at % 97 + 1 < size - at ? at % 97 + 1 : size - at;
            tp_sha256_add(&sha, text + at, take);
            at += take;
        }
        tp_sha256_end(&sha, joined);
        assert_memory_equal(whole, joined, 32);
    }
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_folder(const char *folder, const char *const *names)
{
    char path[300];
    for (; *names; names++) {
        snprintf(path, sizeof path, "%s/%s", folder, *names);
        remove(path);
    }
    rmdir(folder);
}

static void folder_replaces_single_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/tp_test_assets_XXXXXX";
    assert_non_null(mkdtemp(folder));
    write_file(folder, "own.html", "mine");
    write_file(folder, ".hidden.html", "x");
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    struct tp_assets assets;
    struct tp_str text;
    struct tp_error err;
    tp_assets_init(&assets, &arena, folder);
    assert_int_equal(tp_assets_load(&assets, TP_STR("own"), &text, &err), 0);
    assert_true(tp_str_equal(text, TP_STR("mine")));
    /* this text is built into the program */
    assert_int_equal(tp_assets_get(&assets, TP_STR("help/report.txt"), &text, &err), 0);
    assert_int_equal(tp_assets_load(&assets, TP_STR("none"), &text, &err), TP_ENOTFOUND);
    assert_int_equal(tp_assets_load(&assets, TP_STR(".hidden"), &text, &err), TP_ENOTFOUND);
    assert_int_equal(tp_assets_load(&assets, TP_STR("../own"), &text, &err), TP_ENOTFOUND);
    tp_arena_release(&arena);
    remove_folder(folder, (const char *const[]){"own.html", ".hidden.html", NULL});
}

static void policy_names_the_hashes_of_style_and_script(void **state)
{
    (void)state;
    char folder[] = "/tmp/tp_test_html_XXXXXX";
    assert_non_null(mkdtemp(folder));
    write_file(folder, "report.css", "a{}\r\nb{}");
    write_file(folder, "report.js", "1;\n");
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    struct tp_assets assets;
    struct tp_html html;
    struct tp_error err = {0};
    tp_assets_init(&assets, &arena, folder);
    if (tp_html_build(&html, &assets, TP_HTML_INLINE, &err) == 0) {
        assert_true(tp_str_starts(html.css, "a{}\nb{}"));
        assert_true(tp_str_starts(html.csp, "default-src 'none'; style-src 'sha256-"));
        assert_true(tp_str_ends(html.csp, "'; img-src data:; base-uri 'none'; form-action 'none'"));
    } else {
        assert_int_equal(err.code, TP_ENOTFOUND);
    }
    write_file(folder, "report.js", "x='</SCRIPT>';");
    assert_int_not_equal(tp_html_build(&html, &assets, TP_HTML_INLINE, &err), 0);
    tp_arena_release(&arena);
    remove_folder(folder, (const char *const[]){"report.css", "report.js", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_adds_padding),          cmocka_unit_test(base64_respects_the_maximum),
        cmocka_unit_test(sha256_matches_fips_examples), cmocka_unit_test(sha256_is_independent_of_splitting),
        cmocka_unit_test(folder_replaces_single_files), cmocka_unit_test(policy_names_the_hashes_of_style_and_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
