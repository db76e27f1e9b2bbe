#!/bin/sh
# planted.sh: checks the rules. Each rule must fail on a fault that is planted in a small tree, and pass on the tree
# without the fault.
rules=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-lint.XXXXXX") || exit 1
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 1
status=0

put() { mkdir -p "$(dirname "$1")" && cat >"$1"; }
sources() { find . -name '*.[ch]' | sed 's|^\./||' | sort; }
# passes|fails NAME RULE [ARGUMENT...]: runs the rule on the current tree, where the rule must pass or fail
call() { case $1 in words|subject) "$@" ;; *) rule=$1; shift; sh "$rules/$rule.sh" "$@" ;; esac; }
passes() { what=$1; shift; call "$@" >said 2>&1 || { echo "$what: must pass"; cat said; status=1; }; }
fails() { what=$1; shift; ! call "$@" >said 2>&1 || { echo "$what: must fail"; status=1; }; }

# tests of top.sh
passes "top: what belongs there" top README.md collector/
fails "top: a run that was left there" top README.md q/ collector/

# tests of version.sh
echo 'VERSION := 1.2.3' >Makefile.planted
printf '#define TRACEPRESS_VERSION "1.2.3"\n#define TRACEPRESS_VERSION_NUMBER 10203\n' >version.h
printf 'context:\n  version: "1.2.3"\n' >recipe.planted
passes "version: as the Makefile says" version version.h Makefile.planted recipe.planted
sed 's/1[.]2[.]3/1.2.2/' version.h >text.h
fails "version: another text" version text.h Makefile.planted recipe.planted
sed 's/10203/10202/' version.h >number.h
fails "version: another number" version number.h Makefile.planted recipe.planted
sed 1d version.h >none.h
fails "version: no text" version none.h Makefile.planted recipe.planted
sed 's/1[.]2[.]3/1.2.2/' recipe.planted >other.planted
fails "version: another recipe" version version.h Makefile.planted other.planted
rm version.h text.h number.h none.h Makefile.planted recipe.planted other.planted

# tests of arrows.sh
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
echo '#include "webreport/measure/rules/rules.h"' >webreport/trace/trace.c
put webreport/measure/rules/rules.c <<'C'
#include "webreport/model/facts.h"
C
fails "arrows: a circle of three folders" arrows $(sources)
echo '#include "webreport/cli/opt.h"' >webreport/trace/trace.c
rm webreport/cli/main.c
fails "arrows: a climb into cli" arrows $(sources)
rm -r webreport

# tests of guard.sh
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

# tests of sizes.sh
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

# tests of concepts.sh: first with a table of this test, then with the table of the repository
put writer/base/stats.c <<'C'
double tp_median(double *values, size_t count) { return values[count / 2]; } /* half */
C
put webreport/model/tree.c <<'C'
/* values[count / 2] */
int tp_tree(void) { return 0; } // values[count / 2]
C
TABLE='median | \[count / 2\] | writer/base/stats.c' passes "concepts: the home, comments" concepts $(sources)
passes "concepts: the table of the repository" concepts $(sources)
echo 'static double middle(double *all, size_t count) { return all[count / 2]; }' >>webreport/model/tree.c
TABLE='median | \[count / 2\] | writer/base/stats.c' fails "concepts: a second definition" concepts $(sources)
fails "concepts: a second median" concepts $(sources)
ALSO=0 TABLE='median | \[count / 2\] | writer/base/stats.c | also webreport/model/tree.c' fails "concepts: more known ones than there were" concepts $(sources)
plants() { # plants NAME LINE: adds a line that defines the concept again; the rule must fail
    put webreport/measure/again.c <<C
$2
C
    fails "concepts: $1" concepts webreport/measure/again.c
}
plants "a variable of the environment" '    const char *home = getenv("HOME");'
plants "an order of numbers" '    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;'
plants "a union of intervals" 'static int64_t union_length(struct tp_interval *items, size_t count)'
plants "a border of a character" '    while (size && ((unsigned char)text[size] & 0xC0) == 0x80)'
plants "text for HTML" '    case 60: return "&lt;";'
plants "communication kernels" '    return tp_str_find_ignore_case(name, "nccl") >= 0;'
plants "tensor cores" '    return tp_str_find_ignore_case(name, "s1688") >= 0;'
plants "data loader" '    return tp_str_starts(name, "enumerate(DataLoader)#");'
plants "optimizer" '    return tp_str_starts(name, "Optimizer.step#");'
plants "step marker" '    return tp_str_starts(name, "ProfilerStep#");'
plants "device of an event" 'static int64_t device_number(const struct tp_model *model, const struct tp_event *e)'
plants "per cent" '    return tp_text_printf(arena, "%.1f %% of the step", share);'
rm -r writer webreport

