# The lint rules that need only a compiler.
. tests/suites/case.sh
check "layers: folders include what they may" sh tests/lint/layers.sh $(find writer webreport -name '*.[ch]' | sort)
check "headers: self-contained, own header first" sh tests/lint/headers.sh $(find writer webreport -name '*.h' | sort)
check "texts: help, file length, raw output" sh tests/lint/texts.sh
