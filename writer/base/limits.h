/* Every maximum in one list. Hitting one is TP_ELIMIT (or a counted repair) with the limit in the message. */
#ifndef TP_WRITER_BASE_LIMITS_H
#define TP_WRITER_BASE_LIMITS_H

/* input */
#define TP_MAX_INPUT_BYTES (64ull << 30)  /* inflated text of one trace; --max-input */
#define TP_MAX_INFLATE_RATIO 2000u        /* text per compressed byte, after the first TP_RATIO_GRACE_BYTES */
#define TP_RATIO_GRACE_BYTES (1ull << 30) /* a repetitive small file may exceed the ratio */
#define TP_MAX_EVENTS 4294967000u         /* events are numbered with 32 bits */
#define TP_MAX_THREADS (1u << 20)         /* distinct (pid, tid) pairs: 20 bits in an event */
#define TP_MAX_EVENT_BYTES (16u << 20)    /* text of one event; longer ones are skipped and counted */
#define TP_MAX_NAME_BYTES 65536u          /* a name, longer ones are cut and counted */
#define TP_MAX_DEPTH 1024u                /* nesting of JSON values */
#define TP_MAX_SHOWN_ARGUMENTS 16u              /* arguments of a range's own that the page shows, the first ones */
#define TP_MAX_ARGUMENT_TEXTS (1u << 20)      /* distinct texts of such arguments */
#define TP_MAX_HEADER_BYTES (4u << 20)    /* one top-level value kept as text (deviceProperties, distributedInfo) */
#define TP_MAX_HEADER_KEYS 256u           /* top-level keys kept */
#define TP_MAX_STRING_TABLE_BYTES (3ull << 30) /* distinct strings of one kind */
#define TP_MAX_TIME_NS (1ll << 61)             /* |ts|, |dur|: a difference of two ends then fits in 64 bits */

/* traces that are written; a name has TP_MAX_NAME_BYTES, a record TP_MAX_EVENT_BYTES */
#define TP_MAX_OUT_TEXT_BYTES (1u << 20) /* a text among the arguments, longer ones are cut and counted */
#define TP_MAX_OUT_ARGS 4096u            /* arguments of an event */

/* debug information of recorded programs; what is beyond is named by its symbol */
#define TP_MAX_CODE_DEPTH 512u           /* entries in each other */
#define TP_MAX_CODE_ENTRIES (1ull << 26) /* of one unit */
#define TP_MAX_CODE_RANGES (1u << 16)    /* of one entry */

/* recordings from outside; what is beyond is not recorded, or the recording ends there, and a line says so */
#define TP_MAX_RUN_PROGRAMS 8u                     /* from outside beside a run's traces, whose steps they tell more of */
#define TP_MAX_OUTSIDE_BYTES (1ull << 30)          /* processes, states, samples: all that is kept until the end */
#define TP_MAX_OUTSIDE_PENDING_BYTES (256u << 20)  /* records that wait for their turn */
#define TP_MAX_OUTSIDE_WORDS_BYTES (128u << 10)    /* of the arguments of a program, the first ones */
#define TP_MAX_OUTSIDE_FILES (1u << 16)            /* of code */
#define TP_MAX_OUTSIDE_MAPS 4096u                  /* of code of a process, the last ones */
#define TP_MAX_OUTSIDE_PYTHON_TEXTS (1u << 18)     /* lines of Python; others are not read */
#define TP_MAX_OUTSIDE_LINES_BYTES (1u << 20)      /* of the lines of one code object of Python */
#define TP_MAX_OUTSIDE_ATTACHED 8192u              /* threads of a process that runs already */
#define TP_MAX_OUTSIDE_DESCRIPTORS 256u            /* of processes whose end is waited for */
#define TP_MAX_OUTSIDE_MADE_OPEN 128u              /* dumps of code made at run time, folders of maps in other roots */
#define TP_MAX_OUTSIDE_MADE_BYTES (64u << 20)      /* of a map or a dump of such code that are read, the first ones */
#define TP_MAX_OUTSIDE_MADE_ALL_BYTES (256u << 20) /* of all of them */
#define TP_MAX_OUTSIDE_MADE_HITS (1u << 22)        /* addresses that the lines of such a map name; behind them it is not read */

/* directories */
#define TP_MAX_DIR_DEPTH 64u
#define TP_MAX_TRACE_FILES 100000u
#define TP_MAX_UNREAD_LOOKS 64u /* files of a folder opened to see whether they are traces that are left out */

/* report */
#define TP_MAX_STACK_TEXT_RATIO 16u           /* texts of call stacks in JSON per byte of the trace's text, */
#define TP_STACK_TEXT_GRACE_BYTES (1u << 20)  /* after these bytes; the texts beyond are left out and counted */
#define TP_MAX_SHOWN_NAME_BYTES 256u /* a name in the page */
#define TP_MAX_HOLDER_STEPS (1u << 21)  /* threads, samples that are looked at for who holds a lock: of the longest waits */
#define TP_MAX_CHILD_STEPS (1u << 21)   /* threads that are looked at for waits for children */
#define TP_MAX_PAGE_BYTES (5u << 20) /* --max-size */
#define TP_MAX_TEMPLATE_BYTES (1u << 20)
#define TP_MAX_TEMPLATE_DEPTH 64u
#define TP_MAX_DELIMITER_BYTES 16u
#define TP_MAX_MARKDOWN_BYTES 4096u

/* measured peaks, --peaks */
#define TP_MAX_PEAKS_BYTES (256u << 10) /* of the file */
#define TP_MAX_PEAK_ROWS 32u
#define TP_MAX_PEAK_TEXT_BYTES 8192u /* names and sources, together */

/* check */
#define TP_MAX_BUDGET_BYTES (1u << 20)

