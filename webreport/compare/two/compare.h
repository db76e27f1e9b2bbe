/* Compares two sides, and gives the verdict and tables with all details. BASE and NEW are one or several runs of a
 * program each, as summaries. Values are per step unless the name of the column says otherwise. compare_tables.c
 * defines the columns. The headers of statistics, comparability, matching and changes define the methods. */
#ifndef TP_WEBREPORT_COMPARE_TWO_COMPARE_H
#define TP_WEBREPORT_COMPARE_TWO_COMPARE_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/two/changes.h"
#include "webreport/compare/two/difftree.h"
#include "webreport/compare/two/work_sides.h"
#include "writer/base/table.h"

enum tp_compare_table {
    TP_COMPARE_CHANGES, /* the reported changes that no other change causes */
    TP_COMPARE_STEP,    /* the parts of the change of the step's time, shown as a waterfall */
    TP_COMPARE_OPERATORS_DEVICE,
    TP_COMPARE_OPERATORS_HOST,
    TP_COMPARE_KERNELS,
    TP_COMPARE_COPIES,
    TP_COMPARE_SYNCS,
    TP_COMPARE_MODULES_DEVICE,
    TP_COMPARE_MODULES_HOST,
    TP_COMPARE_RUNTIME,
    /* functions of programs recorded from outside; empty for other programs, as is the next table */
    TP_COMPARE_FUNCTIONS,
    TP_COMPARE_WALL,
    TP_COMPARE_MEMORY,
    TP_COMPARE_OWNERS,
    TP_COMPARE_SERVING, /* classes of the steps of a serving engine; empty for other programs */
    TP_COMPARE_FINDINGS,
    TP_COMPARE_FACTS,
    TP_COMPARE_TABLES
};

/* Returns whether an empty table is omitted: tables of serving engines, and of programs recorded from outside. */
static inline bool tp_compare_omits_empty_table(enum tp_compare_table table)
{
    return table == TP_COMPARE_SERVING || table == TP_COMPARE_FUNCTIONS || table == TP_COMPARE_WALL;
}

/* Columns of the tables of rows. These are the tables from TP_COMPARE_CHANGES to TP_COMPARE_WALL, except
 * TP_COMPARE_STEP. */
enum tp_row_column {
    TP_ROW_KIND,
    TP_ROW_NAME,
    TP_ROW_OWNER,
    TP_ROW_SHAPE,
    TP_ROW_DTYPE,
    TP_ROW_LINE,
    TP_ROW_MATCH,
    TP_ROW_BASE_NAME,
    TP_ROW_VERDICT,
    TP_ROW_IS_REPORTED,
    TP_ROW_CAUSE,
    TP_ROW_BASE_CALLS,
    TP_ROW_NEW_CALLS,
    TP_ROW_BASE_TIME,
    TP_ROW_NEW_TIME,
    TP_ROW_CHANGE,
    TP_ROW_BY_COUNT,
    TP_ROW_BY_TIME,
    TP_ROW_LOW,
    TP_ROW_HIGH,
    TP_ROW_SHARE,
    TP_ROW_BASE_CALL,
    TP_ROW_NEW_CALL,
    TP_ROW_COLUMNS
};

enum tp_part_column {
    TP_PART_NAME,
    TP_PART_BASE,
    TP_PART_NEW,
    TP_PART_CHANGE,
    TP_PART_LOW,
    TP_PART_HIGH,
    TP_PART_SHARE,
    TP_PART_VERDICT,
    TP_PART_COLUMNS
};

enum tp_memory_diff_column {
    TP_MEMORY_DIFF_DEVICE,
    TP_MEMORY_DIFF_BASE,
    TP_MEMORY_DIFF_NEW,
    TP_MEMORY_DIFF_CHANGE,
    TP_MEMORY_DIFF_BASE_RESERVED,
    TP_MEMORY_DIFF_NEW_RESERVED,
    TP_MEMORY_DIFF_BASE_CREEP,
    TP_MEMORY_DIFF_NEW_CREEP,
    TP_MEMORY_DIFF_VERDICT,
    TP_MEMORY_DIFF_COLUMNS
};

enum tp_owner_diff_column {
    TP_OWNER_DIFF_DEVICE,
    TP_OWNER_DIFF_KIND,
    TP_OWNER_DIFF_NAME,
    TP_OWNER_DIFF_BASE,
    TP_OWNER_DIFF_NEW,
    TP_OWNER_DIFF_CHANGE,
    TP_OWNER_DIFF_BASE_BLOCKS,
    TP_OWNER_DIFF_NEW_BLOCKS,
    TP_OWNER_DIFF_VERDICT,
    TP_OWNER_DIFF_COLUMNS
};

