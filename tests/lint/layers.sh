#!/bin/sh
# Fails if a file includes a header from a folder that its own folder may not use. The table is the architecture: data
# flows in one direction, and a folder uses only folders above it in the table. A name that ends in a slash means every
# folder below it.
awk '
# Allows each of the folders `names` in the folder `base` to use only itself and the folders in `below`.
function room(base, names, below,   i, n, name) {
  n = split(names, name, " ")
  for (i = 1; i <= n; i++) ok[base name[i]] = base name[i] " " below
}
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
  o = "collector/outside/" # folders of collector/outside
  room(o, "events", writer)
  ok[o "processes"] = o "processes " o "events " writer
  ok[o "code"]      = o "code " o "processes " o "events " writer
  ok[o "python"]    = o "python " o "code " o "processes " writer
  ok[o "stacks"]    = o "stacks " o "code " writer
  ok[o "waits"]     = o "waits " o "code " o "processes " writer
  ok[o "tree"]      = o "tree " o "waits " o "stacks " o "code " o "processes " o "events " writer
  ok[o "polling"]   = o "polling " o "tree " o "waits " o "python " o "processes " o "events " writer
  ok[o "trace"]     = o "trace " o "tree " o "waits " o "stacks " o "code " writer
  ok["collector/outside"] = "collector/outside " o " " writer
  r = "webreport/"
  ok[r "trace/json"]   = r "trace/json " writer
  trace = r "trace " r "trace/json " r "trace/compile_log "
  ok[r "trace/pickle"]   = r "trace/pickle " trace writer
  ok[r "trace/snapshot"] = r "trace/snapshot " r "trace/pickle " trace writer
  ok[r "trace/flight"]   = r "trace/flight " r "trace/pickle " trace writer
  i = r "trace/inputs/" # folders of formats that need several files
  room(i, "perfetto sqlite", trace writer)
  ok[r "trace/inputs"] = r "trace/inputs " i "perfetto " i "sqlite " trace writer
  ok[r "trace/arrays"] = r "trace/arrays " trace writer
  ok[r "trace/compile_log"] = trace writer
  ok[r "trace"]    = trace r "trace/inputs " writer
  ok[r "model/allocator"] = r "model/allocator " r "trace/snapshot " trace writer
  ok[r "model/capture"] = r "model/capture " r "model " trace writer
  ok[r "model"]    = r "model " r "model/capture " trace writer
  facts = r "model " r "model/capture " trace writer
  ok[r "what_if"] = r "what_if " facts
  m = r "measure/"; measure = m " " # folders of measure; each one is below the folders that use it
  room(m, "work audience torch_tables", facts)
  ok[m "snapshot"]     = m "snapshot " m "memory " r "model/allocator " r "trace/snapshot " facts
  ok[m "flight"]       = m "flight " r "trace/flight " facts
  ok[m "streams"]      = m "streams " facts
  ok[m "idle"]         = m "idle " m "audience " facts
  ok[m "serving"]      = m "serving " m "idle " m "work " facts
  ok[m "program"]      = m "program " m "serving " facts
  ok[m "memory"]       = m "memory " m "program " facts
  ok[m "views"]        = m "views " m "audience " facts
  ok[m "tree"]         = m "tree " m "idle " m "work " facts
  ok[m "verdict"]      = m "verdict " m "views " m "program " m "audience " facts
  ok[m "rules"]        = m "rules " r "what_if " m "verdict " m "views " m "memory " m "program " m "work " m "audience " facts
  ok[m "rules/host"]   = m "rules/host " m "rules " m "work " m "audience " facts
  ok[m "rules/device"] = m "rules/device " m "rules/host " m "rules " m "verdict " m "serving " m "idle " m "work " facts
  ok[m "ranks"]        = m "ranks " m "rules " m "views " m "work " facts
  ok[m "answer"]       = m "answer " m "rules " m "verdict " m "idle " m "work " facts
  ok[m "result"]       = m "result " r "what_if " m "answer " m "rules " m "rules/device " m "verdict " m "tree " m "views " m "streams " m "memory " m "program " m "serving " m "idle " m "work " m "audience " facts
  ok[m "metrics"]      = m "metrics " m "result " m "rules " facts
  ok[m "charts"]       = m "charts " m "torch_tables " m "views " m "program " m "audience " facts
  ok[m "torch_tables"] = m "torch_tables " m "views " m "program " m "work " facts
  ok[m "summary"]      = m "summary " m "metrics " m "result " m "ranks " m "rules " trace "writer/proto " facts
  results = measure trace writer
  # folders of compare; parts that several of them use are in compare itself
  c = r "compare/"; compare = r "compare " c " "
  ok[r "compare"]  = r "compare " c "noise " results
  room(c, "noise replay snapshot", results)
  ok[c "tensors"]  = c "tensors " r "trace/arrays " results
  ok[c "bench"]    = c "bench " c "noise " results
  ok[c "work"]     = c "work " r "compare " c "noise " results
  ok[c "two"]      = c "two " c "work " r "compare " c "noise " results
  ok[c "gate"]     = c "gate " c "bench " c "two " c "work " r "compare " c "noise " results
  ok[c "job"]      = c "job " c "replay " results
  d = r "document/" # folders of document; blocks, and parts that several sections use, are in document itself
  shared = r "document " d "words " compare measure trace writer
  ok[d "words"] = d "words " r "trace/flight " measure facts # sentences of results, which session fills in
  ok[r "document"] = shared
  room(d, "charts tables", shared)
  ok[d "flight"]   = d "flight " d "charts " r "trace/flight " shared
  ok[d "snapshot"] = d "snapshot " d "charts " shared
  ok[d "job"]      = d "job " d "charts " shared
  ok[d "commands"] = d "commands " d "charts " shared
  ok[d "report"]   = d "report " d "job " d "charts " shared
  ok[r "print"]    = r "print " r "document " d " " measure writer
  tool = r "document " d " " measure facts
  ok[r "export"]   = r "export " tool
  e = r "export/" # one folder for each group of formats
  ok[e "perfetto"] = e "perfetto " r "trace/inputs/perfetto " r "export " tool
  room(e, "chrome stacks memory_flow tfevents xplane", r "export " tool)
  ok[e "rows"]     = e "rows " e "chrome " r "export " tool
  ok[e "repro"]    = e "repro " e "rows " r "export " tool
  ok[r "session"]  = r "session " d "words " r "trace/flight " compare measure facts
  ok[r "ask"]      = r "ask " r "session " r "export " r "document " d "words " d "job " compare measure facts
  ok[r "ask/protocol"] = r "ask/protocol " r "ask " r "trace/json " writer
  ok[r "cli"]      = r "cli " r "ask " r "ask/protocol " r "session " r "export " r "export/ " r "print " r "document " d " collector/launch collector/outside collector/outside/processes " writer
  ok[r "mpi"]      = r "mpi " r "session " writer
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
  from = FILENAME; sub(/\/[^\/]*$/, "", from)
  to = $0; sub(/^[^"]*"/, "", to); sub(/".*/, "", to); full = to
  if (FILENAME ~ /^collector\/tracepress(_[a-z]+)?\.h$/ && to ~ /^tracepress(_[a-z]+)?\.h$/) next # the public headers are installed in the same folder
  if (!sub(/\/[^\/]*$/, "", to)) { print FILENAME ":" FNR ": write the folder in the include: " full; bad = 1; next }
  if (!(from in ok)) { print FILENAME ": folder not in the layer table"; bad = 1; next }
  n = split(ok[from], a, " "); hit = 0
  for (i = 1; i <= n; i++) if (a[i] == to || (a[i] ~ /\/$/ && index(to "/", a[i]) == 1)) hit = 1
  # this is the only file of the collector that may use webreport
  if (FILENAME == "collector/analysis_bridge.c" && full ~ /^webreport\/(session\/in_process|print\/table_outputs)\.h$/) hit = 1
  if (!hit) { print FILENAME ":" FNR ": " from " may not include " full; bad = 1 }
}
END { exit bad }' "$@"
