/* Lists all maximum values of the program. Reaching one is TP_ELIMIT (or a counted repair) with the limit in the
 * message. */
#ifndef TP_WRITER_BASE_LIMITS_H
#define TP_WRITER_BASE_LIMITS_H

/* input */
#define TP_MAX_INPUT_BYTES (64ull << 30)  /* inflated text of one trace; --max-input */
#define TP_MAX_INFLATE_RATIO 2000u        /* text per compressed byte, after the first TP_RATIO_GRACE_BYTES */
#define TP_RATIO_GRACE_BYTES (1ull << 30) /* a small repetitive file may exceed the ratio */
#define TP_MAX_EVENTS 4294967000u         /* events have 32-bit numbers */
#define TP_MAX_THREADS (1u << 20)         /* distinct (pid, tid) pairs: 20 bits in an event */
#define TP_MAX_EVENT_BYTES (16u << 20)    /* text of one event; longer ones are skipped and counted */
#define TP_MAX_NAME_BYTES 65536u          /* a name; longer ones are cut and counted */
#define TP_MAX_DEPTH 1024u                /* nesting of JSON values */
#define TP_MAX_SHOWN_ARGUMENTS 16u        /* custom arguments of a range that the page shows */
#define TP_MAX_ARGUMENT_TEXTS (1u << 20)  /* distinct texts of such arguments */
#define TP_MAX_HEADER_BYTES (4u << 20)    /* one top-level value kept as text (deviceProperties, distributedInfo) */
#define TP_MAX_HEADER_KEYS 256u           /* top-level keys that are kept */
#define TP_MAX_STRING_TABLE_BYTES (3ull << 30) /* distinct strings of one kind */
#define TP_MAX_TIME_NS (1ll << 61)             /* |ts|, |dur|: the difference of two ends then fits into 64 bits */

/* written traces; TP_MAX_NAME_BYTES limits a name, and TP_MAX_EVENT_BYTES a record */
#define TP_MAX_OUT_TEXT_BYTES (1u << 20) /* a text among the arguments; longer ones are cut and counted */
#define TP_MAX_OUT_ARGS 4096u            /* arguments of an event */

/* debug information of recorded programs; code beyond the limits is named by its symbol */
#define TP_MAX_CODE_DEPTH 512u           /* nesting of entries */
#define TP_MAX_CODE_ENTRIES (1ull << 26) /* of one unit */
#define TP_MAX_CODE_RANGES (1u << 16)    /* of one entry */

/* recordings from outside; what exceeds a limit is not recorded, or the recording ends there, and a line says so */
#define TP_MAX_RUN_PROGRAMS 8u                     /* programs recorded from outside next to a run's traces */
#define TP_MAX_OUTSIDE_BYTES (1ull << 30)          /* processes, states, samples: everything kept until the end */
#define TP_MAX_OUTSIDE_PENDING_BYTES (256u << 20)  /* records waiting to be processed in order */
#define TP_MAX_OUTSIDE_WORDS_BYTES (128u << 10)    /* arguments of a program, counted from the first */
#define TP_MAX_OUTSIDE_FILES (1u << 16)            /* of code */
#define TP_MAX_OUTSIDE_MAPS 4096u                  /* code mappings of a process; the newest are kept */
#define TP_MAX_OUTSIDE_PYTHON_TEXTS (1u << 18)     /* distinct "FILE(LINE): FUNCTION" texts; others are not read */
#define TP_MAX_OUTSIDE_LINES_BYTES (1u << 20)      /* line table of one Python code object */
#define TP_MAX_OUTSIDE_ATTACHED 8192u              /* threads of a process that already runs */
#define TP_MAX_OUTSIDE_DESCRIPTORS 256u            /* of processes whose exit is awaited */
#define TP_MAX_OUTSIDE_MADE_OPEN 128u              /* open dumps of generated code and folders of maps */
#define TP_MAX_OUTSIDE_MADE_BYTES (64u << 20)      /* bytes read of one map or dump of generated code */
#define TP_MAX_OUTSIDE_MADE_ALL_BYTES (256u << 20) /* of all of them together */
#define TP_MAX_OUTSIDE_MADE_HITS (1u << 22)        /* addresses named by such a map; it is not read further */

/* directories */
#define TP_MAX_DIR_DEPTH 64u
#define TP_MAX_TRACE_FILES 100000u
#define TP_MAX_UNREAD_LOOKS 64u /* files of a folder opened to find traces that are left out */

/* report */
#define TP_MAX_STACK_TEXT_RATIO 16u          /* texts of call stacks in JSON per byte of the trace's text, */
#define TP_STACK_TEXT_GRACE_BYTES (1u << 20) /* after these bytes; further texts are dropped and counted */
#define TP_MAX_SHOWN_NAME_BYTES 256u         /* a name in the page */
#define TP_MAX_HOLDER_STEPS (1u << 21)       /* threads and samples examined to find the holder of a lock */
#define TP_MAX_CHILD_STEPS (1u << 21)        /* threads examined for waits for children */
#define TP_MAX_PAGE_BYTES (5u << 20)         /* --max-size */
#define TP_MAX_TEMPLATE_BYTES (1u << 20)
#define TP_MAX_TEMPLATE_DEPTH 64u
#define TP_MAX_DELIMITER_BYTES 16u
#define TP_MAX_MARKDOWN_BYTES 4096u

/* measured peaks, --peaks */
#define TP_MAX_PEAKS_BYTES (256u << 10) /* of the file */
#define TP_MAX_PEAK_ROWS 32u
#define TP_MAX_PEAK_TEXT_BYTES 8192u /* names and sources together */

/* check */
#define TP_MAX_BUDGET_BYTES (1u << 20)

