#!/bin/sh
# top.sh NAME...: checks that only known files and folders are at the top of the repository, so that no output of a
# manual run is committed. Names of folders end in a slash.
printf '%s\n' "$@" | awk '
BEGIN {
  folders = ".ci/ .github/ collector/ docs/ python/ templates/ tests/ webreport/ writer/"
  files = ".clang-format .clang-tidy .editorconfig .gitattributes .gitignore CHANGELOG.md CONTRIBUTING.md LICENSE Makefile README.md SECURITY.md THIRD-PARTY pyproject.toml"
  count = split(folders " " files, name, " ")
  for (i = 1; i <= count; i++) known[name[i]] = 1
}
$0 != "" && !($0 in known) { print $0 ": it has no place at the top"; bad = 1 }
END { exit bad }'
