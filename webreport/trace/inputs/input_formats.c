/* Defines the table of input formats: see input_format.h.
 *
 * Sources of the signatures: RFC 8878 (zstd), PKWARE's APPNOTE (zip), POSIX ustar (tar), "File header" of SQLite's file
 * format, pickletools and marshal of CPython; tables of Nsight Systems 2024.6 and rocprofv3 (ROCm 6.4); profile.proto
 * of pprof, xplane.proto of XProf, trace_packet.proto of Perfetto; perf.data-file-format.txt of Linux. */
#include "webreport/trace/inputs/input_format.h"

#include <string.h>

#include "webreport/trace/document.h"
#include "webreport/trace/inputs/perfetto/perfetto_input.h"
#include "webreport/trace/inputs/signs.h"
#include "webreport/trace/inputs/spool_input.h"
#include "webreport/trace/inputs/sqlite/sqlite_input.h"

#define NSYS "is an Nsight Systems report: convert it with `nsys export --type sqlite FILE`, then name the .sqlite"
#define PERF "tracepress does not read it; record the program with `tracepress record -- PROGRAM`"
#define SNAPSHOT                                                                                                       \
    "is a memory snapshot of torch or another pickle, not a trace: tracepress report FILE shows snapshots; diff, "     \
    "check, "                                                                                                          \
    "export and table also read them"
#define FLIGHT                                                                                                         \
    "is a dump of PyTorch's Flight Recorder, not a trace: tracepress hang FOLDER shows which rank holds up the job; "  \
    "report and check also read folders with the dumps of all ranks"
#define SPEEDSCOPE "is a speedscope profile: tracepress writes this format and does not read it"

/* Macros for the three kinds of signatures: bytes at an offset, members of a JSON object, or a function of signs.h.
 * The macros *_AND also require a text anywhere in the first bytes of the file. */
#define BYTES(text, from)                                                                                              \
    .is_one = tp_sign_has_bytes, .sign = {.bytes = (text), .size = sizeof(text) - 1, .offset = (from)}
#define BYTES_AND(text, other)                                                                                         \
    .is_one = tp_sign_has_bytes, .sign = {.bytes = (text), .size = sizeof(text) - 1, .inside = (other)}
#define KEYS(...) .is_one = tp_sign_has_json_keys, .sign = {.keys = {__VA_ARGS__}}
#define KEYS_AND(other, ...) .is_one = tp_sign_has_json_keys, .sign = {.keys = {__VA_ARGS__}, .inside = (other)}
#define SIGN(function) .is_one = (function)

