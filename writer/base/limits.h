/* Lists all maximum values of the program. A function that reaches a maximum returns TP_ELIMIT with the limit in the
 * message, or repairs the input and counts the repair. */
#ifndef TP_WRITER_BASE_LIMITS_H
#define TP_WRITER_BASE_LIMITS_H

/* ---- input ---- */
#define TP_MAX_INPUT_BYTES (64ull << 30) /* bytes of text of one trace after decompression; changed by --max-input */
/* most bytes of text per compressed byte, after the first TP_RATIO_GRACE_BYTES */
#define TP_MAX_INFLATE_RATIO 2000u
/* bytes of text that may exceed TP_MAX_INFLATE_RATIO, for small repetitive files */
#define TP_RATIO_GRACE_BYTES (1ull << 30)
#define TP_MAX_EVENTS 4294967000u        /* events of a trace, because their ids have 32 bits */
#define TP_MAX_THREADS (1u << 20)        /* distinct (pid, tid) pairs; an event stores a thread in 20 bits */
#define TP_MAX_EVENT_BYTES (16u << 20)   /* bytes of text of one event; longer events are skipped and counted */
#define TP_MAX_NAME_BYTES 65536u         /* length of a name; longer names are cut and counted */
#define TP_MAX_DEPTH 1024u               /* levels of nested JSON values */
#define TP_MAX_SHOWN_ARGUMENTS 16u       /* custom arguments of a range that the page shows */
#define TP_MAX_ARGUMENT_TEXTS (1u << 20) /* distinct texts of custom arguments */
/* bytes of one top-level value that is kept as text (deviceProperties, distributedInfo) */
#define TP_MAX_HEADER_BYTES (4u << 20)
#define TP_MAX_HEADER_KEYS 256u                /* top-level keys that are kept */
#define TP_MAX_STRING_TABLE_BYTES (3ull << 30) /* bytes of all distinct strings of one kind */
/* largest |ts| and |dur|, so that the difference of two ends fits into 64 bits */
#define TP_MAX_TIME_NS (1ll << 61)

/* ---- written traces; TP_MAX_NAME_BYTES limits a name, and TP_MAX_EVENT_BYTES a record ---- */
#define TP_MAX_OUT_TEXT_BYTES (1u << 20) /* bytes of text of an argument; longer texts are cut and counted */
#define TP_MAX_OUT_ARGS 4096u            /* arguments of an event */

/* ---- debug information of recorded programs; code beyond these limits is named by its symbol ---- */
#define TP_MAX_CODE_DEPTH 512u           /* levels of nested debug entries */
#define TP_MAX_CODE_ENTRIES (1ull << 26) /* debug entries of one compilation unit */
#define TP_MAX_CODE_RANGES (1u << 16)    /* address ranges of one debug entry */

/* ---- recordings from outside; data beyond a limit is dropped, or ends the recording, with a message ---- */
#define TP_MAX_RUN_PROGRAMS 8u /* programs recorded from outside next to a run's traces */
/* bytes of all data that is kept until the end of the recording: processes, states, samples */
#define TP_MAX_OUTSIDE_BYTES (1ull << 30)
#define TP_MAX_OUTSIDE_PENDING_BYTES (256u << 20)  /* bytes of records that wait to be processed in order */
#define TP_MAX_OUTSIDE_ARGUMENT_BYTES (128u << 10) /* bytes of a program's arguments; further arguments are dropped */
#define TP_MAX_OUTSIDE_FILES (1u << 16)            /* files with recorded code */
#define TP_MAX_OUTSIDE_MAPS 4096u                  /* code mappings of a process; only the newest are kept */
#define TP_MAX_OUTSIDE_PYTHON_TEXTS (1u << 18) /* distinct "FILE(LINE): FUNCTION" texts; further texts are not read */
#define TP_MAX_OUTSIDE_LINES_BYTES (1u << 20)  /* bytes of the line table of one Python code object */
#define TP_MAX_OUTSIDE_ATTACHED 8192u          /* threads of a process that was running before the recording */
#define TP_MAX_OUTSIDE_DESCRIPTORS 256u        /* open descriptors of processes, from which their exit codes are read */
#define TP_MAX_OUTSIDE_GENERATED_OPEN 128u     /* open dumps of generated code and open folders of maps */
#define TP_MAX_OUTSIDE_GENERATED_BYTES (64u << 20) /* bytes read of one map or dump of generated code */
/* bytes read of all maps and dumps of generated code together */
#define TP_MAX_OUTSIDE_GENERATED_ALL_BYTES (256u << 20)
/* addresses named by one map of generated code; the rest of the map is not read */
#define TP_MAX_OUTSIDE_GENERATED_HITS (1u << 22)

