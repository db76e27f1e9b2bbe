#!/bin/sh
# circles.sh BUILD: files of one folder that need each other, as their objects say: one uses a function or a datum that the
# other defines, directly or by way of others. Prints each group with its files; fails when a part has more files in
# groups than it had (the numbers only go down). Fails, too, when two files define one name: an archive hides that, and the
# linker takes either. BUILD has the objects.
build=${1:?build folder}
find "$build/writer" "$build/collector" "$build/webreport" -name '*.o' | sort | while read -r object; do
    # an object whose source is gone stays in the build folder
    source=${object#"$build/"} && [ -f "${source%.o}.c" ] && nm -P "$object" | sed "s|^|${source%.o} |"
done | awk -v limits="${CIRCLES:-writer 0 collector 10 webreport 2}" '
$3 ~ /^[TDBRC]$/ && $2 != "main" && ($2 in owner) && owner[$2] != $1 { print $2 ": defined in " owner[$2] " and in " $1; bad = 1 }
$3 ~ /^[TDBRCVW]$/ { owner[$2] = $1 }
$3 == "U" { uses[++n] = $1 " " $2 }
function folder(file) { sub(/\/[^\/]*$/, "", file); return file }
function reach(from, at,   i, k, to) { # marks what is reached from `from`
  k = split(out[at], to, " ")
  for (i = 1; i <= k; i++) if (!((from, to[i]) in reached)) { reached[from, to[i]] = 1; reach(from, to[i]) }
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
  for (i = 2; i <= count; i++)
    for (k = i; k > 1 && files[k] < files[k - 1]; k--) { t = files[k]; files[k] = files[k - 1]; files[k - 1] = t }
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
  exit bad
}'
