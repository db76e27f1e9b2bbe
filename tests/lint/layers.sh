#!/bin/sh
# Fails when a file includes a header from a folder that its own folder may not use. The table is the architecture:
# data goes one way, a folder uses only folders named above it.
awk '
BEGIN {
  base = "writer/base writer/text"
  ok["writer/base"]         = "writer/base"
  ok["writer/text"]         = base
  ok["writer"]              = "writer writer/proto " base
  ok["writer/spool"]        = "writer writer/spool " base
  ok["writer/windows"]      = "writer/windows writer/spool " base
  ok["writer/windows/sys"]  = "writer/windows"
  ok["writer/macos"]        = "writer/macos writer/spool " base
  writer = "writer writer/spool " base
  ok["collector"]           = "collector collector/source " writer
  ok["collector/source"]    = "collector collector/source " writer
  ok["collector/launch"]    = "collector/launch " writer
  ok["collector/outside"]   = "collector/outside " writer
  r = "webreport/"
  ok[r "trace"]    = r "trace " writer
  ok[r "model"]    = r "model " r "trace " writer
  ok[r "measure"]  = r "measure " r "model " r "trace writer/proto " writer
  ok[r "compare"]  = r "compare " r "measure " r "trace " writer
  ok[r "document"] = r "document " r "compare " r "measure " r "trace " writer
  ok[r "print"]    = r "print " r "document " r "measure " writer
  ok[r "export"]   = r "export " r "document " r "measure " r "model " r "trace " writer
  ok[r "session"]  = r "session " r "compare " r "measure " r "model " r "trace " writer
  ok[r "cli"]      = r "cli " r "session " r "export " r "print " r "document collector/launch collector/outside " writer
  ok[r "mpi"]      = r "mpi " r "session " writer
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
  from = FILENAME; sub(/\/[^\/]*$/, "", from)
  to = $0; sub(/^[^"]*"/, "", to); sub(/".*/, "", to); full = to
  if (FILENAME ~ /^collector\/tracepress(_[a-z]+)?\.h$/ && to ~ /^tracepress(_[a-z]+)?\.h$/) next # installed side by side
  if (!sub(/\/[^\/]*$/, "", to)) { print FILENAME ":" FNR ": write the folder in the include: " full; bad = 1; next }
  if (!(from in ok)) { print FILENAME ": folder not in the layer table"; bad = 1; next }
  n = split(ok[from], a, " "); hit = 0
  for (i = 1; i <= n; i++) if (a[i] == to) hit = 1
  if (FILENAME == "collector/analysis_bridge.c" && full ~ /^webreport\/(session\/in_process|print\/table_outputs)\.h$/) hit = 1 # the one bridge
  if (!hit) { print FILENAME ":" FNR ": " from " may not include " full; bad = 1 }
}
END { exit bad }' "$@"
