/* Lists all maximum values of the program. A function that reaches a maximum returns TP_ELIMIT with the limit in the
 * message, or repairs the input and counts the repair. */
#ifndef TP_WRITER_BASE_LIMITS_H
#define TP_WRITER_BASE_LIMITS_H

/* ---- input ---- */
#define TP_MAX_INPUT_BYTES (64ull << 30) /* bytes of text in one trace after decompression; changed by --max-input */
/* bytes of decompressed text per compressed byte, after the first TP_RATIO_GRACE_BYTES */
#define TP_MAX_INFLATE_RATIO 2000u
/* bytes of decompressed text without a check of TP_MAX_INFLATE_RATIO, for small repetitive files */
#define TP_RATIO_GRACE_BYTES (1ull << 30)
#define TP_MAX_EVENTS 4294967000u        /* events in a trace, because their ids have 32 bits */
#define TP_MAX_THREADS (1u << 20)        /* distinct (pid, tid) pairs; an event stores a thread in 20 bits */
#define TP_MAX_EVENT_BYTES (16u << 20)   /* bytes of JSON text of one event; longer events are skipped and counted */
#define TP_MAX_NAME_BYTES 65536u         /* bytes of a name; longer names are cut and counted */
#define TP_MAX_DEPTH 1024u               /* levels of nested JSON values */
#define TP_MAX_SHOWN_ARGUMENTS 16u       /* custom arguments that the page shows for a range */
#define TP_MAX_ARGUMENT_TEXTS (1u << 20) /* distinct texts of custom arguments in a trace */
/* bytes of a top-level value in a trace that is stored as text (deviceProperties, distributedInfo) */
#define TP_MAX_HEADER_BYTES (4u << 20)
#define TP_MAX_INPUT_NOTES 64u /* sentences, and reasons of dropped rows, that a reader reports about its input */
/* bytes of one value in an SQLite database, tables and devices of a database, and bytes of a database that is unpacked
 * into a temporary file because it is compressed or comes through a pipe */
#define TP_MAX_DATABASE_VALUE_BYTES (16 << 20)
#define TP_MAX_DATABASE_TABLES 10000u
#define TP_MAX_DATABASE_DEVICES 1024u
#define TP_MAX_NCCL_FIELDS 256u
/* CPU samples of another profiler: bytes of the name of a symbol, frames of a stack, bytes of all distinct stacks, and
 * frames in a file in which the frames of a sample do not follow each other */
#define TP_MAX_SYMBOL_BYTES 4096u
#define TP_MAX_SAMPLE_FRAMES 1024u
#define TP_MAX_SAMPLE_STACKS_BYTES (1ull << 30)
#define TP_MAX_SCATTERED_FRAMES (1u << 25)
#define TP_MAX_UNPACKED_DATABASE_BYTES (8ull << 30)
#define TP_MAX_RANK_SEARCH_BYTES (1u << 19) /* text of a gzip file that is searched for several ranks */
#define TP_MAX_OVERLAPPING_FILES 256        /* recordings of one worker name that overlap */
#define TP_MAX_MERGED_RANKS 1024u           /* ranks in one trace in JSON */
#define TP_MAX_INPUT_PARTS 4096u            /* processes or ranks in one input file */
#define TP_MAX_HEADER_KEYS 256u             /* top-level keys that are stored for a trace */
/* bytes of all distinct texts in one table of texts (struct tp_strings) */
#define TP_MAX_STRING_TABLE_BYTES (3ull << 30)
/* largest absolute value of ts and dur, so that the difference of two end times fits into 64 bits */
#define TP_MAX_TIME_NS (1ll << 61)

/* ---- graphs ---- */
#define TP_MAX_CAPTURE_EDITS 8192u /* calls and kernels without a partner when a graph is joined with its capture */
#define TP_MAX_CAPTURE_STEPS (1ull << 32) /* steps of all comparisons of graphs with captures */
#define TP_MAX_CAPTURE_SEARCHES 64u    /* files in the folder of a trace whose text is searched for captured graphs */
#define TP_MAX_GRAPH_LAUNCH_ROWS 4096u /* launches of graphs in the report; further ones are only counted */
#define TP_MAX_CAPTURE_FILES 4096u     /* capture traces that are read for one command */