const struct tp_input_format tp_input_formats[] = {
    /* ---- formats recognized by bytes ---- */
    {"Flight Recorder", ".pickle .pkl", BYTES_AND("\x80", "pg_config"), .is_flight = true, .refusal = FLIGHT},
    {"Flight Recorder", NULL, BYTES_AND("\x80", "collective_seq_id"), .is_flight = true, .refusal = FLIGHT},
    {"memory snapshot", NULL, SIGN(tp_sign_has_pickle_name), .is_snapshot = true, .refusal = SNAPSHOT},
    {"zstd", ".zst", BYTES("\x28\xB5\x2F\xFD", 0),
     .refusal = "is compressed with zstd: unpack it first (zstd -d FILE)"},
    {"torch.save", NULL, BYTES_AND("PK\x03\x04", "data.pkl"), .refusal = "is a file of torch.save, not a trace"},
    {"zip", ".zip", BYTES("PK\x03\x04", 0), .refusal = "is a zip archive: unpack it first (unzip FILE)"},
    {"empty zip", NULL, BYTES("PK\x05\x06", 0), .refusal = "is an empty zip archive"},
    {"xz", ".xz",
     BYTES("\xFD"
           "7zXZ",
           0),
     .refusal = "is compressed with xz: unpack it first (xz -d FILE)"},
    {"bzip2", ".bz2", BYTES("BZh", 0), .refusal = "is compressed with bzip2: unpack it first (bzip2 -d FILE)"},
    {"gzip twice", NULL, BYTES("\x1F\x8B", 0), .refusal = "was compressed twice: gunzip it once"},
    {"tar", ".tar .tar.gz .tgz", BYTES("ustar", 257),
     .refusal = "is a tar archive: unpack it and name the traces in it (tar xf FILE)"},
    {"SQLite", ".sqlite .sqlite.gz .sqlite3 .db .rpd .rpd.gz .rocpd .nvvp .nvprof", BYTES("SQLite format 3\0", 0),
     .read = tp_sqlite_input_read, .list_parts = tp_sqlite_input_list_parts},
    {"Nsight Systems report", ".nsys-rep .qdrep .qdstrm", BYTES("NVIDIA Tegra Profiler Report", 0), .refusal = NSYS},
    {"Nsight Compute report", ".ncu-rep", BYTES("NVR\0", 0),
     .refusal = "is an Nsight Compute report: open it with ncu-ui; tracepress reads timelines"},
    {"spool", NULL, BYTES("\001tpspool", 0), .read = tp_spool_input_read,
     .refusal = "is a recording that was not finished: tracepress recover FILE makes its trace"},
    {"perf.data", ".data", BYTES("PERFILE2", 0), .refusal = "is perf.data of Linux perf: " PERF},
    {"memory snapshot", NULL, SIGN(tp_sign_is_snapshot), .is_snapshot = true, .refusal = SNAPSHOT},
    {"cProfile", ".prof", SIGN(tp_sign_is_pstats),
     .refusal = "is a profile of Python's cProfile, which tracepress writes and does not read: python -m pstats FILE"},
    /* ---- JSON objects without a list of events ---- */
    {"speedscope", NULL, KEYS_AND("speedscope.app/", "\"$schema\""), .refusal = SPEEDSCOPE},
    {"speedscope", NULL, KEYS("\"profiles\"", "\"shared\""), .refusal = SPEEDSCOPE},
    {"report of tracepress", NULL, KEYS_AND("tracepress-views", "\"schema\"", "\"runs\""),
     .refusal = "is the JSON of a tracepress report, not a trace: name the trace that it was made of"},
    {"execution trace", NULL, KEYS("\"schema\"", "\"nodes\""),
     .refusal = "is a PyTorch execution trace (Chakra ET): it has no times; name the Kineto trace of the same run"},
    {"V8 profile", NULL, KEYS("\"nodes\"", "\"samples\"", "\"timeDeltas\""),
     .refusal = "is a CPU profile of V8 (node, Chrome): open it in Chrome DevTools"},
    {"Firefox Profiler", NULL, KEYS("\"meta\"", "\"threads\""),
     .refusal = "is a profile of the Firefox Profiler: open it in https://profiler.firefox.com"},
    {"Flight Recorder in JSON", NULL, KEYS("\"entries\"", "\"collective_seq_id\""), .is_flight = true,
     .refusal = FLIGHT},
    {"Flight Recorder in JSON", NULL, KEYS("\"version\"", "\"pg_config\""), .is_flight = true, .refusal = FLIGHT},
    {"Flight Recorder in JSON", NULL, KEYS("\"entries\"", "\"pg_config\""), .is_flight = true, .refusal = FLIGHT},
    {"memory snapshot in JSON", NULL, KEYS("\"segments\"", "\"device_traces\""),
     .refusal =
         "is a memory snapshot of torch, not a trace: https://pytorch.org/memory_viz shows it; memory is in traces of "
         "torch.profiler(profile_memory=True)"},
    {"Jupyter notebook", NULL, KEYS("\"cells\"", "\"nbformat\""), .refusal = "is a Jupyter notebook, not a trace"},
    /* ---- JSON lists whose elements are not events ---- */
    {"memory timeline", NULL, SIGN(tp_sign_is_memory_timeline), .is_timeline = true,
     .refusal =
         "is the raw memory timeline of torch (export_memory_timeline): it has sizes and no slices; name the trace of "
         "the same run, or show the timeline alone with tracepress report FILE"},
    {"Proton", NULL, SIGN(tp_sign_is_proton),
     .refusal = "is a profile of Proton (Triton), a tree without times: proton-viewer reads it; name a trace of "
                "torch.profiler"},
    /* ---- texts; folded stacks precede markup, because they often begin with the frame "<module>" ---- */
    {"perf script", NULL, SIGN(tp_sign_is_perf_script), .refusal = "is text of `perf script`: " PERF},
    {"TORCH_TRACE", NULL, SIGN(tp_sign_is_torch_log),
     .refusal = "is a log of TORCH_TRACE, not a trace: tlparse FILE reads it"},
    {"folded stacks", ".folded .collapsed", SIGN(tp_sign_is_folded),
     .refusal = "is a file of folded stacks, which tracepress writes and does not read: flamegraph.pl or speedscope "
                "shows them"},
    {"SVG", NULL, SIGN(tp_sign_is_svg), .refusal = "is a picture (SVG), not a trace"},
    {"memory snapshot", NULL, SIGN(tp_sign_is_snapshot_page), .is_snapshot = true, .refusal = SNAPSHOT},
    {"HTML", NULL, SIGN(tp_sign_is_html),
     .refusal = "is a web page (HTML), not a trace: name the .json it was made from"},
    {"XML", NULL, SIGN(tp_sign_is_markup), .refusal = "is XML, not a trace"},
    /* ---- protobuf messages ---- */
    {"XPlane", NULL, SIGN(tp_sign_is_xplane),
     .refusal =
         "is an XPlane of XProf (JAX, TensorFlow, torch_xla): tracepress writes this format and does not read it; open "
         "it with xprof"},
    {"pprof", ".pb .pb.gz", SIGN(tp_sign_is_pprof),
     .refusal = "is a pprof profile: tracepress writes this format and does not read it"},
    {"Perfetto", ".pftrace .perfetto-trace .pftrace.gz", SIGN(tp_sign_is_perfetto), .read = tp_perfetto_read},
    /* ---- formats recognized by file name if the bytes show no known format ---- */
    {"TensorBoard events", NULL, SIGN(tp_sign_is_event_file),
     .refusal =
         "is an event file of TensorBoard, which tracepress writes and does not read: tensorboard --logdir FOLDER "
         "shows it"},
    {"Nsight Systems report", ".nsys-rep .qdrep .qdstrm", SIGN(tp_sign_has_nsys_name), .refusal = NSYS},
    /* ---- traces in JSON ---- */
    {"trace in JSON", NULL, SIGN(tp_sign_matches_any), .read = tp_document_read, .visit = tp_document_visit},
    {.name = NULL},
};

const struct tp_input_format *tp_input_format_detect(const void *bytes, size_t size, const char *name)
{
    struct tp_input_head head = tp_sign_make_head(bytes, size, name);
    const struct tp_input_format *format = tp_input_formats;
    while (!format->is_one(&head, &format->sign))
        format++; /* the loop ends at the latest at the last row with a name, because this row accepts every file */
    return format;
}

bool tp_input_format_has_ending(const char *name)
{
    for (const struct tp_input_format *format = tp_input_formats; format->name; format++)
        if (format->endings && tp_sign_has_ending(name, format->endings))
            return true;
    return false;
}

static bool is_readable(const struct tp_input_format *format)
{
    return format->read && !format->refusal && format->endings;
}

size_t tp_input_format_ending_bytes(const char *name)
{
    size_t bytes = 0;
    for (const struct tp_input_format *format = tp_input_formats; format->name; format++) {
        size_t found = is_readable(format) ? tp_sign_ending_bytes(name, format->endings) : 0;
        bytes = found > bytes ? found : bytes;
    }
    return bytes;
}

bool tp_input_format_is_readable(const void *bytes, size_t size, const char *name)
{
    return is_readable(tp_input_format_detect(bytes, size, name));
}
