#!/bin/sh
# arrows.sh FILE...: checks the dependencies between folders of webreport, and prints the number of includes for each. A
# dependency ("arrow") exists if a file of one folder includes a header of another folder. Fails if there are more than
# ARROWS dependencies, if a folder includes cli, or if dependencies are circular.
awk -v most="${ARROWS:-34}" '
FILENAME !~ /^webreport\/[^\/]+\// { next }
/^[ \t]*#[ \t]*include[ \t]*"webreport\// {
  split(FILENAME, f, "/")
  to = $0; sub(/^[^"]*"webreport\//, "", to); sub(/\/.*/, "", to)
  if (to == f[2]) next
  if (!((f[2], to) in seen)) { arrows++; outs[f[2]] = outs[f[2]] " " to; froms[f[2]] = 1 }
  seen[f[2], to]++
}
# Searches for circles, depth first. Grey: the folder is on the current path.
function walk(at, way,   n, next_, i) {
  colour[at] = "grey"
  n = split(outs[at], next_, " ")
  for (i = 1; i <= n; i++) {
    if (colour[next_[i]] == "grey") { print "arrows: data goes in a circle:" way " " at " -> " next_[i]; bad = 1 }
    else if (colour[next_[i]] == "") walk(next_[i], way " " at " ->")
  }
  colour[at] = "black"
}
END {
  for (pair in seen) {
    split(pair, p, SUBSEP)
    line[++n] = sprintf("%-9s -> %-9s %3d", p[1], p[2], seen[pair])
    if (p[2] == "cli") { print "arrows: " p[1] " includes cli: nothing climbs back"; bad = 1 }
    if ((p[2], p[1]) in seen && p[1] < p[2]) { print "arrows: " p[1] " and " p[2] " include each other"; bad = 1 }
  }
  for (i = 2; i <= n; i++) # sorts the folders by name
    for (k = i; k > 1 && line[k] < line[k - 1]; k--) { t = line[k]; line[k] = line[k - 1]; line[k - 1] = t }
  for (i = 1; i <= n; i++) print line[i]
  for (at in froms) if (colour[at] == "") walk(at, "")
  print arrows + 0 " arrows between folders of webreport (at most " most ")"
  if (arrows > most) { print "arrows: too many"; bad = 1 }
  exit bad
}' "$@"