#define TP_MAX_REPLAY_STREAMS 4096u /* streams of all devices in a replay graph; traces with more have none */
/* activities of a trace that a report replays as a whole; of a larger trace it replays some steps. whatif and check
 * have no limit */
#define TP_MAX_REPORT_REPLAY_NODES 200000u
#define TP_MAX_STREAM_ROWS 4096u /* streams in the table of streams; traces with more have no such table */
#define TP_MAX_PRICED_FIXES 32u  /* findings of one trace that a replay prices */
/* ranks whose replays are joined, and bytes of their traces, which are in memory together */
#define TP_MAX_JOINED_RANKS 64u
#define TP_MAX_JOINED_BYTES (64ull << 30)
#define TP_MAX_REPLAY_BYTES (64u << 20)  /* bytes of node times that a pass of replays keeps */
#define TP_MAX_REPLAY_STEPS (1ull << 28) /* streams that are searched for the sources of all waits of streams */

/* ---- pickles ---- */
#define TP_MAX_PICKLE_TEXT_BYTES (16u << 20) /* bytes of one text in a pickle */
#define TP_MAX_PICKLE_STACK (1u << 27)       /* values that a pickle may have open at a time */
#define TP_MAX_PICKLE_MEMO (1ull << 31)      /* values that a pickle may number for later use */
/* bytes of memory that a small pickle may need, whatever its size is (tp_pickle_input.bytes_per_byte) */
#define TP_PICKLE_GRACE_BYTES (40ull << 20)

/* ---- memory snapshots ---- */
#define TP_MAX_SNAPSHOT_EVENTS 2147483000u  /* allocator events of one device, because their ids have 31 bits */
#define TP_MAX_TIMELINE_POINTS (1u << 22)   /* times of one memory timeline */
#define TP_MAX_SNAPSHOT_POOLS 1024u         /* distinct pools; events of further pools count for the default pool */
#define TP_MAX_SNAPSHOT_DEVICES 128u        /* the number of a device has 8 bits in torch (c10::DeviceIndex) */
#define TP_MAX_SNAPSHOT_NAME_BYTES 1024u    /* longer texts that the program set (such as user_metadata) are cut */
#define TP_MAX_SNAPSHOT_FRAME_BYTES 16384u  /* longer names of frames are cut in results */
#define TP_MAX_SNAPSHOT_STACK_BYTES 262144u /* longer texts of call stacks are cut in results */
#define TP_MAX_SNAPSHOT_STEPS 65536u        /* ends of steps of one device; the last ones are used */
/* bytes of the texts of all distinct frames: per byte of the file, and in addition */
#define TP_MAX_SNAPSHOT_FRAMES_PER_BYTE 16u
#define TP_MAX_SNAPSHOT_FRAMES_BYTES (16u << 20)
/* bytes of the texts of all distinct call stacks: per byte of the file, and in addition */
#define TP_MAX_SNAPSHOT_STACKS_PER_BYTE 64u
#define TP_MAX_SNAPSHOT_STACKS_BYTES (64u << 20)
#define TP_MAX_SNAPSHOT_BYTES (1ull << 62) /* size of one segment */
#define TP_MAX_SNAPSHOT_OOMS 64u           /* out-of-memory events of one device that are analysed in detail */

/* ---- dumps of the Flight Recorder ---- */
#define TP_MAX_FLIGHT_BYTES (1ull << 30)    /* bytes of one dump after decompression */
#define TP_MAX_FLIGHT_TEXT_BYTES (1u << 20) /* bytes of one text in a dump */
#define TP_MAX_FLIGHT_RANKS 65536u          /* a rank has a smaller number */
#define TP_MAX_FLIGHT_DIMENSIONS 64u        /* sizes of a tensor; further ones do not count */
#define TP_MAX_FLIGHT_TENSORS 4096u         /* tensors of a call; further ones do not count */
#define TP_MAX_FLIGHT_FRAMES 256u           /* frames of a call stack; further ones are dropped */
/* bytes of memory for each byte of a dump, after TP_PICKLE_GRACE_BYTES: for its values, and for its calls */
#define TP_MAX_FLIGHT_MEMORY_PER_BYTE 6u
#define TP_MAX_FLIGHT_CALL_MEMORY_PER_BYTE 2u
/* items and members that are read for each byte of a dump, and in addition */
#define TP_MAX_FLIGHT_VISITS_PER_BYTE 4u
#define TP_FLIGHT_GRACE_VISITS (1u << 22)
#define TP_MAX_FLIGHT_RUNS 1024u /* ranks, and runs of calls after a mismatch, that are compared to find a shift */
#define TP_MAX_FLIGHT_SIDES 16u  /* sides of a mismatch that wait exactly for the ranks of all other sides */

