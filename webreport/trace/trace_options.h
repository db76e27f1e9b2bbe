/* Defines the options for reading a trace. */
#ifndef TP_WEBREPORT_TRACE_TRACE_OPTIONS_H
#define TP_WEBREPORT_TRACE_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/opt_list.h"

struct tp_input_part;

struct tp_trace_options {
    uint64_t max_input_bytes; /* maximum size of the inflated text, bytes; 0 for TP_MAX_INPUT_BYTES */
    bool is_strict;           /* refuse input that is not exact JSON */
    bool single_thread;       /* inflate without a second thread */
    bool keeps_frame_stacks;  /* keep the "Call stack" of Python frames, which needs much memory */
    bool wants_tensors;       /* accept a trace that has only tensors */
    bool wants_arguments;     /* keep moments, and the arguments and colors that the program set; the page draws them */
    bool wants_captures;      /* keep the arguments of capture_arguments.h */
    bool keeps_ends;          /* do not correct impossible ends (impossible_ends.h) */
    bool reads_spools;        /* read a spool like the trace that `recover` makes from it; otherwise refuse spools */
    bool skips_hash;          /* do not compute reading.file_sha256, which remains "" */
    int copy_fd;              /* descriptor that receives a copy of the bytes of the file; 0: no copy */
    const char *include;      /* pattern for the names of files in folders: see struct tp_run_search */
    const struct tp_input_part *part; /* part of the input to read (input_part.h); NULL for the whole input */
    const char *process;             /* number of the only part to read: see struct tp_run_search; NULL for all parts */
    bool lists_ranks;                /* keep thread_ranks, and accept a file of several ranks (merged_ranks.h) */
    struct tp_opt_list map_paths;    /* capture traces and folders of them, which a command reads in addition */
    const char *step_range;          /* name of the ranges that are the steps; NULL: the reader chooses them */
    struct tp_opt_list compile_logs; /* files and folders with artifacts of torch.compile: see compile_log.h */
};

#endif
