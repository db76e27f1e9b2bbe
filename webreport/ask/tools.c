/* The table of tools: see tools.h. */
#include "webreport/ask/tools.h"

#define BIT(argument) (1u << TP_ASK_##argument)

const struct tp_tool tp_tools[] = {
    {"traces", "The traces under the roots.", BIT(LIMIT) | BIT(CURSOR), 0, 20, tp_tool_traces},
    {"digest", "What bounds the run, its numbers and findings. Begin here.", BIT(TRACE) | BIT(MAX_BYTES), BIT(TRACE), 0,
     tp_tool_digest},
    {"explain", "One finding: why, the ceiling of its gain, how sure, what to try. Or the times of a name (k:).",
     BIT(TRACE) | BIT(ID) | BIT(MAX_BYTES), BIT(TRACE) | BIT(ID), 0, tp_tool_explain},
    {"evidence", "The events that a finding rests on, with file and line.", BIT(TRACE) | BIT(ID) | BIT(CURSOR),
     BIT(TRACE) | BIT(ID), 0, tp_tool_evidence},
    {"rows",
     "Rows of a table, filtered. Tables: kernels, operators, steps, events, memory, ranges, findings, metrics, times, "
     "overlap, collectives, counters, documentation.",
     BIT(TRACE) | BIT(TABLE) | BIT(WHERE) | BIT(LIMIT) | BIT(CURSOR) | BIT(MAX_BYTES), BIT(TRACE) | BIT(TABLE), 20,
     tp_tool_rows},
    {"sql", "One read-only SQLite query. Aggregate; table documentation defines tables and columns.",
     BIT(TRACE) | BIT(QUERY) | BIT(LIMIT) | BIT(CURSOR) | BIT(MAX_BYTES), BIT(TRACE) | BIT(QUERY), 50, tp_tool_sql},
    {"whatif", "The step after a change, by replay.", BIT(TRACE) | BIT(CHANGES) | BIT(MAX_BYTES), BIT(TRACE), 0,
     tp_tool_whatif},
    {"diff", "What changed between two runs, and whether it exceeds the noise.",
     BIT(BASELINE) | BIT(TRACE) | BIT(MAX_BYTES), BIT(BASELINE) | BIT(TRACE), 0, tp_tool_diff},
    {NULL, NULL, 0, 0, 0, NULL}};

const struct tp_tool *tp_tool_find(struct tp_str name)
{
    for (const struct tp_tool *tool = tp_tools; tool->name; tool++)
        if (tp_str_equal(name, tp_str_of(tool->name)))
            return tool;
    return NULL;
}