/* ---- artifacts of torch.compile ---- */
#define TP_MAX_COMPILE_TEXT_BYTES (64u << 20) /* bytes of one artifact; longer artifacts are dropped and counted */
#define TP_MAX_COMPILE_GRAPHS 4096u           /* compiled graphs; further ones are dropped and counted */
#define TP_MAX_COMPILE_CALLS 65536u           /* calls in one compiled graph */
/* tracebacks, frames or nodes of all calls; further ones are dropped */
#define TP_MAX_COMPILE_ITEMS (1u << 24)
#define TP_MAX_COMPILE_LISTED 4096u    /* entries of one folder */
#define TP_MAX_COMPILE_SEARCHED 256u   /* folders next to a trace that are searched for artifacts */
#define TP_MAX_COMPILE_FOLDERS 4096u   /* folders below a path that are searched for artifacts */
#define TP_MAX_COMPILE_SCRIPTS 64u     /* scripts of a trace whose folder is searched in the artifacts */
#define TP_MAX_COMPILE_SHOWN 256u      /* source lines, and nodes, of a call in the results */
#define TP_MAX_COMPILE_EDITS 8192u     /* calls without a partner when a compiled region is compared with a graph */
#define TP_MAX_COMPILE_WORK (1u << 28) /* steps of all comparisons of regions with graphs */

/* ---- Perfetto traces ---- */
/* bytes of one packet; a larger length counts as damage of the file */
#define TP_MAX_PERFETTO_PACKET_BYTES (256u << 20)
#define TP_MAX_PERFETTO_INFLATED_BYTES (64u << 20) /* bytes of one compressed packet after inflating */
#define TP_MAX_PERFETTO_SEQUENCES (1u << 16)       /* sequences; packets of further sequences are dropped and counted */
#define TP_MAX_PERFETTO_TRACKS (1u << 24)
#define TP_MAX_PERFETTO_DEVICES 1024u /* devices whose architecture is stored */

/* ---- written traces; TP_MAX_NAME_BYTES limits a name, and TP_MAX_EVENT_BYTES a record ---- */
#define TP_MAX_OUT_TEXT_BYTES (1u << 20) /* bytes of text of an argument; longer texts are cut and counted */
#define TP_MAX_OUT_ARGS 4096u            /* arguments of an event */

/* ---- debug information of recorded programs; frames of code beyond these limits show only a symbol name ---- */
#define TP_MAX_CODE_DEPTH 512u           /* levels of nested debug entries */
#define TP_MAX_CODE_ENTRIES (1ull << 26) /* debug entries of one compilation unit */
#define TP_MAX_CODE_RANGES (1u << 16)    /* address ranges of one debug entry */