enum tp_serving_diff_column {
    TP_SERVING_DIFF_CLASS,
    TP_SERVING_DIFF_BASE_P50,
    TP_SERVING_DIFF_NEW_P50,
    TP_SERVING_DIFF_CHANGE,
    TP_SERVING_DIFF_PERCENT,
    TP_SERVING_DIFF_BASE_P90,
    TP_SERVING_DIFF_NEW_P90,
    TP_SERVING_DIFF_COLUMNS
};

enum tp_finding_diff_column {
    TP_FINDING_DIFF_RULE,
    TP_FINDING_DIFF_TITLE,
    TP_FINDING_DIFF_STATUS,
    TP_FINDING_DIFF_BASE_SEVERITY,
    TP_FINDING_DIFF_NEW_SEVERITY,
    TP_FINDING_DIFF_BASE_CEILING,
    TP_FINDING_DIFF_NEW_CEILING,
    TP_FINDING_DIFF_BASE_COUNT,
    TP_FINDING_DIFF_NEW_COUNT,
    TP_FINDING_DIFF_LINE,
    TP_FINDING_DIFF_COLUMNS
};

enum tp_fact_column { TP_FACT_NAME, TP_FACT_BASE, TP_FACT_NEW, TP_FACT_VERDICT, TP_FACT_CLASS, TP_FACT_COLUMNS };

struct tp_compare_options {
    /* smallest relative change for a verdict (0.03 is 3 %), 0 or more; the whole interval must exceed the threshold */
    double threshold;
};

struct tp_compare {
    struct tp_arena *arena;
    const char *names[TP_SIDES];
    struct tp_compare_options options;
    struct tp_sides sides;
    struct tp_comparability comparability;
    struct tp_work_diff work; /* differences in the work of the steps, found by exact counts */
    struct tp_matches matches;
    struct tp_changes changes;
    struct tp_numbered_lines lines;        /* source lines of generated kernels on the new side */
    struct tp_difftree tree;               /* merged call tree; its count is 0 if a side has no call tree */
    struct tp_total totals[TP_QUANTITIES]; /* total of each quantity; TP_QUANTITY_ROW is not set */
    double step_ns[TP_SIDES];              /* median length of a step, ns */
    /* reason why an input allows no verdict, such as "new: the file is cut, .."; "" if there is no damage */
    const char *damage;
    bool is_data_unknown; /* true: nothing is damaged, but an input cannot show data that the other side shows */
    /* true: a budget limit includes added or changed work; the verdict is then always regressed */
    bool has_change_in_limited_work;
    bool was_machine_busy; /* true: all host rows changed by one factor, so that the machine was busy on one side */
    /* true: an input is damaged or the sides are not comparable, so that the verdict is neither improved nor
     * regressed */
    bool is_open;
    enum tp_change_verdict memory_verdict, verdict;
    /* number of reported changes that no other change explains, for each verdict */
    uint32_t regressed_count, improved_count, replaced_count, hint_count;
    struct tp_table tables[TP_COMPARE_TABLES];
};

/* Returns the verdict on times and memory, computed from the totals, the memory and the changes of rows. */
enum tp_change_verdict tp_compare_judge(const struct tp_compare *compare);

/* Returns the verdict as text: "work changed", "other workload", or the verdict on the times, such as "regressed" or
 * "neutral". */
const char *tp_compare_verdict_word(const struct tp_compare *compare);

/* Returns whether the compared runs are too noisy to detect that a step takes twice as long. */
bool tp_compare_is_too_noisy(const struct tp_compare *compare);

/* Returns whether a gate fails on this comparison, because a row, a total or the memory regressed. A comparison in
 * which only totals improved does not fail. */
bool tp_compare_has_regressed(const struct tp_compare *compare);

/* Return the key of a table in JSON, such as "kernels", and its title for people. The texts are static. */
const char *tp_compare_table_key(enum tp_compare_table table);
const char *tp_compare_table_title(enum tp_compare_table table);

/* Returns the tokens per second in a side's decode or prefill steps, as the median of its runs; NaN if no run has
 * such steps. */
double tp_compare_serving_rate(const struct tp_compare *compare, int side, bool is_decode);

/* ---- stages of a comparison (compare_memory.c, compare_tables.c, serving_diff.c) ---- */

/* Fills the table TP_COMPARE_SERVING. */
void tp_compare_build_serving(struct tp_compare *compare);

/* Fills the tables TP_COMPARE_MEMORY and TP_COMPARE_OWNERS, and memory_verdict. */
void tp_compare_build_memory(struct tp_compare *compare);
/* Fills all tables except those of serving and memory. */
void tp_compare_fill_tables(struct tp_compare *compare);

#endif
