/* Student's distribution, for degrees of freedom that need not be whole. Pure functions. */
#ifndef TP_WRITER_BASE_STUDENT_H
#define TP_WRITER_BASE_STUDENT_H

/* The quantile `p` with `freedom` degrees, to some 1e-12 of it; NaN unless 0 < p < 1 and freedom > 0. */
double tp_student_quantile(double p, double freedom);

/* The share of the distribution farther from 0 than `t`, both tails together: 1 for 0. freedom > 0. */
double tp_student_tails(double t, double freedom);

#endif