/* ---- recordings from outside; beyond a limit, data is dropped or the recording ends, with a message ---- */
/* programs of a run that were recorded from outside, in addition to the run's other traces */
#define TP_MAX_RUN_PROGRAMS 8u
/* bytes of all processes, states and samples, which stay in memory until the end of the recording */
#define TP_MAX_OUTSIDE_BYTES (1ull << 30)
/* bytes of records that wait for older records, so that all are processed in order */
#define TP_MAX_OUTSIDE_PENDING_BYTES (256u << 20)
/* bytes of a program's command line; further arguments are dropped */
#define TP_MAX_OUTSIDE_ARGUMENT_BYTES (128u << 10)
#define TP_MAX_OUTSIDE_FILES (1u << 16)        /* executable files and libraries whose code was recorded */
#define TP_MAX_OUTSIDE_MAPS 4096u              /* code mappings of a process; only the newest are stored */
#define TP_MAX_OUTSIDE_PYTHON_TEXTS (1u << 18) /* distinct texts "FILE(LINE): FUNCTION"; further texts are not read */
#define TP_MAX_OUTSIDE_LINES_BYTES (1u << 20)  /* bytes of the line table of one Python code object */
/* threads that are recorded of a process that was already running when the recording began */
#define TP_MAX_OUTSIDE_ATTACHED 8192u
#define TP_MAX_OUTSIDE_DESCRIPTORS 256u /* open descriptors of processes, which are needed to read exit codes */
/* open files with generated code (JIT dumps), and open folders of symbol maps */
#define TP_MAX_OUTSIDE_GENERATED_OPEN 128u
/* bytes that are read of one symbol map or dump of generated code */
#define TP_MAX_OUTSIDE_GENERATED_BYTES (64u << 20)
/* bytes that are read of all symbol maps and dumps of generated code together */
#define TP_MAX_OUTSIDE_GENERATED_ALL_BYTES (256u << 20)
/* addresses that are read from one symbol map or dump of generated code; the rest of the file is not read */
#define TP_MAX_OUTSIDE_GENERATED_HITS (1u << 22)

/* ---- folders ---- */
#define TP_MAX_DIR_DEPTH 64u
#define TP_MAX_TRACE_FILES 100000u
/* files with other names in a folder that are opened to find out whether they are traces */
#define TP_MAX_IGNORED_CHECKS 64u

/* ---- report ---- */
#define TP_MAX_STACK_TEXT_RATIO 16u /* bytes of call stacks in the JSON report per byte of the trace's text */
/* bytes of call stacks in the JSON report that are always allowed; above this and TP_MAX_STACK_TEXT_RATIO, stacks are
 * dropped and counted */
#define TP_STACK_TEXT_GRACE_BYTES (1u << 20)
#define TP_MAX_SHOWN_NAME_BYTES 256u /* bytes of a name on the page */
/* threads and samples that are examined to find the thread that owns a lock */
#define TP_MAX_HOLDER_STEPS (1u << 21)
#define TP_MAX_CHILD_STEPS (1u << 21) /* threads that are examined to find waits for child processes */
#define TP_MAX_PAGE_BYTES (5u << 20)  /* bytes of the report page; changed by --max-size */
#define TP_MAX_TEMPLATE_BYTES (1u << 20)
#define TP_MAX_TEMPLATE_DEPTH 64u
#define TP_MAX_DELIMITER_BYTES 16u
#define TP_MAX_MARKDOWN_BYTES 4096u

/* rows of the table of ranges; further ranges are added up in a row "(rest)" */
#define TP_MAX_RANGE_ROWS 1000u
/* devices with counters times analysed steps; with more, the report has no energy and clock by step */
#define TP_MAX_COUNTER_STEPS (1u << 17)
/* the same product; with more, the energy of a step is unknown */
#define TP_MAX_COUNTER_SUMS (1u << 22)

/* ---- measured peak rates of devices, option --peaks ---- */
#define TP_MAX_PEAKS_BYTES (256u << 10) /* size of the file with measured peak rates, bytes */
#define TP_MAX_PEAK_ROWS 32u
#define TP_MAX_PEAK_TEXT_BYTES 8192u /* bytes of all device names and sources in the file together */

/* ---- check ---- */
#define TP_MAX_BUDGET_BYTES (1u << 20)

/* ---- jobs of many ranks ---- */
/* devices up to which the bound of the overlap gain is computed; the time grows with the square of their number */
#define TP_MAX_OVERLAP_GPUS 64
#define TP_MAX_JOB_RANKS (1ll << 24)  /* ranks up to which missing ranks are reported */
#define TP_MAX_JOB_NUMBER (1ll << 40) /* largest rank number; larger numbers are invalid */
#define TP_MAX_JOB_STEPS 256u         /* steps stored for a rank; later steps are dropped */
#define TP_MAX_JOB_CALLS 1024u        /* collectives stored for a rank; later collectives are dropped */
/* collectives of all ranks together up to which collectives are compared one by one */
#define TP_MAX_JOB_RECORDS (1u << 20)
#define TP_MAX_JOB_SPANS 16u /* jobs and recordings on one page */

