# Runs the lint rules that need only a compiler.
. tests/suites/case.sh
# writer/windows is excluded, because it replaces headers and functions of another system and so defines the same names
check "layers: folders include what they may" sh tests/lint/layers.sh $(find collector writer webreport -name '*.[ch]' | sort)
check "arrows: at most 25 between folders of webreport, one way" sh tests/lint/arrows.sh $(find webreport -name '*.[ch]' | sort)
check "guard: one place catches a failed allocation" sh tests/lint/guard.sh $(find collector writer webreport -name '*.[ch]' | sort)
check "planted: each rule fails when it should" sh tests/lint/planted.sh
check "sizes: functions, parameters, nesting, files" sh tests/lint/sizes.sh $(find collector writer webreport -name '*.[ch]' | sort)
check "names: a base name names one file" sh tests/lint/names.sh $(find collector writer webreport tests -name '*.[ch]' ! -path 'writer/windows/*' ! -path 'writer/macos/*' | sort)
check "texts_apart: one place each takes frames and stacks apart" sh tests/lint/texts_apart.sh $(find webreport -name '*.[ch]' | sort)
check "concepts: one fact, one place" sh tests/lint/concepts.sh $(find collector writer webreport -name '*.[ch]' ! -path 'writer/windows/*' ! -path 'writer/macos/*' | sort)
check "circles: no more files of a folder need each other than did" sh tests/lint/circles.sh "${BUILD#"$PWD"/}"
check "headers: self-contained, own header first" sh tests/lint/headers.sh $(find collector writer webreport -name '*.h' ! -path 'writer/windows/*' ! -path 'writer/macos/*' | sort)
check "texts: help, raw output" sh tests/lint/texts.sh
check "words: texts, comments, messages, names and commit subjects use plain words" sh tests/lint/words.sh
check "citations: sections and files that comments name exist" sh tests/lint/citations.sh $(find collector writer webreport -name '*.[ch]' ! -path 'writer/windows/*' ! -path 'writer/macos/*' | sort)
check "version: the public header and the recipe have the Makefile's" sh tests/lint/version.sh
check "abi: exports, needed libraries, the public header in C99, C17 and C++11" sh tests/lint/abi.sh "${BUILD#"$PWD"/}"
# kernel_path exists only after `make lint`
if [ -x build/coverage/kernel_path ]; then
    too_long() { ! MOST=5 sh tests/lint/path.sh build/coverage; }
    check "path: a kernel's event passes at most 25 files on the way to its cell" sh tests/lint/path.sh build/coverage
    check "path: more files than allowed are seen" too_long
else
    skip "path: a kernel's event passes at most 25 files on the way to its cell" "make lint builds what it needs"
fi
