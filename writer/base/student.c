/* Implements Student's distribution: see student.h. */
#include "writer/base/student.h"

#include <math.h>
#include <stdbool.h>

/* Computes the continued fraction of the incomplete beta function by Lentz's method (Press et al., Numerical Recipes,
 * 6.4). */
static double incomplete_beta_fraction(double a, double b, double x)
{
    enum { MAX_TERMS = 300 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    h = d;
    for (int m = 1; m <= MAX_TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        h *= d * (fabs(c) < tiny ? tiny : c);
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        step = d * (fabs(c) < tiny ? tiny : c);
        h *= step;
        if (fabs(step - 1) < 1e-14)
            break;
    }
    return h;
}

/* Returns the regularized incomplete beta function I_x(a, b). */
static double regularized_incomplete_beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x > 0;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * incomplete_beta_fraction(a, b, x) / a;
    return 1 - front * incomplete_beta_fraction(b, a, 1 - x) / b;
}

double tp_student_tail_probability(double t, double freedom)
{
    return regularized_incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

/* Returns the probability density of Student's distribution at t. */
static double student_density(double t, double freedom)
{
    return exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - (freedom + 1) / 2 * log1p(t * t / freedom)) /
           sqrt(freedom * acos(-1));
}

/* Uses Newton's method with an upper and a lower bound, because the tail probability decreases monotonically. */
double tp_student_quantile(double p, double freedom)
{
    double tail = p < 0.5 ? p : 1 - p, low = 0, high = INFINITY, t = 2;
    if (!(p > 0 && p < 1 && freedom > 0))
        return NAN;
    /* limits the degrees of freedom: with more of them, the continued fraction loses digits, and the distribution
     * practically stays the same */
    if (freedom > 1e6)
        freedom = 1e6;
    for (int i = 0; i < 200; i++) {
        double over = tp_student_tail_probability(t, freedom) / 2 - tail, next;
        if (over > 0)
            low = t;
        else
            high = t;
        next = t + over / student_density(t, freedom);
        if (!(next > low && next < high))
            next = isinf(high) ? 2 * t : (low + high) / 2;
        bool is_found = fabs(next - t) <= 1e-12 * t;
        t = next;
        if (is_found)
            break;
    }
    return p < 0.5 ? -t : t;
}
