#!/bin/sh
# Checks rules about texts that need no compiler: each command has a help text, and templates have no raw output except
# for the listed one.
status=0
fail() { echo "$*"; status=1; }

for source in webreport/cli/cmd_*.c; do
    [ -f "$source" ] || continue
    command=$(basename "$source" .c | sed 's/^cmd_//')
    [ "$command" = help ] || [ -s "templates/help/$command.txt" ] || fail "templates/help/$command.txt is missing"
done
# {{{x}}} writes a text without escaping it. Each use must be listed in templates/README.md as `{{{x}}}`.
for use in $(grep -rhoE '\{\{\{ *[A-Za-z0-9_.]+ *\}\}\}|\{\{& *[A-Za-z0-9_.]+ *\}\}' templates --include='*.html' --include='*.mustache' |
    tr -d ' ' | sort -u); do
    grep -qF "\`$use\`" templates/README.md 2>/dev/null || fail "templates: raw output $use is not listed in templates/README.md"
done
grep -rnE ' on[a-z]+="| style="' templates --include='*.html' --include='*.mustache' &&
    fail "templates: no on* and no style attributes (Content-Security-Policy)"
grep -rnE '(src|href)="(https?:)?//' templates --include='*.html' --include='*.mustache' | grep -v '<a ' &&
    fail "templates: the page loads nothing"
exit $status