/* ---- summary of one process; excess rows are added up in a row "(rest)", or dropped and counted by a flag ---- */
#define TP_MAX_SUMMARY_TEXT_BYTES 4096u /* bytes of a text in a summary; longer texts are cut and end in a hash */
#define TP_MAX_SUMMARY_ROWS 320u        /* rows of each kind in a summary, such as kernels or operators */
/* values per step for each kind of row: number of rows with such values, multiplied by the number of steps */
#define TP_MAX_SUMMARY_CELLS 8192u
#define TP_MAX_SUMMARY_STEPS 4096u
#define TP_MAX_SUMMARY_COLLECTIVES 32768u
#define TP_MAX_SUMMARY_FINDINGS 256u
#define TP_MAX_SUMMARY_DEVICES 256u /* devices with memory records in one summary */
#define TP_MAX_SUMMARY_RANGES 128u  /* ranges and modules whose times a summary has for budgets */
/* generated kernels whose hashes and source lines a summary has, first called first */
#define TP_MAX_SUMMARY_GENERATED 512u
#define TP_MAX_SUMMARY_OWNERS 64u /* owners of memory in each category on each device */
/* bytes of a packed summary; larger summaries lose rows in summary_pack.c */
#define TP_MAX_SUMMARY_KEPT_BYTES 40000u
/* rows of each kind that every packed summary keeps, even if it exceeds TP_MAX_SUMMARY_KEPT_BYTES */
#define TP_LEAST_SUMMARY_ROWS 32u
#define TP_MAX_SIGNATURE_KEYS 4096u   /* distinct units of work that are stored for a step; further ones are dropped */
#define TP_MAX_SIGNATURE_CALLS 65536u /* operator calls stored for the typical step; if it has more, none is stored */
/* operators and lines whose memory blocks outlive a step; if there are more, none is stored */
#define TP_MAX_SIGNATURE_KEPT 256u
#define TP_MAX_SIGNATURE_FUNCTIONS 256u /* user functions inside the data loader; if there are more, none is stored */
/* bytes of the operand shapes of one unit of work; longer texts are cut and end in a hash */
#define TP_MAX_SIGNATURE_TEXT_BYTES 256

/* ---- comparisons ---- */
#define TP_MAX_SOURCE_BYTES (4u << 20) /* bytes of a source file that is searched for the line of a change */
#define TP_MAX_WORK_CHANGES 512u /* changes in the work of a step that are reported; further changes are omitted */

/* ---- time slots of a summary (step_slots.h): together at most 4 KB for a rank ---- */
#define TP_MAX_SLOTS 64u          /* slots of a step; if there are more, neighbors are added up */
#define TP_MAX_SLOT_CELLS 512u    /* number of slots multiplied by number of steps; later steps are dropped */
#define TP_MAX_SLOT_GROUPS 32u    /* process groups whose ranks are stored with the slots */
#define TP_MAX_SLOT_US UINT32_MAX /* largest time of a slot in a step, µs: 71 minutes */
/* ranges of consecutive ranks in a process group; if there are more, the ranks of the group are not stored */
#define TP_MAX_SLOT_RUNS 16u

/* ---- summary files ---- */
#define TP_MAX_SUMMARIES (1u << 20)               /* processes in one summary file or job */
#define TP_MAX_SUMMARY_FILE_BYTES (4ull << 30)    /* bytes of one summary file */
#define TP_MAX_SUMMARY_ITEMS (1u << 20)           /* items in one list of a summary */
#define TP_MAX_SUMMARY_INFLATED_BYTES (32u << 20) /* bytes of one summary after decompression */
#define TP_MAX_SUMMARY_MEMORY_BYTES (512u << 20)  /* bytes of memory for unpacking one summary */

/* ---- precision ---- */
#define TP_MAX_TENSORS (1u << 22)                   /* tensors of one input of `precision` */
#define TP_MAX_ARCHIVE_ENTRIES (1u << 20)           /* entries of one .npz archive */
#define TP_MAX_ARCHIVE_DIRECTORY_BYTES (256u << 20) /* bytes of the directory of one .npz archive */

