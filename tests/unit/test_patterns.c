/* Tests patterns for names against the regular expressions of the C library. */
#include "writer/base/patterns.h"

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int find_rule(const char *const *rules, size_t count, const char *name, size_t length)
{
    static struct tp_patterns patterns;
    memset(&patterns, 0, sizeof patterns);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tp_patterns_add(&patterns, (unsigned)i, rules[i]), 0);
    return tp_patterns_find(&patterns, (struct tp_str){name, length});
}

static bool is_pattern_found(const char *pattern, const char *name)
{
    return find_rule(&pattern, 1, name, strlen(name)) == 0;
}

static void each_pattern_form_is_found(void **state)
{
    (void)state;
    assert_true(is_pattern_found("gemm", "ampere_SGEMM_32"));
    assert_false(is_pattern_found("gemm", "gem"));
    assert_true(is_pattern_found("aa|bb|cc", "xccx"));
    assert_true(is_pattern_found("flash_?attn", "my_flashattn") && is_pattern_found("flash_?attn", "my_flash_attn"));
    assert_true(is_pattern_found("^ab(c|de)?f$", "abdef") && is_pattern_found("^ab(c|de)?f$", "abf") &&
                !is_pattern_found("^ab(c|de)?f$", "abff"));
    assert_false(is_pattern_found("^ab", "xab"));
    assert_true(is_pattern_found("(^|_)topk", "topk") && is_pattern_found("(^|_)topk", "a_topk") &&
                !is_pattern_found("(^|_)topk", "atopk"));
    assert_true(is_pattern_found("sm[0-9]+_x", "sm90_x") && !is_pattern_found("sm[0-9]+_x", "sm_x") &&
                !is_pattern_found("sm[0-9]+_x", "sm9"));
    assert_true(is_pattern_found("ab.*cd", "abcd") && is_pattern_found("ab.*cd$", "ab__cdcd") &&
                !is_pattern_found("ab.*cd", "cdab"));
    assert_true(is_pattern_found("to[kp]o", "topo") && is_pattern_found("to[kp]o", "toko") &&
                !is_pattern_found("to[kp]o", "too"));
    assert_true(is_pattern_found("a\\.b", "xa.by") && !is_pattern_found("a\\.b", "xaxby"));
    assert_true(is_pattern_found("(a(b|c)|d(e|f(g|h)))z", "dfhz") && !is_pattern_found("(a(b|c)|d(e|f(g|h)))z", "dfz"));
}

static void first_matching_rule_wins(void **state)
{
    static const char *const rules[] = {"late", "early|other", "all"};
    (void)state;
    assert_int_equal(find_rule(rules, 3, "early and late", 14), 0);
    assert_int_equal(find_rule(rules, 3, "all other", 9), 1);
    assert_int_equal(find_rule(rules, 3, "nothing", 7), -1);
    assert_int_equal(find_rule(rules, 3, "", 0), -1);
    assert_int_equal(find_rule(rules, 3, "x\0all", 5), 2); /* a name can contain NUL */
}

static void invalid_pattern_is_refused(void **state)
{
    static const char *const wrong[] = {
        "(ab",      "ab)",     "ab)cd", "[ab",  "ab+",  "ab*", "a.b",    "ab{2}",
        "cd[a-z]x", "cd[ab]?", "x",     "ab|c", ".*ab", "",    "ab||cd", "((((((((((ab))))))))))",
        "ab^"};
    static struct tp_patterns patterns;
    static char longer[400];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memset(&patterns, 0, sizeof patterns);
        if (tp_patterns_add(&patterns, 0, wrong[i]) == 0)
            fail_msg("%s was taken", wrong[i]);
    }
    memset(longer, 'a', sizeof longer - 1);
    assert_true(tp_patterns_add(&patterns, 0, longer) < 0);
    memset(&patterns, 0, sizeof patterns);
    for (unsigned i = 0; i < TP_MAX_PATTERNS; i++)
        assert_int_equal(tp_patterns_add(&patterns, i, "abc"), 0);
    assert_true(tp_patterns_add(&patterns, TP_MAX_PATTERNS, "abc") < 0);
}

/* Tests that a name that almost matches costs time proportional to its length, not to the square of its length. */
static void near_match_takes_linear_time(void **state)
{
    static struct tp_patterns patterns;
    static char name[1 << 20];
    (void)state;
    memset(&patterns, 0, sizeof patterns);
    memset(name, 'a', sizeof name);
    assert_int_equal(tp_patterns_add(&patterns, 0, "aa.*aab|aaa.*ab$"), 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(tp_patterns_find(&patterns, (struct tp_str){name, sizeof name}), -1);
}

/* ---- comparison with the C library ---- */

static unsigned seed = 1;
static unsigned random_below(unsigned below)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % below;
}

/* Makes a random pattern of the supported syntax from letters that also occur in names. */
static void make_pattern(char *text, unsigned depth)
{
    static const char *const parts[] = {"ab", "ba", "a_?b", "b[ab]a", "ab[0-9]+", "ab.*ba", "(ab|ba)", "aa(b)?b"};
    for (unsigned i = 0, count = 1 + random_below(3); i < count; i++) {
        if (i && random_below(3) == 0)
            strcat(text, "|");
        if (!depth || random_below(4)) {
            /* each part begins with ordinary letters */
            strcat(text, parts[random_below(sizeof parts / sizeof *parts)]);
        } else {
            strcat(text, "(");
            make_pattern(text, depth - 1);
            strcat(text, ")");
        }
    }
}

static void results_equal_regular_expressions(void **state)
{
    static const char letters[] = "aabbABab_01";
    (void)state;
    for (int i = 0; i < 3000; i++) {
        static struct tp_patterns patterns;
        char pattern[512] = "", name[40];
        regex_t compiled;
        if (random_below(5) == 0)
            strcat(pattern, "^");
        make_pattern(pattern, 2);
        if (random_below(5) == 0)
            strcat(pattern, "$");
        memset(&patterns, 0, sizeof patterns);
        if (tp_patterns_add(&patterns, 0, pattern) != 0)
            continue; /* skips a pattern that is too long or has too many alternatives */
        assert_int_equal(regcomp(&compiled, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB), 0);
        for (int k = 0; k < 60; k++) {
            size_t length = random_below(sizeof name - 1);
            for (size_t at = 0; at < length; at++)
                name[at] = letters[random_below(sizeof letters - 1)];
            name[length] = '\0';
            bool theirs = regexec(&compiled, name, 0, NULL, 0) == 0;
            if (theirs != (tp_patterns_find(&patterns, (struct tp_str){name, length}) == 0))
                fail_msg("%s in %s: theirs %d", pattern, name, theirs);
        }
        regfree(&compiled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pattern_form_is_found),        cmocka_unit_test(first_matching_rule_wins),
        cmocka_unit_test(invalid_pattern_is_refused),        cmocka_unit_test(near_match_takes_linear_time),
        cmocka_unit_test(results_equal_regular_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
