/* Implements two functions of BLAS, for machines without BLAS. sgemm_ and cblas_dgemm call no other function. */
// NOLINTBEGIN(readability-function-size): BLAS defines these parameters
void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
void sgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const float *alpha,
            const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c,
            const int *ldc);

void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc)
{
    (void)order, (void)ta, (void)tb;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[i * lda + l] * b[l * ldb + j];
            c[i * ldc + j] = alpha * sum + beta * c[i * ldc + j];
        }
}

void sgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const float *alpha,
            const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c, const int *ldc)
{
    (void)ta, (void)tb;
    for (int j = 0; j < *n; j++)
        for (int i = 0; i < *m; i++) {
            float sum = 0;
            for (int l = 0; l < *k; l++)
                sum += a[l * *lda + i] * b[j * *ldb + l];
            c[j * *ldc + i] = *alpha * sum + *beta * c[j * *ldc + i];
        }
}
// NOLINTEND(readability-function-size)
