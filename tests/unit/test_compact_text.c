/* Tests that style and scripts keep their meaning when the page leaves out spaces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "templates/compact/compact_text.h"

static void check(enum tp_compact_kind kind, const char *text, const char *expected)
{
    char room[256];
    size_t size = strlen(text);
    memcpy(room, text, size);
    size = tp_compact_text(room, size, kind);
    room[size] = 0;
    assert_string_equal(room, expected);
}

static void idle_spaces_go(void **state)
{
    (void)state;
    check(TP_COMPACT_SCRIPT, "function f(a, b) {\nreturn a + b;\n}\n", "function f(a,b){return a+b;}\n");
    check(TP_COMPACT_SCRIPT, "const g = (x) => x ? { y: 1 } : [2, 3];\ng(1);", "const g=(x)=>x?{y:1}:[2,3];g(1);");
    check(TP_COMPACT_SCRIPT, "if (a === b && !c) return x;\nelse d();\n", "if(a===b&&!c)return x;else d();");
}

static void line_ends_that_end_a_statement_stay(void **state)
{
    (void)state;
    check(TP_COMPACT_SCRIPT, "const f = () => {}\nf()\ng()\n", "const f=()=>{}\nf()\ng()\n");
}

static void strings_and_expressions_stay(void **state)
{
    (void)state;
    check(TP_COMPACT_SCRIPT, "x = ' a , b ' + \"c \\\" , d\";", "x=' a , b '+\"c \\\" , d\";");
    check(TP_COMPACT_SCRIPT, "y = text.replace(/ [/'] , /g, '');", "y=text.replace(/ [/'] , /g,'');");
    check(TP_COMPACT_SCRIPT, "return / ; /.test(a) && b / c / d;", "return / ; /.test(a)&&b / c / d;");
    check(TP_COMPACT_SCRIPT, "z = a\\\n + `b , c` + d , e;", "z=a\\\n+`b , c` + d , e;");
}

static void operators_do_not_merge(void **state)
{
    (void)state;
    check(TP_COMPACT_SCRIPT, "a = b + +c - -d + ++e;", "a=b+ +c- -d+ ++e;");
    check(TP_COMPACT_SCRIPT, "a = b < !--c;", "a=b< !--c;");
    check(TP_COMPACT_SCRIPT, "a = b-- > c;", "a=b-- >c;");
}

static void comments_go(void **state)
{
    (void)state;
    check(TP_COMPACT_SCRIPT, "a = 1; /* one, two */\nb = 2;\n", "a=1; b=2;");
    check(TP_COMPACT_SCRIPT, "/*! kept , here */\na = 1;\n", "/*! kept , here */a=1;");
    check(TP_COMPACT_SCRIPT, "a = 1; /* not closed", "a=1; ");
    check(TP_COMPACT_SCRIPT, "a = 'not closed", "a='not closed");
}

static void styles_keep_their_selectors(void **state)
{
    (void)state;
    check(TP_COMPACT_STYLE, "a > b :hover, c:not(.d) .e {\ncolor: red; margin: 0 calc(1px + 2px);\n}\nf { top: 0; }\n",
          "a > b :hover,c:not(.d) .e{color:red;margin:0 calc(1px + 2px);}f{top:0;}");
    check(TP_COMPACT_STYLE, "@media (max-width: 700px) and (hover: none) {\n.x::after { content: \" , \"; }\n}\n",
          "@media (max-width:700px) and (hover:none){.x::after{content:\" , \";}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_spaces_go),
        cmocka_unit_test(line_ends_that_end_a_statement_stay),
        cmocka_unit_test(strings_and_expressions_stay),
        cmocka_unit_test(operators_do_not_merge),
        cmocka_unit_test(comments_go),
        cmocka_unit_test(styles_keep_their_selectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
