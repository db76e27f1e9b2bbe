# Follows each recipe of CONTRIBUTING.md in a copy of the sources. A recipe must touch few files, and its result must
# work.
#
# tests/recipes/NAME.sh makes the change in the copy, whose root is its working directory. All changes are compiled
# together, without optimization.
. tests/suites/case.sh
TREE=$WORK/tree
NEW=$TREE/build/recipes/tracepress
mkdir -p "$TREE/build"
cp -a Makefile collector writer webreport templates docs "$TREE"
mkdir -p "$TREE/tests" && cp -a tests/unit "$TREE/tests"
mkdir -p "$TREE/build/recipes" && (cd "$BUILD" && cp -a collector writer webreport gen ./*.a "$TREE/build/recipes")

# follow NAME MOST: follows a recipe and prints the files that it touched. Fails if more than MOST of them are outside
# of tests
follow() {
    touch "$TREE/stamp"
    sleep 0.02
    (cd "$TREE" && sh -e "$OLDPWD/tests/recipes/$1.sh") || return 1
    touched=$(cd "$TREE" && find . -type f -newer stamp ! -path './tests/*' ! -path './build/*' | sort)
    echo "$touched"
    [ -n "$touched" ] && [ "$(echo "$touched" | wc -l)" -le "$2" ]
}
built() { # Builds the copy with the options of the normal build, except optimization.
    sed -i 's/^FLAGS_release := -O2/FLAGS_release := -O0/' "$TREE/Makefile" &&
        make -s -C "$TREE" -j2 BUILD=build/recipes VERSION="$("$TP" --version | sed 's/[^0-9]*\([0-9.]*\).*/\1/')" build/recipes/tracepress
}
is_rule() {
    "$NEW" report "$DATA/traces/case_cpu_loop.pt.trace.json.gz" -o "$WORK/rule.html" --json "$WORK/rule.json" --quiet &&
        grep -q '"id": *"H22"' "$WORK/rule.json" && grep -q 'The recipe of a rule works' "$WORK/rule.html" &&
        "$NEW" check --list-metrics | grep -q 'finding[.]H22'
}
is_metric() {
    echo 'step.time.range <= 1 s' >"$WORK/budget" &&
        "$NEW" check "$DATA/traces/case_cpu_loop.pt.trace.json.gz" --budget "$WORK/budget" >"$WORK/check" &&
        grep -q 'step[.]time[.]range' "$WORK/check"
}
is_view() {
    "$NEW" report "$DATA/traces/case_cpu_loop.pt.trace.json.gz" -o "$WORK/view.html" --json "$WORK/view.json" --quiet &&
        grep -q 'The recipe of a view works' "$WORK/view.html" && grep -q '"recipe_view": *{' "$WORK/view.json" &&
        grep -q 'href="#recipe"' "$WORK/view.html"
}
is_export() {
    "$NEW" export "$DATA/traces/case_cpu_loop.pt.trace.json.gz" --to recipe -o "$WORK/export" &&
        [ "$(cat "$WORK"/export/*.recipe.txt)" -gt 10 ] && "$NEW" help export | grep -q '^  recipe '
}
is_input() {
    printf NULL >"$WORK/file" &&
        "$NEW" table "$WORK/file" --group-by kernel | grep -F 'a "kernel"'
}
is_headline() {
    "$NEW" report "$DATA/traces/case_exposed_comm.pt.trace.json.gz" -o "$WORK/line.html" --quiet &&
        grep -q 'The GPU works for <em' "$WORK/line.html"
}
check "recipe: a rule touches 4 files at most" follow rule 4
check "recipe: a metric touches 3 files at most" follow metric 3
check "recipe: a view touches 8 files at most" follow view 8
check "recipe: an export format touches 5 files at most" follow export 5
check "recipe: an input format touches 3 files at most" follow input 3
check "recipe: other words in a headline touch 1 file" follow headline 1
check "recipes: the changes compile together" built
check "recipe: the rule reports a finding and has a metric" is_rule
check "recipe: the metric has a value and can be limited" is_metric
check "recipe: the view has a section, a link to it and a member in JSON" is_view
check "recipe: the format is exported and in the help text" is_export
check "recipe: the format is read as a trace" is_input
check "recipe: the headline has the new words" is_headline
