#!/bin/sh
# planted.sh: each rule fails on a fault planted in a small tree of its own, and passes on the tree without it.
rules=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-lint.XXXXXX") || exit 1
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 1
status=0

put() { mkdir -p "$(dirname "$1")" && cat >"$1"; }
sources() { find . -name '*.[ch]' | sed 's|^\./||' | sort; }
# passes|fails NAME RULE [ARGUMENT...]: how the rule ends on the tree as it stands
passes() { what=$1 rule=$2; shift 2; sh "$rules/$rule.sh" "$@" >said 2>&1 || { echo "$what: must pass"; cat said; status=1; }; }
fails() { what=$1 rule=$2; shift 2; ! sh "$rules/$rule.sh" "$@" >said 2>&1 || { echo "$what: must fail"; status=1; }; }

# arrows
put webreport/model/tree.c <<'C'
#include "webreport/trace/trace.h"
C
put webreport/trace/trace.c <<'C'
#include "writer/base/arena.h"
C
put webreport/cli/main.c <<'C'
#include "webreport/model/facts.h"
C
passes "arrows: one way" arrows $(sources)
ARROWS=1 fails "arrows: one more than allowed" arrows $(sources)
echo '#include "webreport/model/facts.h"' >>webreport/trace/trace.c
fails "arrows: two folders that include each other" arrows $(sources)
echo '#include "webreport/measure/rules.h"' >webreport/trace/trace.c
put webreport/measure/rules.c <<'C'
#include "webreport/model/facts.h"
C
fails "arrows: a circle of three folders" arrows $(sources)
echo '#include "webreport/cli/opt.h"' >webreport/trace/trace.c
rm webreport/cli/main.c
fails "arrows: a climb into cli" arrows $(sources)
rm -r webreport

# guard
put writer/base/arena.c <<'C'
#include <setjmp.h>
int tp_run(void) { jmp_buf guard; return setjmp(guard); }
C
put webreport/model/tree.c <<'C'
/* left by longjmp */
int tp_tree(void) { return 0; } // no jmp_buf
C
passes "guard: the arena's own file, comments" guard $(sources)
echo 'int tp_own(void) { return setjmp(arena.guard); }' >>webreport/model/tree.c
fails "guard: a second catcher" guard $(sources)
rm -r writer webreport

# sizes
body() { i=0; while [ $i -lt "$1" ]; do echo "    tp_call($i);"; i=$((i + 1)); done; }
{ echo 'int tp_long(void)'; echo '{'; body 68; echo '}'; } | put webreport/model/tree.c
passes "sizes: a function of 70 lines" sizes $(sources)
{ echo 'int tp_long(void)'; echo '{'; body 69; echo '}'; } | put webreport/model/tree.c
fails "sizes: a function of 71 lines" sizes $(sources)
put webreport/model/tree.c <<'C'
int tp_few(int a, int (*each)(int, int, int), int c, int d, int e,
           int f)
{
    return each(a, c, d) + e + f;
}
// NOLINTNEXTLINE(readability-function-size): the library says which
int tp_given(int a, int b, int c, int d, int e, int f, int g)
{
    if (a)
        for (;;) {
            while (b) {
                if (c) {
                    do { /* { */
                        struct tp_x x = (struct tp_x){"{", '{'};
                    } while (x);
                }
            }
        }
}
C
passes "sizes: six parameters, given ones, four blocks" sizes $(sources)
echo 'int tp_many(int a, int b, int c, int d, int e, int f, int g)' >>webreport/model/tree.c
printf '{\n}\n' >>webreport/model/tree.c
fails "sizes: seven parameters" sizes $(sources)
put webreport/model/tree.c <<'C'
int tp_deep(int a)
{
    if (a) {
        for (;;) {
            while (a) {
                if (a) {
                    if (a) {
                    }
                }
            }
        }
    }
}
C
fails "sizes: five blocks inside each other" sizes $(sources)
body 601 | put webreport/model/tree.c
fails "sizes: a file of 601 lines" sizes $(sources)
rm -r webreport

# names
put webreport/model/tree.c </dev/null
put webreport/model/tree.h </dev/null
put webreport/model/links.c </dev/null
passes "names: a source and its header" names $(sources)
put tests/unit/tree.c </dev/null
fails "names: two sources of one name" names $(sources)
rm -r webreport tests

# texts_apart
put webreport/trace/stack.c <<'C'
const char *tp_part(const char *text) { return memchr(text, ';', 9); }
C
put webreport/print/text.c <<'C'
/* frames, joined by ';' as "path(line): function" */
void tp_put(struct tp_buf *out, int c) { tp_buf_putc(out, c == ';' ? '_' : ';'); tp_buf_puts(out, "): "); }
C
passes "texts_apart: the stack's own file, writers" texts_apart $(sources)
echo 'size_t tp_at(struct tp_str t) { while (t.len && t.ptr[t.len - 1] != 0x3b) t.len--; return t.len; }' | sed "s/0x3b/';'/" >>webreport/print/text.c
fails "texts_apart: a second reader of stacks" texts_apart $(sources)
echo 'long tp_line(struct tp_str t) { return tp_str_find(t, "): "); }' >webreport/print/text.c
fails "texts_apart: a second reader of frames" texts_apart $(sources)
rm -r webreport

# circles
compile() { for s in $(find writer webreport -name '*.c'); do mkdir -p "build/$(dirname "$s")"; ${CC:-cc} -c -o "build/${s%.c}.o" "$s" || status=1; done; }
put webreport/model/tree.c <<'C'
int tp_links(void);
int tp_tree(void) { return tp_links(); }
C
put webreport/model/links.c <<'C'
int tp_links(void) { return 0; }
C
put webreport/trace/feed.c <<'C'
int tp_tree(void);
int tp_feed(void) { return tp_tree(); }
C
mkdir -p writer collector build/writer build/collector
compile
passes "circles: one way" circles build
put webreport/model/steps.c <<'C'
int tp_tree(void);
int tp_steps(void) { return tp_tree(); }
C
echo 'int tp_steps(void); int tp_links(void) { return tp_steps(); }' >webreport/model/links.c
compile
CIRCLES="webreport 0" fails "circles: three files that need each other" circles build
CIRCLES="webreport 3" passes "circles: no more than there were" circles build
rm -r writer collector webreport build

exit $status
