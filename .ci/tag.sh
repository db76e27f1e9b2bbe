#!/bin/sh
# tag.sh TAG: prints what CHANGELOG.md says of the release TAG. Ends with 1 and a line when TAG is not v and the Makefile's
# version, or CHANGELOG.md has nothing of it, or still says that it is not released.
set -eu
cd "${ROOT:-$(dirname "$0")/..}"
version=$(sed -n 's/^VERSION := //p' Makefile)
fail() { echo "tag.sh: $1" >&2; exit 1; }
[ "$1" = "v$version" ] || fail "the tag is $1, VERSION in the Makefile is $version"
head=$(awk -v version="$version" '/^## / && $2 == version || $2 == version "," { print; exit }' CHANGELOG.md)
[ -n "$head" ] || fail "CHANGELOG.md has no section $version"
case $head in *"not released"*) fail "CHANGELOG.md says \"${head#\#\# }\"" ;; esac
awk -v head="$head" '/^## / { on = $0 == head; next } on' CHANGELOG.md
