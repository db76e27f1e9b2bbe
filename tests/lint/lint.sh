#!/bin/sh
# lint.sh [BUILD]: runs the checks of `make lint` that need only a compiler and a shell. Each prints its measures and
# faults.
cd "$(dirname "$0")/../.." || exit 1
# These folders replace functions of another system, so they define the same names as other files.
here="! -path writer/macos/* ! -path writer/windows/*"
set -f
status=0
run() { if sh "tests/lint/$1.sh" $2; then echo "$1: ok"; else echo "$1: faults"; status=1; fi; }
run top "$(git ls-files 2>/dev/null | sed 's,/.*,/,' | sort -u)"
run layers "$(find collector writer webreport -name '*.[ch]' | sort)"
run arrows "$(find webreport -name '*.[ch]' | sort)"
run guard "$(find collector writer webreport -name '*.[ch]' | sort)"
run sizes "$(find collector writer webreport -name '*.[ch]' | sort)"
run names "$(find collector writer webreport tests -name '*.[ch]' $here | sort)"
run texts_apart "$(find webreport -name '*.[ch]' | sort)"
run concepts "$(find collector writer webreport -name '*.[ch]' $here | sort)"
run circles "${1:-build/release}"
run headers "$(find collector writer webreport -name '*.h' $here | sort)"
run texts ""
run words ""
run citations "$(find collector writer webreport -name '*.[ch]' $here | sort)"
run version ""
run abi "${1:-build/release}"
exit $status