/* ---- folders ---- */
#define TP_MAX_DIR_DEPTH 64u
#define TP_MAX_TRACE_FILES 100000u
/* files of a folder that are opened to find traces that the report does not include */
#define TP_MAX_IGNORED_CHECKS 64u

/* ---- report ---- */
#define TP_MAX_STACK_TEXT_RATIO 16u /* bytes of call stack texts in JSON per byte of the trace's text */
/* bytes of call stack texts that may exceed TP_MAX_STACK_TEXT_RATIO; later texts are dropped and counted */
#define TP_STACK_TEXT_GRACE_BYTES (1u << 20)
#define TP_MAX_SHOWN_NAME_BYTES 256u /* length of a name in the page */
/* steps of the search for the thread that owns a lock: threads and samples examined */
#define TP_MAX_HOLDER_STEPS (1u << 21)
#define TP_MAX_CHILD_STEPS (1u << 21) /* steps of the search for waits for child processes: threads examined */
#define TP_MAX_PAGE_BYTES (5u << 20)  /* size of a page; changed by --max-size */
#define TP_MAX_TEMPLATE_BYTES (1u << 20)
#define TP_MAX_TEMPLATE_DEPTH 64u
#define TP_MAX_DELIMITER_BYTES 16u
#define TP_MAX_MARKDOWN_BYTES 4096u

/* ---- measured peaks, --peaks ---- */
#define TP_MAX_PEAKS_BYTES (256u << 10) /* size of the file of peaks */
#define TP_MAX_PEAK_ROWS 32u
#define TP_MAX_PEAK_TEXT_BYTES 8192u /* bytes of all names and sources of peaks together */

/* ---- check ---- */
#define TP_MAX_BUDGET_BYTES (1u << 20)

/* ---- jobs of many ranks ---- */
/* devices for which the bound of the overlap gain is computed; the computing time grows with the square of their
 * number */
#define TP_MAX_OVERLAP_GPUS 64
#define TP_MAX_JOB_RANKS (1ll << 24)  /* largest number of ranks for which missing ranks are reported */
#define TP_MAX_JOB_NUMBER (1ll << 40) /* largest number of a rank; larger numbers are invalid */
#define TP_MAX_JOB_STEPS 256u         /* steps kept for a rank; only the first ones are kept */
#define TP_MAX_JOB_CALLS 1024u        /* collectives kept for a rank; only the first ones are kept */
#define TP_MAX_JOB_RECORDS (1u << 20) /* collectives of all ranks together that are compared one by one */
#define TP_MAX_JOB_SPANS 16u          /* jobs and spans in one page */

/* ---- summaries of one process; excess rows are added up in a row "(rest)", or dropped and counted as a flag ---- */
#define TP_MAX_SUMMARY_TEXT_BYTES 4096u /* length of a text; longer texts are cut and end in a hash */
#define TP_MAX_SUMMARY_ROWS 320u        /* rows of each kind in a summary */
/* cells of each kind: number of rows with numbers per step, multiplied by the number of steps */
#define TP_MAX_SUMMARY_CELLS 8192u
#define TP_MAX_SUMMARY_STEPS 4096u
#define TP_MAX_SUMMARY_COLLECTIVES 32768u
#define TP_MAX_SUMMARY_FINDINGS 256u
#define TP_MAX_SUMMARY_DEVICES 256u /* devices with memory records in a summary */
#define TP_MAX_SUMMARY_OWNERS 64u   /* owners of memory of each kind on each device */
/* size of a stored process; larger processes lose rows in summary_pack.c */
#define TP_MAX_SUMMARY_KEPT_BYTES 40000u
/* rows of each kind that every stored process keeps, even if it exceeds TP_MAX_SUMMARY_KEPT_BYTES */
#define TP_LEAST_SUMMARY_ROWS 32u
#define TP_MAX_SIGNATURE_KEYS 4096u   /* distinct units of work in a step; only the first ones are kept */
#define TP_MAX_SIGNATURE_CALLS 65536u /* operators of the usual step; if there are more, no operators are kept */
#define TP_MAX_SIGNATURE_KEPT 256u    /* operators and lines with kept memory blocks; if there are more, none is kept */
#define TP_MAX_SIGNATURE_FUNCTIONS 256u /* user functions inside the data loader; if there are more, none is kept */
/* bytes of the shapes of one unit of work; longer texts are cut and end in a hash */
#define TP_MAX_SIGNATURE_TEXT_BYTES 256

