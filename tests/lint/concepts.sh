#!/bin/sh
# concepts.sh FILE...: checks that each concept is defined in one place.
#
# Each line of the table below has a concept, a pattern of its definition (an awk expression on a line without
# comments), and the files that may contain this definition. The first file defines the concept. The others only write
# the same text for other programs, or names of kernels for people (writer/text). Fails if any other file has a definition. A file after "also" is a known second
# definition that should be removed. At most ALSO of these are allowed.
table='
median and quantiles        | \[\(?[a-z_.>-]*(count|known|groups|length)( - 1)?\)? \/ 2\]                  | writer/base/stats.c
order of plain numbers      | \*\(const (double|int64_t|uint64_t) \*\)[a-z]                               | writer/base/stats.c
sums that stop at the end   | __builtin_(add|sub)_overflow\(.*\) *\? *INT64_|return .* INT64_MIN \+ 1 : INT64_MAX | writer/base/saturate.h
union of intervals          | ^[a-z].*[ *][a-z_]*union[a-z_]*\([^;]*$                                      | writer/base/interval.c
last part of a path         | slash \? slash \+ 1 :                                                        | writer/base/path.h
border of a character       | 0x[cC]0\)? *[!=]= *0x80                                                     | writer/base/utf8.h
a digit                     | ^[a-z].* (is_digit|tp_is_digit)\(                                           | writer/base/str.h
text for HTML and XML       | "&(lt|amp|quot|gt);                                                         | writer/text/escape.c writer/text/markdown_escape.c
text for CSV                | strchr\("=\+-@                                                                | writer/text/csv_cell.c
text for JSON               | [\\]., .u.,|\\\\u00[%\"0-9a-f]                                               | writer/base/put.c
base64                      | "ABCDEFGHIJKLMNOPQRSTUVWXYZ                                                 | writer/text/base64.c
environment variables       | (^|[^a-z_])(secure_)?getenv\(|extern char \*\*environ                         | writer/base/environment.c
checksum of records         | 0x82[fF]63[bB]78                                                            | writer/base/crc32c.c
caught allocation failures  | (^|[^a-z_])(setjmp|longjmp)\(                                               | writer/base/arena.c
protobuf wire format        | zigzag|<< 3 \| [A-Z]                                                        | writer/proto/summary.proto | also writer/xplane.c
communication kernels       | "(nccl|rccl)"|"nccl                                                         | webreport/trace/comm_names.c writer/text/kernel_meaning.c webreport/trace/inputs/sqlite/range_text.c | also webreport/model/marks.c
tensor cores                | "(hmma|imma|wgmma|gmma|tensorop|s1688)                                      | webreport/model/marks.c writer/text/kernel_product.c
data loader                 | "enumerate\(Data                                                            | webreport/trace/regions.c
loader in one process       | "_SingleProcess                                                              | webreport/model/marks.c
optimizer                   | "Optimizer\.                                                                | webreport/trace/regions.c webreport/trace/regions.h webreport/model/steps.c
step marker                 | "ProfilerStep                                                               | webreport/trace/regions.c webreport/trace/regions.h writer/trace_json_event.c writer/spool/spool_gpu_link.c webreport/model/steps.c | also webreport/export/xplane/xplane_host.c webreport/export/stacks/flamegraph_svg.c
node of the backward pass   | "autograd::engine::evaluate_function                                        | webreport/model/marks.h
pageable copies             | "Pageable                                                                   | webreport/model/marks.c webreport/trace/copy_class.c webreport/trace/inputs/sqlite/nsys_session.c writer/spool/spool_trace_gpu.c writer/text/kernel_meaning.c
device of an event          | ^[a-z].*[ *](device_number|device_of_event|event_device)\([^;]*$           | webreport/model/gpus.c
types of a device           | (^|[^A-Z_]|TYPE_|DEVICE_)CUDA *= *[0-9]                                      | webreport/trace/trace.h writer/trace_json.h
categories of a trace       | "(gpu_memcpy|gpu_memset|cuda_runtime)"                                      | webreport/trace/kinds.c webreport/trace/inputs/sqlite/row_events.c writer/trace_json_event.c webreport/export/chrome/chrome_slice.c
files are opened to read    | (^|[^a-z_])(open(at)?\(.*O_RDONLY|fopen\([^;]*"r)                           | writer/base/input.c writer/base/fs.c writer/base/temporary.c writer/base/preload_fit.c writer/spool/symbols.c collector/clock.c collector/sampler.c collector/loaded_modules.c collector/tensor_file.c collector/launch/run_folder.c collector/launch/processes.c
per cent for people         | %\.[0-9]f %%|^const char \*tp_text_of_percent\([^;]*$                              | writer/text/format.c
'
printf '%s\n' "${TABLE:-$table}" | awk -v most="${ALSO:-4}" '
FILENAME == "-" {
  if ($0 !~ /\|/) next
  n = split($0, part, " [|] ")
  concepts++
  concept[concepts] = part[1]; sub(/ +$/, "", concept[concepts])
  pattern[concepts] = part[2]; sub(/^ */, "", pattern[concepts]); sub(/ +$/, "", pattern[concepts])
  homes[concepts] = " " part[3] " "; also[concepts] = ""
  if (n > 3) { also[concepts] = " " part[4] " "; sub(/^ also/, "", also[concepts]) }
  next
}
# Removes comments from a line. Strings stay.
FNR == 1 { in_comment = 0 }
{
  code = ""; line = $0
  while (line != "") {
    if (in_comment) { at = index(line, "*/"); if (!at) break; in_comment = 0; line = substr(line, at + 2); continue }
    at = index(line, "/*")
    if (!at) { code = code line; break }
    code = code substr(line, 1, at - 1); in_comment = 1; line = substr(line, at + 2)
  }
  sub(/\/\/ .*/, "", code)
  if (code ~ /^[ \t]*$/) next
  for (c = 1; c <= concepts; c++) {
    if (code !~ pattern[c]) continue
    if (index(homes[c], " " FILENAME " ")) continue
    if (index(also[c], " " FILENAME " ")) { known[c, FILENAME] = 1; continue }
    home = homes[c]; sub(/^ /, "", home); sub(/ .*/, "", home)
    print FILENAME ":" FNR ": a second definition: \"" concept[c] "\" stands in " home
    bad = 1
  }
}
END {
  for (pair in known) left++
  for (c = 1; c <= concepts; c++) {
    n = split(also[c], file, " ")
    for (i = 1; i <= n; i++) if (!((c, file[i]) in known)) gone = gone "; " concept[c] " in " file[i]
  }
  if (gone != "") print "gone, to be taken out of the table: " substr(gone, 3)
  print concepts + 0 " concepts, " left + 0 " second definitions left (at most " most ")"
  if (left > most) bad = 1
  exit bad
}' - "$@"
