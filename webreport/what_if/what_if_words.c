/* Words for the enums of the replay graph: see replay_graph.h. */
#include "webreport/what_if/replay_graph.h"

enum tp_path_group tp_path_group_of(enum tp_path_kind kind)
{
    static const uint8_t groups[TP_PATH_KINDS] = {
        [TP_PATH_OPERATOR] = TP_GROUP_HOST,
        [TP_PATH_PYTHON] = TP_GROUP_HOST,
        [TP_PATH_CALL] = TP_GROUP_HOST,
        [TP_PATH_LAUNCH] = TP_GROUP_HOST,
        [TP_PATH_WAIT] = TP_GROUP_HOST,
        [TP_PATH_INPUT] = TP_GROUP_INPUT,
        [TP_PATH_COMPUTE] = TP_GROUP_COMPUTE,
        [TP_PATH_COMMUNICATION] = TP_GROUP_COMMUNICATION,
        [TP_PATH_COPY] = TP_GROUP_COPY,
        [TP_PATH_LATENCY] = TP_GROUP_LATENCY,
        [TP_PATH_UNEXPLAINED] = TP_GROUP_UNEXPLAINED,
        [TP_PATH_OUTSIDE] = TP_GROUP_UNEXPLAINED,
    };
    return (enum tp_path_group)groups[kind];
}

const char *tp_path_kind_text(enum tp_path_kind kind)
{
    static const char *const texts[TP_PATH_KINDS] = {"operator", "python",  "call",        "launch",
                                                     "wait",     "input",   "compute",     "communication",
                                                     "copy",     "latency", "unexplained", "outside"};
    return texts[kind];
}

const char *tp_path_group_text(enum tp_path_group group)
{
    static const char *const texts[TP_GROUPS] = {"host", "input",   "compute",    "communication",
                                                 "copy", "latency", "unexplained"};
    return texts[group];
}

const char *tp_edge_reason_text(enum tp_edge_reason reason)
{
    static const char *const texts[TP_EDGE_REASONS] = {"program",  "launch", "stream", "event",   "wait",    "queue",
                                                       "handover", "return", "graph",  "follows", "arrival", "peer"};
    return texts[reason];
}
