#!/bin/sh
# circles.sh BUILD: finds files that need each other, by objects and by includes. BUILD contains the objects.
#
# The first check finds files of one folder whose objects use functions or data of each other, directly or through other
# objects. It prints each group, and fails if a part of tracepress has more such files than its limit.
#
# The second check works on units: FOLDER/BASE.c and FOLDER/BASE.h are a unit. A unit needs another one if it includes
# its header, or uses a name that the other one defines. The check prints each circle of units, and fails if more units
# than the limit are in circles. Only names that begin with tp_ or tracepress_ count, because hooks define names of the
# C library, and a call of free() is not a call of the hook. A registry is a table that names all files of a kind, each
# of which includes the header of the registry. Circles through a registry have a separate limit.
#
# All limits only go down. The script also fails if two files define the same name, because the linker would use either
# of them without a message.
build=${1:?build folder}
{
    find "$build/writer" "$build/collector" "$build/webreport" -name '*.o' 2>/dev/null | sort | while read -r object; do
        # an object whose source was deleted is skipped
        source=${object#"$build/"} && [ -f "${source%.o}.c" ] && nm -P "$object" | sed "s|^|${source%.o} |"
    done
    find writer collector webreport -name '*.[ch]' ! -path 'writer/windows/*' ! -path 'writer/macos/*' | sort | xargs awk '
        { unit = FILENAME; sub(/\.[ch]$/, "", unit) }
        FNR == 1 { print unit, "UNIT" }
        /^[ \t]*#[ \t]*include[ \t]*".*\.h"/ { sub(/^[^"]*"/, ""); sub(/\.h".*/, ""); print unit, "INCLUDES", $0 }'
} | awk -v limits="${CIRCLES:-writer 0 collector 10 webreport 2}" -v most="${UNITS:-27}" -v most_registered="${REGISTERED:-40}" '
BEGIN {
  registry["webreport/measure/rules/rules"] = "the table of rules"
}
$2 == "UNIT" { is_unit[$1] = 1; next }
$2 == "INCLUDES" { includes[++included] = $1 " " $3; next }
$3 ~ /^[TDBRC]$/ && $2 != "main" && ($2 in owner) && owner[$2] != $1 { print $2 ": defined in " owner[$2] " and in " $1; bad = 1 }
$3 ~ /^[TDBRCVW]$/ { owner[$2] = $1 }
$3 == "U" { uses[++n] = $1 " " $2 }
function folder(file) { sub(/\/[^\/]*$/, "", file); return file }
function reach(from, at,   i, k, to) { # marks all files that `from` reaches
  k = split(out[at], to, " ")
  for (i = 1; i <= k; i++) if (!((from, to[i]) in reached)) { reached[from, to[i]] = 1; reach(from, to[i]) }
}
function sort(list, count,   i, k, t) {
  for (i = 2; i <= count; i++)
    for (k = i; k > 1 && list[k] < list[k - 1]; k--) { t = list[k]; list[k] = list[k - 1]; list[k - 1] = t }
}
function need(from, to) { # adds an edge between units
  if (from == to || !(to in is_unit) || !(from in is_unit) || ((from, to) in needs)) return
  needs[from, to] = 1
  needed[from] = needed[from] " " to
}
function visit(unit,   i, k, to, w, size, member, why, line) { # finds circles by the algorithm of Tarjan
  number[unit] = lowest[unit] = ++visited
  stack[++depth] = unit; waits[unit] = 1
  k = split(needed[unit], to, " ")
  for (i = 1; i <= k; i++) {
    w = to[i]
    if (!(w in number)) { visit(w); if (lowest[w] < lowest[unit]) lowest[unit] = lowest[w] }
    else if (w in waits) { if (number[w] < lowest[unit]) lowest[unit] = number[w] }
  }
  if (lowest[unit] != number[unit]) return
  do {
    w = stack[depth--]; delete waits[w]
    member[++size] = w
    if (w in registry) why = registry[w]
  } while (w != unit)
  if (size < 2) return
  if (why == "") in_circles += size; else registered += size
  sort(member, size)
  for (i = 1; i <= size; i++) line = line " " member[i]
  circle[++circles] = size " units in a circle" (why == "" ? "" : " (" why ")") ":" line
}
function check_units(   i, u, c, all, unit) {
  for (i = 1; i <= n; i++) {
    split(uses[i], u, " ")
    if (u[2] ~ /^_?(tp|tracepress)_/ && (u[2] in owner)) need(u[1], owner[u[2]])
  }
  for (i = 1; i <= included; i++) { split(includes[i], u, " "); need(u[1], u[2]) }
  for (unit in is_unit) all[++c] = unit
  sort(all, c)
  for (i = 1; i <= c; i++) if (!(all[i] in number)) visit(all[i])
  sort(circle, circles)
  for (i = 1; i <= circles; i++) print circle[i]
  printf "units: %d of %d in circles (at most %d), and %d in circles through registries (at most %d)\n",
         in_circles, c, most, registered, most_registered
  if (in_circles > most || registered > most_registered) bad = 1
}
END {
  for (i = 1; i <= n; i++) {
    split(uses[i], u, " ")
    to = owner[u[2]]
    if (to == "" || to == u[1] || folder(to) != folder(u[1]) || ((u[1], to) in edge)) continue
    edge[u[1], to] = 1
    out[u[1]] = out[u[1]] " " to
  }
  for (file in out) reach(file, file)
  for (file in out) if ((file, file) in reached) files[++count] = file
  sort(files, count)
  for (i = 1; i <= count; i++) {
    part = files[i]; sub(/\/.*/, "", part); in_part[part]++
    if (grouped[files[i]]) continue
    line = ""; size = 0
    for (k = i; k <= count; k++)
      if (((files[i], files[k]) in reached) && ((files[k], files[i]) in reached)) {
        name = files[k]; sub(/.*\//, "", name)
        line = line " " name; size++; grouped[files[k]] = 1
      }
    printf "%s: %d files need each other:%s\n", folder(files[i]), size, line
  }
  parts = split(limits, limit, " ")
  for (i = 1; i < parts; i += 2) {
    printf "%s: %d files in circles (at most %d)\n", limit[i], in_part[limit[i]], limit[i + 1]
    if (in_part[limit[i]] > limit[i + 1]) bad = 1
  }
  check_units()
  exit bad
}'
