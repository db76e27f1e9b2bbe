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

exit $status
