#!/bin/sh
# version.sh [HEADER [MAKEFILE [RECIPE]]]: checks that the public header has the version of the Makefile, as a text and
# as a number. The recipe for conda-forge must have the same version.
header=${1:-collector/tracepress.h} makefile=${2:-Makefile} recipe=${3:-.ci/conda/recipe.yaml}
version=$(sed -n 's/^VERSION := //p' "$makefile")
number=$(echo "$version" | awk -F. '{ print $1 * 10000 + $2 * 100 + $3 }')
bad=0
has() { # has MACRO VALUE: checks the value of a macro in the header
    said=$(sed -n "s/^#define $1  *\([^ ]*\).*/\1/p" "$header")
    [ "$said" = "$2" ] || { echo "$header: $1 is ${said:-not there}, $makefile has VERSION $version: $2"; bad=1; }
}
has TRACEPRESS_VERSION "\"$version\""
has TRACEPRESS_VERSION_NUMBER "$number"
said=$(sed -n 's/^  version: \(".*"\)$/\1/p' "$recipe")
[ "$said" = "\"$version\"" ] || { echo "$recipe: version is ${said:-not there}, $makefile has VERSION $version"; bad=1; }
exit $bad
