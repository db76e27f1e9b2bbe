#!/bin/sh
# sizes.sh FILE...: measures functions and files. Prints functions (median, ninth decile, longest), parameters, nesting,
# and files. Fails on a function with more than 70 lines, 6 parameters or 4 nested blocks, and on a file with more than
# 600 lines. Counts `.c` files with fewer than 100 lines, which may be too small to be worth a file.
#
# Sources must be formatted by clang-format, so that the braces of a function are in the first column. The lines of a
# function are counted from its opening to its closing brace. A block is a brace after ")", "else" or "do"; an
# initializer is not. After "NOLINTNEXTLINE(readability-function-size)" parameters are not counted, because another
# library defines them.
awk -v lines_most=70 -v parameters_most=6 -v nesting_most=4 -v file_most=600 '
function fault(text) { print text; bad = 1 }
# Returns the line without comments, strings and character constants.
function code_of(line,   out, c, i, n, quote) {
  out = ""; n = length(line); quote = ""
  for (i = 1; i <= n; i++) {
    c = substr(line, i, 1)
    if (in_comment) { if (c == "*" && substr(line, i + 1, 1) == "/") { in_comment = 0; i++ } continue }
    if (quote != "") { if (c == "\\") i++; else if (c == quote) { quote = ""; out = out "0" } continue }
    if (c == "/" && substr(line, i + 1, 1) == "*") { in_comment = 1; i++; continue }
    if (c == "/" && substr(line, i + 1, 1) == "/") break
    if (c == "\"" || c == "\047") { quote = c; continue }
    out = out c
  }
  return out
}
# Returns the number of parameters of a head such as "static int name(int a, int (*f)(int, int), void)".
function parameters_of(head,   i, c, depth, count, text, from) {
  from = match(head, /[A-Za-z_0-9]\(/)
  if (!from) return 0
  depth = 0; count = 1; text = ""
  for (i = from + 1; i <= length(head); i++) {
    c = substr(head, i, 1)
    if (c == "(" ) depth++
    if (c == ")" && --depth == 0) break
    if (c == "," && depth == 1) count++
    if (depth >= 1) text = text c
  }
  return text ~ /^\([ \t]*(void)?[ \t]*$/ ? 0 : count
}
function name_of(head) {
  sub(/\(.*/, "", head); sub(/[ \t]+$/, "", head); sub(/.*[ \t*]/, "", head)
  return head
}
function end_of_file() {
  if (file == "") return
  files++; all_lines += file_lines
  if (file_lines > file_most) fault(file ": " file_lines " lines, split it by duty (" file_most ")")
  if (file ~ /\.c$/ && file_lines < 100) small++
  if (file ~ /\.c$/) sources++
  if (file_lines > largest) { largest = file_lines; largest_file = file }
}
FNR == 1 { end_of_file(); file = FILENAME; in_comment = 0; in_function = 0; head = ""; macro = 0; given = 0 }
{
  file_lines = FNR
  if (macro || $0 ~ /^[ \t]*#/) { macro = $0 ~ /\\$/; next }
  if (/NOLINTNEXTLINE\(.*readability-function-size/) given = FNR + 1
  code = code_of($0)
  if (!in_function) {
    if (code ~ /^\{/) {
      if (head ~ /\)[ \t]*$/) { in_function = 1; first = FNR; is_given = given && head_line >= given && head_line <= given + 1; depth = 0; deepest = 0; before = ""; stack = ""; signature = head }
      head = ""
      next
    }
    if (code ~ /^[A-Za-z_]/) { head = code; head_line = FNR }
    else if (code ~ /^[ \t]/ && head != "") head = head " " code
    if (code ~ /[;}][ \t]*$/) head = ""
    next
  }
  if (code ~ /^\}/) {
    in_function = 0
    count++; size[count] = FNR - first + 1; where = file ":" first ": " name_of(signature)
    if (size[count] > lines_most) fault(where ": " size[count] " lines (" lines_most ")")
    if (size[count] > longest) { longest = size[count]; longest_name = where }
    p = parameters_of(signature)
    if (is_given) p = 0
    if (p > parameters_most) fault(where ": " p " parameters (" parameters_most ")")
    if (p > parameters_max) parameters_max = p
    if (deepest > nesting_most) fault(where ": blocks " deepest " deep (" nesting_most ")")
    if (deepest > nesting_max) nesting_max = deepest
    next
  }
  n = length(code)
  for (i = 1; i <= n; i++) {
    c = substr(code, i, 1)
    if (c == "{") {
      is_block = before ~ /(\)|else|do)$/ && before !~ /\(struct [A-Za-z_0-9]+\)$/ && before !~ /\(union [A-Za-z_0-9]+\)$/ && before !~ /=[^=]*\[\]\)$/
      if (before == "" || before ~ /[;}:{]$/) is_block = before !~ /^\{/ || is_block
      stack = stack (is_block ? "b" : "i")
      if (is_block && ++depth > deepest) deepest = depth
      before = "{"
    } else if (c == "}") {
      if (substr(stack, length(stack)) == "b") depth--
      stack = substr(stack, 1, length(stack) - 1)
      before = "}"
    } else if (c !~ /[ \t]/) before = substr(before, length(before) > 80 ? length(before) - 79 : 1) c
    else if (before !~ / $/ && before ~ /[A-Za-z_0-9]$/) before = before " "
  }
  if (before ~ / $/) before = substr(before, 1, length(before) - 1)
}
END {
  end_of_file()
  for (i = 1; i <= count; i++) tally[size[i]]++
  for (i = 1; i <= longest; i++) {
    seen += tally[i]
    if (!half && seen * 2 >= count) half = i
    if (!nine && seen * 10 >= count * 9) nine = i
  }
  print count " functions: median " half " lines, ninth decile " nine ", longest " longest " (" longest_name ")"
  print "parameters at most " parameters_max ", blocks at most " nesting_max " deep"
  print files " files, " all_lines " lines, largest " largest " (" largest_file "); " small " of " sources " sources are below 100 lines"
  exit bad
}' "$@"
