/* Student's distribution, also for fractional degrees of freedom. Pure functions. */
#ifndef TP_WRITER_BASE_STUDENT_H
#define TP_WRITER_BASE_STUDENT_H

/* Returns the quantile of probability `p` with `freedom` degrees of freedom, with a relative error of about 1e-12.
 * Returns NaN unless 0 < p < 1 and freedom > 0. */
double tp_student_quantile(double p, double freedom);

/* Returns the probability that a value is farther from 0 than `t`, in either direction; 1 for t = 0. freedom > 0. */
double tp_student_tail_probability(double t, double freedom);

#endif