/* ---- comparisons ---- */
#define TP_MAX_SOURCE_BYTES (4u << 20) /* size of a source file that is searched for the line of a change */
#define TP_MAX_WORK_CHANGES 512u       /* reported changes in the work of a step; only the first ones are reported */

/* ---- slots of a summary (step_slots.h): together at most 4 KB for a rank ---- */
#define TP_MAX_SLOTS 64u          /* slots of a step; if there are more, neighbouring slots are added up */
#define TP_MAX_SLOT_CELLS 512u    /* number of slots multiplied by number of steps; later steps are not kept */
#define TP_MAX_SLOT_GROUPS 32u    /* process groups whose ranks are stored */
#define TP_MAX_SLOT_US UINT32_MAX /* largest time of a cell, µs: 71 minutes */
#define TP_MAX_SLOT_RUNS 16u      /* runs of consecutive ranks in a group; if there are more, the ranks are not kept */

/* ---- files of summaries ---- */
#define TP_MAX_SUMMARIES (1u << 20)               /* processes whose summaries are in a file or a job */
#define TP_MAX_SUMMARY_FILE_BYTES (4ull << 30)    /* bytes of a file of summaries */
#define TP_MAX_SUMMARY_ITEMS (1u << 20)           /* items of one list of a process */
#define TP_MAX_SUMMARY_INFLATED_BYTES (32u << 20) /* bytes of one process after decompression */
#define TP_MAX_SUMMARY_MEMORY_BYTES (512u << 20)  /* bytes of memory used while one process is unpacked */

/* ---- precision ---- */
#define TP_MAX_TENSORS (1u << 22)                   /* tensors of one input */
#define TP_MAX_ARCHIVE_ENTRIES (1u << 20)           /* entries of one .npz archive */
#define TP_MAX_ARCHIVE_DIRECTORY_BYTES (256u << 20) /* bytes of the directory of one .npz archive */

/* ---- export ---- */
#define TP_MAX_TRAILING_MEMBER_BYTES (64u << 20) /* bytes of the members of a trace that follow its list of events */
#define TP_MAX_EVENT_FILE_BYTES (256u << 20)     /* size of one TensorBoard event file */
#define TP_MAX_LIVE_BUFFER_BYTES (4u << 20)      /* bytes of records of a running program that wait to be written */
#define TP_MAX_EXPORT_STEPS 65536u               /* steps with separate numbers; only the first ones have them */
#define TP_MAX_EXPORT_DEVICES 64u                /* devices with separate numbers; only the first ones have them */
#define TP_MAX_GRAPH_NODES 2000u /* nodes of TensorBoard's Graphs tab; later nodes count for their caller */
#define TP_MAX_GRAPH_DEPTH 64u
/* largest sum of a graph's times, µs; a double represents all sums up to this one exactly */
#define TP_MAX_GRAPH_US (1ll << 52)
#define TP_MAX_EXPORT_NAME_BYTES 128u /* bytes of the name of a run or worker in a file name */
/* size of an XSpace message; XProf parses at most 2 GiB */
#define TP_MAX_XSPACE_BYTES ((2ull << 30) - (1u << 20))
#define TP_MAX_FOLDED_DEPTH 1024u /* frames of a line; deeper calls count for the deepest frame of the line */
#define TP_MAX_SVG_BYTES (64u << 20)
#define TP_MAX_FLAME_FRAMES 20000u /* boxes of a flame graph; if there are more, small boxes share one */
#define TP_MAX_FLOW_BLOCKS 20000u  /* blocks of a memory flow that are drawn as separate boxes */
/* longest time of an event: 52 days, because XProf stores times as picoseconds in 63 bits */
#define TP_MAX_XEVENT_NS (1ll << 52)
#define TP_MAX_XPLANE_PATH_BYTES 512u /* bytes of a path scope/path/name */

#endif
