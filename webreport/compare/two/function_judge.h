/* Finds functions of a program recorded from outside that take more or less processor time than before.
 *
 * The time of a function with n samples has the relative standard error 1/sqrt(n). In addition, runs differ by about
 * TP_FUNCTION_NOISE. The logarithm of the ratio of both sides' times is tested against both errors. The
 * false-positive rate is 1 % for all functions together. See docs/diff.md. */
#ifndef TP_WEBREPORT_COMPARE_TWO_FUNCTION_JUDGE_H
#define TP_WEBREPORT_COMPARE_TWO_FUNCTION_JUDGE_H

#include "webreport/compare/two/changes.h"

#define TP_FUNCTION_NOISE 0.06 /* estimated relative standard deviation of a function's time between runs */
#define TP_FUNCTION_LEAST_SHARE                                                                                        \
    0.02 /* smallest change that gets a verdict, as a share of the base's processor time                               \
          */
/* smallest number of samples on both sides together with which a function is tested */
enum { TP_FUNCTION_LEAST_SAMPLES = 10 };

/* Fills interval and verdict of the changes of functions, and changes->functions. The caller fills the times of the
 * changes before the call. Does nothing if a side has no functions. */
void tp_functions_judge(struct tp_changes *changes, const struct tp_sides *sides);

#endif
