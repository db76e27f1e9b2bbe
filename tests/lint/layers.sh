#!/bin/sh
# Fails when a file includes a header from a folder that its own folder may not use. The table is the architecture.
awk '
BEGIN {
  base = "writer writer/base"
  views = "webreport/views webreport/model webreport/trace " base
  ok["writer/base"]      = "writer/base"
  ok["writer"]           = "writer/proto " base
  ok["collector"]        = "collector collector/source writer writer/base"
  ok["collector/source"] = ok["collector"]
  ok["webreport/trace"]  = "webreport/trace " base
  ok["webreport/model"]  = "webreport/model webreport/trace " base
  ok["webreport/views"]  = views
  ok["webreport/render"] = "webreport/render " views
  ok["webreport/query"]  = "webreport/query webreport/summary webreport/render " views
  ok["webreport/export"] = "webreport/export webreport/query webreport/render " views
  ok["webreport/precision"] = "webreport/precision webreport/render " views
  ok["webreport/summary"] = "webreport/summary writer/proto " views
  ok["webreport/compare"] = "webreport/compare webreport/summary webreport/render " views
  ok["webreport/check"]  = "webreport/check webreport/compare webreport/summary webreport/render " views
  ok["webreport/job"]    = "webreport/job webreport/summary webreport/render " views
  ok["webreport/mpi"]    = "webreport/cli webreport/summary webreport/render " views
  ok["webreport/record"] = "webreport/record " base
  ok["webreport/cli"]    = "webreport/cli webreport/job webreport/check webreport/compare webreport/summary webreport/precision webreport/record webreport/export webreport/query webreport/render " views
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
  from = FILENAME; sub(/\/[^\/]*$/, "", from)
  to = $0; sub(/^[^"]*"/, "", to); sub(/".*/, "", to); full = to
  if (!sub(/\/[^\/]*$/, "", to)) { print FILENAME ":" FNR ": write the folder in the include: " full; bad = 1; next }
  if (!(from in ok)) { print FILENAME ": folder not in the layer table"; bad = 1; next }
  n = split(ok[from], a, " "); hit = 0
  for (i = 1; i <= n; i++) if (a[i] == to) hit = 1
  if (FILENAME == "collector/analysis.c" && full == "webreport/query/in_process.h") hit = 1 # the one bridge
  if (!hit) { print FILENAME ":" FNR ": " from " may not include " full; bad = 1 }
}
END { exit bad }' "$@"
