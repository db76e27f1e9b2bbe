/* The job behind `tracepress report F.tps...`: the summaries of many ranks, beside each other on one page. */
#ifndef TP_WEBREPORT_CLI_RUN_JOB_H
#define TP_WEBREPORT_CLI_RUN_JOB_H

#include "webreport/cli/run_report.h"

/* 1 when every input is a summary, or a folder of summaries that holds no trace: then it is a job's. 0: none is.
 * TP_EUSAGE when some are, TP_ENOMEM, TP_ELIMIT. */
int tp_job_is_asked(const char *const *inputs, size_t input_count);

/* Runs it; of the report's options the inputs, the outputs and is_strict. Returns an exit code (enum tp_exit);
 * everything that went wrong has been said. */
int tp_job_run(const struct tp_report_job *options);

#endif
