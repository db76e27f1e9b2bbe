#!/bin/sh
# version.sh [HEADER [MAKEFILE]]: the public header names the version that the Makefile has, as a text and as a number.
header=${1:-collector/tracepress.h} makefile=${2:-Makefile}
version=$(sed -n 's/^VERSION := //p' "$makefile")
number=$(echo "$version" | awk -F. '{ print $1 * 10000 + $2 * 100 + $3 }')
bad=0
has() { # macro, value
    said=$(sed -n "s/^#define $1  *\([^ ]*\).*/\1/p" "$header")
    [ "$said" = "$2" ] || { echo "$header: $1 is ${said:-not there}, $makefile has VERSION $version: $2"; bad=1; }
}
has TRACEPRESS_VERSION "\"$version\""
has TRACEPRESS_VERSION_NUMBER "$number"
exit $bad
