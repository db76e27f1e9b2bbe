/* Declares the parts of the search for compiled calls. Internal to webreport/model. */
#ifndef TP_WEBREPORT_MODEL_COMPILED_PARTS_H
#define TP_WEBREPORT_MODEL_COMPILED_PARTS_H

#include "webreport/model/compiled.h"
#include "webreport/model/facts.h"

/* The sources of all calls in the artifacts, each computed when it is first needed. */
struct tp_compiled_sources {
    const struct tp_trace *trace;
    const struct tp_compile_log *log;
    struct tp_arena *arena;
    struct tp_compiled_source ***of_call; /* for each graph: source of each call; NULL: not yet computed */
    uint8_t *class_of_frame;              /* for each frame of the log: enum frame_class (compiled_sources.c) */
    uint32_t *seen;        /* for each frame of the log: number of the last source that lists the frame */
    uint32_t source_count; /* number of sources so far */
    struct tp_str prefix;  /* folder that torch cuts from the paths in the trace, but not from those in the log */
};

void tp_compiled_sources_init(struct tp_compiled_sources *sources, const struct tp_model *model,
                              struct tp_arena *arena);
/* Returns the source of call `call` of graph `graph`. Its line is NULL if no traceback of the call names user code. */
const struct tp_compiled_source *tp_compiled_source(struct tp_compiled_sources *sources, size_t graph, uint32_t call);

/* Compares regions with graphs. */
struct tp_compiled_graphs {
    const struct tp_compile_log *log;
    struct tp_arena *arena;
    struct tp_strings names; /* names of calls; their ids are the items of the sequences */
    uint32_t **of_graph;     /* for each graph: name ids of its calls */
    uint32_t *slots;         /* temporary numbers by name id, all 0 between two uses */
    uint32_t slot_count;
    struct tp_strings seen; /* sequences of regions that were compared, as bytes */
    struct tp_vec matches;  /* result for each text of `seen`; elements: struct tp_compiled_match */
    uint64_t work;          /* steps of all comparisons so far */
};

/* The graph that fits a region best, and the pairs of their calls. */
struct tp_compiled_match {
    size_t graph;        /* index of the graph; meaningless without pairs */
    struct tp_vec pairs; /* elements: struct tp_align_pair: call of the graph, call of the region */
};

void tp_compiled_graphs_init(struct tp_compiled_graphs *graphs, const struct tp_compile_log *log,
                             struct tp_arena *arena);
/* Returns the graph with the most pairs; of several graphs, the one with the fewest calls, then the first one. names:
 * name ids of the calls of a region, from tp_compiled_name_id. */
const struct tp_compiled_match *tp_compiled_match(struct tp_compiled_graphs *graphs, const uint32_t *names,
                                                  uint32_t count);
/* Returns the id of the name of an operator in a trace. */
uint32_t tp_compiled_name_id(struct tp_compiled_graphs *graphs, struct tp_str name);

#endif