/* jobs of many ranks */
#define TP_MAX_OVERLAP_GPUS 64        /* devices up to which the gain of overlap is bounded; time grows with their square */
#define TP_MAX_JOB_RANKS (1ll << 24)  /* world size up to which missing ranks are told */
#define TP_MAX_JOB_NUMBER (1ll << 40) /* a rank's number; larger ones are none */
#define TP_MAX_JOB_STEPS 256u         /* kept of a rank, the first ones */
#define TP_MAX_JOB_CALLS 1024u        /* collectives kept of a rank, the first ones */
#define TP_MAX_JOB_RECORDS (1u << 20) /* collectives of all ranks up to which they are compared one by one */
#define TP_MAX_JOB_SPANS 16u          /* jobs and spans of one page */

/* summaries of one process; what is beyond is added up in a row "(rest)", or left out and counted as a flag */
#define TP_MAX_SUMMARY_TEXT_BYTES 4096u /* a text; longer ones are cut and end in a hash */
#define TP_MAX_SUMMARY_ROWS 320u        /* of a kind */
#define TP_MAX_SUMMARY_CELLS 8192u      /* of a kind: rows with numbers per step, times steps */
#define TP_MAX_SUMMARY_STEPS 4096u
#define TP_MAX_SUMMARY_COLLECTIVES 32768u
#define TP_MAX_SUMMARY_FINDINGS 256u
#define TP_MAX_SUMMARY_DEVICES 256u /* with memory records */
#define TP_MAX_SUMMARY_OWNERS 64u   /* of a kind, of a device */
#define TP_MAX_SUMMARY_KEPT_BYTES 40000u /* a process as it is kept: a larger one goes with less: summary_pack.c */
#define TP_LEAST_SUMMARY_ROWS 32u        /* of a kind, however large that is */
#define TP_MAX_SIGNATURE_KEYS 4096u           /* different pieces of work of a step; beyond, the first in their order */
#define TP_MAX_SIGNATURE_CALLS 65536u         /* operators of the usual step; beyond, none */
#define TP_MAX_SIGNATURE_KEPT 256u            /* operators and lines whose blocks stay; of more nothing is known */
#define TP_MAX_SIGNATURE_FUNCTIONS 256u       /* of the user inside of the data loader; of more nothing is known */
#define TP_MAX_SIGNATURE_TEXT_BYTES 256       /* shapes of one piece of work; longer ones are cut and end in a hash */

/* comparisons */
#define TP_MAX_SOURCE_BYTES (4u << 20) /* of a file in which the line of a change is looked for */
#define TP_MAX_WORK_CHANGES 512u       /* of the work of a step: the first ones */

/* slots of a summary (step_slots.h): together at most 4 KB a rank */
#define TP_MAX_SLOTS 64u          /* of a step; more are added up */
#define TP_MAX_SLOT_CELLS 512u    /* slots times steps; later steps are not kept */
#define TP_MAX_SLOT_GROUPS 32u    /* process groups with their ranks */
#define TP_MAX_SLOT_US UINT32_MAX /* of a cell: 71 minutes */
#define TP_MAX_SLOT_RUNS 16u      /* runs of ranks of a group; of more the ranks are not kept */

/* files of summaries */
#define TP_MAX_SUMMARIES (1u << 20)               /* processes of a file, of a job */
#define TP_MAX_SUMMARY_FILE_BYTES (4ull << 30)    /* as it stands on disk */
#define TP_MAX_SUMMARY_ITEMS (1u << 20)           /* of one list of a process */
#define TP_MAX_SUMMARY_INFLATED_BYTES (32u << 20) /* of one process */
#define TP_MAX_SUMMARY_MEMORY_BYTES (512u << 20)  /* while one process is unpacked */

/* precision */
#define TP_MAX_TENSORS (1u << 22)                   /* of one input */
#define TP_MAX_ARCHIVE_ENTRIES (1u << 20)           /* of one .npz */
#define TP_MAX_ARCHIVE_DIRECTORY_BYTES (256u << 20) /* of one .npz */

/* export */
#define TP_MAX_BEHIND_BYTES (64u << 20)      /* members of a trace that stand behind its list of events */
#define TP_MAX_EVENT_FILE_BYTES (256u << 20) /* one TensorBoard event file */
#define TP_MAX_LIVE_BUFFER_BYTES (4u << 20)  /* records of a running program that wait to be written */
#define TP_MAX_EXPORT_STEPS 65536u           /* steps with numbers of their own; the first ones */
#define TP_MAX_EXPORT_DEVICES 64u            /* devices with numbers of their own; the first ones */
#define TP_MAX_GRAPH_NODES 2000u             /* of the Graphs tab; what is beyond counts for its caller */
#define TP_MAX_GRAPH_DEPTH 64u
#define TP_MAX_GRAPH_US (1ll << 52)                     /* sum of a graph's times, exact as a double */
#define TP_MAX_EXPORT_NAME_BYTES 128u                   /* a run or worker as part of a file's name */
#define TP_MAX_XSPACE_BYTES ((2ull << 30) - (1u << 20)) /* XProf parses a message of at most 2 GiB */
#define TP_MAX_FOLDED_DEPTH 1024u                       /* frames of a line; deeper calls count for the deepest */
#define TP_MAX_SVG_BYTES (64u << 20)
#define TP_MAX_FLAME_FRAMES 20000u    /* boxes of a flame graph; smaller ones share a box */
#define TP_MAX_FLOW_BLOCKS 20000u     /* of a memory flow with a box of their own */
#define TP_MAX_XEVENT_NS (1ll << 52)  /* 52 days: times are picoseconds in 63 bits */
#define TP_MAX_XPLANE_PATH_BYTES 512u /* a scope/path/name */

#endif
