#!/bin/sh
# tag.sh TAG: prints the section of CHANGELOG.md about the release TAG. Prints a line and exits with 1 if TAG is not "v"
# and the Makefile's version, if the section is missing, or if it says that the version is not released.
set -eu
cd "${ROOT:-$(dirname "$0")/..}"
version=$(sed -n 's/^VERSION := //p' Makefile)
fail() { echo "tag.sh: $1" >&2; exit 1; }
[ "$1" = "v$version" ] || fail "the tag is $1, VERSION in the Makefile is $version"
head=$(awk -v version="$version" '/^## / && $2 == version || $2 == version "," { print; exit }' CHANGELOG.md)
[ -n "$head" ] || fail "CHANGELOG.md has no section $version"
case $head in *"not released"*) fail "CHANGELOG.md says \"${head#\#\# }\"" ;; esac
awk -v head="$head" '/^## / { on = $0 == head; next } on' CHANGELOG.md