/* ---- answers for scripts and agents (webreport/ask) ---- */
#define TP_ASK_ANSWER_BYTES 4096      /* bytes of an answer if the question names none */
#define TP_LEAST_ASK_ANSWER_BYTES 512 /* smallest and largest size of an answer that a question may name, bytes */
#define TP_MAX_ASK_ANSWER_BYTES 65536
#define TP_MAX_ASK_ROWS 200            /* rows of one answer */
#define TP_MAX_ASK_TEXT_CHARACTERS 400 /* characters of a text in an answer; longer texts are cut */
#define TP_MAX_ASK_QUERY_BYTES 10000   /* bytes of an SQL query, of a path and of a filter of rows */
#define TP_MAX_ASK_PATH_BYTES 4096
#define TP_MAX_ASK_WHERE_BYTES 1000
#define TP_MAX_ASK_WHERE_TERMS 16 /* comparisons in a filter of rows */
#define TP_MAX_ASK_CHANGES 16     /* changes that one question prices */
#define TP_ASK_SQL_MS 3000        /* time after which a query is stopped, ms, and its largest value */
#define TP_MAX_ASK_SQL_MS 600000
#define TP_MAX_ASK_SQL_VALUE_BYTES (1 << 20) /* bytes of one value in a query */
#define TP_MAX_ASK_SQL_BYTES (1ll << 30)     /* bytes of memory that SQLite may use for all databases */
#define TP_MAX_ASK_TRACES 4                  /* traces that are open at the same time */
#define TP_ASK_CACHE_BYTES (2ull << 30)      /* memory of all open traces, if the user names no other size */
#define TP_MAX_ASK_FILES 10000u              /* files below the roots that are listed */
#define TP_MAX_ASK_LINE_BYTES (1u << 20)     /* bytes of one message of a client */
#define TP_MAX_ASK_DEPTH 64u                 /* levels of nested JSON values in a message */
#define TP_MAX_ASK_ID_BYTES 256u             /* bytes of the id of a request */
#define TP_MAX_ASK_WAITING 64u               /* calls that wait for their turn; then no further messages are read */

/* ---- export ---- */
/* bytes of a trace's members after its list of events, which must wait in memory */
#define TP_MAX_TRAILING_MEMBER_BYTES (64u << 20)
#define TP_MAX_EVENT_FILE_BYTES (256u << 20) /* size of one TensorBoard event file */
/* bytes of event file records in the memory of a running program */
#define TP_MAX_LIVE_BUFFER_BYTES (4u << 20)
#define TP_MAX_EXPORT_STEPS 65536u /* steps with their own points in the charts; later steps have none */
#define TP_MAX_EXPORT_DEVICES 64u  /* devices with their own charts or files; further devices have none */
#define TP_MAX_GRAPH_NODES 2000u   /* nodes in TensorBoard's Graphs tab; further calls are added to their caller */
#define TP_MAX_GRAPH_DEPTH 64u
/* largest sum of times in a graph, µs; up to this value, a double represents all integers exactly */
#define TP_MAX_GRAPH_US (1ll << 52)
#define TP_MAX_EXPORT_NAME_BYTES 128u /* bytes of the name of a run or worker in an output path */
/* bytes of an XSpace message; XProf parses at most 2 GiB */
#define TP_MAX_XSPACE_BYTES ((2ull << 30) - (1u << 20))
#define TP_MAX_FOLDED_DEPTH 1024u   /* frames in a line of folded stacks; deeper calls are added to the deepest frame */
#define TP_MAX_REPRO_ARGUMENTS 256u /* arguments of the operator that `export --to repro` calls */
#define TP_MAX_SVG_BYTES (64u << 20)
#define TP_MAX_FLAME_FRAMES 20000u /* boxes in a flame graph; if there are more, small boxes are merged */
#define TP_MAX_FLOW_BLOCKS 20000u  /* memory blocks that are drawn as single boxes */
/* largest duration of an event, ns: 52 days, because XProf stores times as picoseconds in 63 bits */
#define TP_MAX_XEVENT_NS (1ll << 52)
#define TP_MAX_XPLANE_PATH_BYTES 512u /* bytes of the path of operator names that XProf shows */

#endif