# tests of names.sh
put webreport/model/tree.c </dev/null
put webreport/model/tree.h </dev/null
put webreport/model/links.c </dev/null
passes "names: a source and its header" names $(sources)
put tests/unit/tree.c </dev/null
fails "names: two sources of one name" names $(sources)
rm -r webreport tests

# tests of texts_apart.sh
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

# tests of words.sh
put webreport/model/tree.c <<'C'
/* Links each event to its parent. NULL stands for no parent. */
int tp_tree_link(int ftell) { return tp_log("the trace has no steps", ftell); }
C
echo 'Open the page in a browser.' | put docs/page.md
words() { LIMITS="${LIMITS-}" sh "$rules/words.sh" "$@"; }
passes "words: plain text, comments, messages, names" words docs/page.md $(sources)
echo 'The page tells why.' >>docs/page.md
fails "words: a text" words docs/page.md $(sources)
LIMITS='text docs/page.md 1' passes "words: a text at its limit" words docs/page.md $(sources)
LIMITS='text docs/page.md 0' fails "words: a text above its limit" words docs/page.md $(sources)
rm docs/page.md
echo '/* True when the rule holds. */' >>webreport/model/tree.c
fails "words: a comment" words $(sources)
echo 'int tp_told_steps(void);' >webreport/model/tree.c
fails "words: a name" words $(sources)
echo 'static const char *const why = "what the trace told";' >webreport/model/tree.c
fails "words: a message" words $(sources)
echo 'int tp_tree(void); // the end is told at once' >webreport/model/tree.c
fails "words: a comment behind code" words $(sources)
subject() { (cd "$tree/history" && WORDS_BASE=$first sh "$rules/words.sh"); }
if command -v git >/dev/null; then
    mkdir history
    commit() { git -C history -c user.name=a -c user.email=a@localhost commit -q --allow-empty -m "$1"; }
    git -C history init -q && commit 'start' && first=$(git -C history rev-parse HEAD)
    commit 'model: read steps of old traces'
    commit 'model: explain what each number stands for'
    passes "words: a commit subject" subject
    commit 'model: a step that is told twice counts once'
    fails "words: a commit subject with a forbidden word" subject
    git -C history reset -q --hard "$first" && commit 'Fixes things'
    fails "words: a commit subject without a folder" subject
    rm -rf history
fi
rm -r webreport docs

# tests of citations.sh
put docs/definitions.md <<'MD'
## 1 Reading
## 2 Findings
E3: a rank is late.
MD
put webreport/model/tree.c <<'C'
/* Reads events (docs/definitions.md, section 1; section 2, E3). links.c has the rest; see typing.py. */
C
put webreport/model/links.c </dev/null
passes "citations: a section, a rule, a file" citations $(sources)
echo '/* (docs/definitions.md, section 3) */' >webreport/model/links.c
fails "citations: a section that does not exist" citations $(sources)
echo '/* (docs/definitions.md, section 2, E4) */' >webreport/model/links.c
fails "citations: a rule that is not in its section" citations $(sources)
echo '/* model/trees.c calls it. */' >webreport/model/links.c
fails "citations: a file that does not exist" citations $(sources)
rm -r webreport docs

