# The lint rules that need only a compiler.
. tests/suites/case.sh
check "layers: folders include what they may" sh tests/lint/layers.sh $(find collector writer webreport -name '*.[ch]' | sort)
check "arrows: at most 25 between folders of webreport, one way" sh tests/lint/arrows.sh $(find webreport -name '*.[ch]' | sort)
check "guard: one place catches a failed allocation" sh tests/lint/guard.sh $(find collector writer webreport -name '*.[ch]' | sort)
check "planted: each rule fails when it should" sh tests/lint/planted.sh
check "headers: self-contained, own header first" sh tests/lint/headers.sh $(find collector writer webreport -name '*.h' | sort)
check "texts: help, file length, raw output" sh tests/lint/texts.sh
check "abi: exports, needed libraries, the public header in C99, C17 and C++11" sh tests/lint/abi.sh "${BUILD#"$PWD"/}"