/* jobs of many ranks */
#define TP_MAX_OVERLAP_GPUS 64        /* most devices for the bound of the overlap gain; time grows with their square */
#define TP_MAX_JOB_RANKS (1ll << 24)  /* largest world size for which missing ranks are reported */
#define TP_MAX_JOB_NUMBER (1ll << 40) /* a rank's number; larger ones are invalid */
#define TP_MAX_JOB_STEPS 256u         /* kept for a rank, from the first */
#define TP_MAX_JOB_CALLS 1024u        /* collectives kept for a rank, from the first */
#define TP_MAX_JOB_RECORDS (1u << 20) /* most collectives of all ranks for a comparison one by one */
#define TP_MAX_JOB_SPANS 16u          /* jobs and spans in one page */

/* summaries of one process; excess rows are added up in a row "(rest)", or dropped and counted as a flag */
#define TP_MAX_SUMMARY_TEXT_BYTES 4096u /* a text; longer ones are cut and end in a hash */
#define TP_MAX_SUMMARY_ROWS 320u        /* of a kind */
#define TP_MAX_SUMMARY_CELLS 8192u      /* of a kind: rows with numbers per step, times steps */
#define TP_MAX_SUMMARY_STEPS 4096u
#define TP_MAX_SUMMARY_COLLECTIVES 32768u
#define TP_MAX_SUMMARY_FINDINGS 256u
#define TP_MAX_SUMMARY_DEVICES 256u      /* with memory records */
#define TP_MAX_SUMMARY_OWNERS 64u        /* of a kind, of a device */
#define TP_MAX_SUMMARY_KEPT_BYTES 40000u /* a stored process; larger ones lose rows: summary_pack.c */
#define TP_LEAST_SUMMARY_ROWS 32u        /* of a kind, however large the process is */
#define TP_MAX_SIGNATURE_KEYS 4096u      /* distinct units of work in a step, from the first */
#define TP_MAX_SIGNATURE_CALLS 65536u    /* operators of the usual step; with more, none are kept */
#define TP_MAX_SIGNATURE_KEPT 256u       /* operators and lines whose blocks stay; with more, nothing is kept */
#define TP_MAX_SIGNATURE_FUNCTIONS 256u  /* of the user inside the data loader; with more, nothing is kept */
#define TP_MAX_SIGNATURE_TEXT_BYTES 256  /* shapes of one unit of work; longer ones are cut and end in a hash */

/* comparisons */
#define TP_MAX_SOURCE_BYTES (4u << 20) /* of a file that is searched for the line of a change */
#define TP_MAX_WORK_CHANGES 512u       /* in the work of a step, from the first */

/* slots of a summary (step_slots.h): together at most 4 KB for a rank */
#define TP_MAX_SLOTS 64u          /* of a step; further ones are added up */
#define TP_MAX_SLOT_CELLS 512u    /* slots times steps; later steps are not kept */
#define TP_MAX_SLOT_GROUPS 32u    /* process groups with their ranks */
#define TP_MAX_SLOT_US UINT32_MAX /* of a cell: 71 minutes */
#define TP_MAX_SLOT_RUNS 16u      /* runs of consecutive ranks of a group; with more, the ranks are not kept */

/* files of summaries */
#define TP_MAX_SUMMARIES (1u << 20)               /* processes in a file or a job */
#define TP_MAX_SUMMARY_FILE_BYTES (4ull << 30)    /* size on disk */
#define TP_MAX_SUMMARY_ITEMS (1u << 20)           /* of one list of a process */
#define TP_MAX_SUMMARY_INFLATED_BYTES (32u << 20) /* of one process */
#define TP_MAX_SUMMARY_MEMORY_BYTES (512u << 20)  /* while one process is unpacked */

/* precision */
#define TP_MAX_TENSORS (1u << 22)                   /* of one input */
#define TP_MAX_ARCHIVE_ENTRIES (1u << 20)           /* of one .npz */
#define TP_MAX_ARCHIVE_DIRECTORY_BYTES (256u << 20) /* of one .npz */

/* export */
#define TP_MAX_BEHIND_BYTES (64u << 20)      /* members of a trace after its list of events */
#define TP_MAX_EVENT_FILE_BYTES (256u << 20) /* one TensorBoard event file */
#define TP_MAX_LIVE_BUFFER_BYTES (4u << 20)  /* records of a running program waiting to be written */
#define TP_MAX_EXPORT_STEPS 65536u           /* steps with their own numbers, from the first */
#define TP_MAX_EXPORT_DEVICES 64u            /* devices with their own numbers, from the first */
#define TP_MAX_GRAPH_NODES 2000u             /* of the Graphs tab; further ones count for their caller */
#define TP_MAX_GRAPH_DEPTH 64u
#define TP_MAX_GRAPH_US (1ll << 52)                     /* sum of a graph's times, exact as a double */
#define TP_MAX_EXPORT_NAME_BYTES 128u                   /* a run or worker in a file name */
#define TP_MAX_XSPACE_BYTES ((2ull << 30) - (1u << 20)) /* XProf parses messages of at most 2 GiB */
#define TP_MAX_FOLDED_DEPTH 1024u                       /* frames of a line; deeper calls count for the deepest frame */
#define TP_MAX_SVG_BYTES (64u << 20)
#define TP_MAX_FLAME_FRAMES 20000u    /* boxes of a flame graph; smaller ones share a box */
#define TP_MAX_FLOW_BLOCKS 20000u     /* blocks of a memory flow with their own box */
#define TP_MAX_XEVENT_NS (1ll << 52)  /* 52 days: times are picoseconds in 63 bits */
#define TP_MAX_XPLANE_PATH_BYTES 512u /* a scope/path/name */

#endif