# tests of circles.sh
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
echo 'int tp_links(void) { return 1; }' >webreport/trace/again.c
compile
fails "circles: one name in two files" circles build
rm webreport/trace/again.c
put webreport/model/steps.c <<'C'
int tp_tree(void);
int tp_steps(void) { return tp_tree(); }
C
echo 'int tp_steps(void); int tp_links(void) { return tp_steps(); }' >webreport/model/links.c
compile
CIRCLES="webreport 0" fails "circles: three files that need each other" circles build
CIRCLES="webreport 3" passes "circles: no more than there were" circles build
rm -r writer collector webreport build
put webreport/model/facts.h <<'C'
int tp_facts(void);
C
put webreport/model/facts.c <<'C'
#include "webreport/model/facts.h"
int tp_stage(void);
int tp_facts(void) { return tp_stage(); }
C
put webreport/model/stage.c <<'C'
int tp_stage(void) { return 0; }
C
mkdir -p writer collector build/writer build/collector
compile() { for s in $(find writer webreport collector -name '*.c'); do mkdir -p "build/$(dirname "$s")"; ${CC:-cc} -I. -c -o "build/${s%.c}.o" "$s" || status=1; done; }
compile
UNITS=0 REGISTERED=0 passes "circles: a driver and its stage" circles build
put webreport/model/stage.c <<'C'
#include "webreport/model/facts.h"
int tp_stage(void) { return 0; }
C
compile
UNITS=0 REGISTERED=0 fails "circles: a stage that includes its driver" circles build
UNITS=2 REGISTERED=0 passes "circles: no more units than there were" circles build
mv webreport/model/stage.c webreport/model/step.c && sed -i 's/tp_stage/stage/' webreport/model/*.c && rm -r build/webreport
compile
UNITS=0 REGISTERED=0 passes "circles: a name of another library" circles build
rm -r writer collector webreport build
put webreport/measure/rules/rules.h <<'C'
int tp_rules(void);
C
put webreport/measure/rules/rules.c <<'C'
#include "webreport/measure/rules/rules.h"
int tp_rule_E3(void);
int tp_rules(void) { return tp_rule_E3(); }
C
put webreport/measure/rules/rules_ranks.c <<'C'
#include "webreport/measure/rules/rules.h"
int tp_rule_E3(void) { return 0; }
C
mkdir -p writer collector build/writer build/collector
compile
UNITS=0 REGISTERED=2 passes "circles: a registry at its limit" circles build
UNITS=0 REGISTERED=1 fails "circles: a registry above its limit" circles build
rm -r writer collector webreport build

# tests of house.sh
put webreport/measure/view.c <<'C'
#include "webreport/measure/view.h"
/* What is told of a view. */
void tp_view_json(struct tp_json *json)
{
    tp_json_key(json, "view");
}
static const char *const text = "A sentence of five words, "
                                "in two parts.";
static const char *const name = "four words are few";
C
put webreport/measure/view.h <<'C'
#include "webreport/measure/frame.h"
C
put webreport/measure/frame.h <<'C'
#include "webreport/measure/view.h"
C
put webreport/measure/rules/a.c <<'C'
static const char *const id = "A1";
C
put tests/oracle/exceptions.py <<'C'
NOT_COMPARED = {
    "A1": left_out(LATER), "A2": left_out(RANKS),
}
C
mkdir -p writer collector
# measures NAME START VALUE: checks that the line of the table that begins with START has VALUE
measures() {
    line=$(TREE=$tree sh "$rules/house.sh" build | sed -n "s/^\($2.*\)/\1/p")
    case $line in *" $3 "*at\ most*) ;; *) echo "house: $1: $line"; status=1 ;; esac
}
measures "a function that writes JSON" "functions that write JSON" 1
measures "one literal in two parts" "sentences of five words" 1
measures "a circle of headers" "units in include circles (of 3)" 2
measures "a rule that the twin does not know" "rules that the twin" 1
measures "a forbidden word" "comment lines" 1
TREE=$tree fails "house: a missed goal" house --strict build
rm -r writer collector webreport tests
put webreport/measure/rules/a.c <<'C'
static const char *const id = "A1";
C
put tests/oracle/exceptions.py </dev/null
mkdir writer collector
TREE=$tree passes "house: all goals are reached" house --strict build

exit $status
