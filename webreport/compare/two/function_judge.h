/* Which functions of a program recorded from outside take more or less processor time than before.
 *
 * A function's time is known as well as its samples are many: of n samples the relative standard error is 1/sqrt(n).
 * Runs differ beside: by TP_FUNCTION_NOISE, a guess. The logarithm of
 * the quotient of both sides' times is judged against both, all functions together at 1 %. docs/diff.md. */
#ifndef TP_WEBREPORT_COMPARE_TWO_FUNCTION_JUDGE_H
#define TP_WEBREPORT_COMPARE_TWO_FUNCTION_JUDGE_H

#include "webreport/compare/two/changes.h"

#define TP_FUNCTION_NOISE 0.06       /* guessed relative standard deviation of a function's time between runs */
#define TP_FUNCTION_LEAST_SHARE 0.02 /* of the base's processor time, that a change is told from */
enum { TP_FUNCTION_LEAST_SAMPLES = 10 }; /* of both sides, for a function to be judged */

/* Fills interval and verdict of the changes of functions, and changes->functions. Nothing where not both sides have
 * functions. The changes' times are filled. */
void tp_functions_judge(struct tp_changes *changes, const struct tp_sides *sides);

#endif
