#!/bin/sh
# The checks of `make lint` that need only a compiler and a shell; each prints its faults.
cd "$(dirname "$0")/../.." || exit 1
status=0
run() { if sh "tests/lint/$1.sh" $2; then echo "$1: ok"; else echo "$1: faults"; status=1; fi; }
run layers "$(find writer webreport -name '*.[ch]' | sort)"
run headers "$(find writer webreport -name '*.h' | sort)"
run texts ""
exit $status
