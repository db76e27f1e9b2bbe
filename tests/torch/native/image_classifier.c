/* image_classifier FORM STEPS: classifies batches of images as darknet does. Each layer of a batch starts its own
 * threads for its matrix product. Other threads, which exit with the batch, make the images.
 *
 * FORM "written": as described. "pool": the same threads live as long as the program and take the work from a queue. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, LOADERS = 8, IMAGES = 32, LAYERS = 12, ROWS = 32, INNER = 64, COLUMNS = 64 };

struct work {
    void (*run)(struct work *);
    int part;
    float *a, *b, *c;
    unsigned seed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct work *queue[64];
static int queued, unfinished, is_pool;
static long images_made;

static void *serve(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!queued)
            pthread_cond_wait(&changed, &lock);
        struct work *work = queue[--queued];
        pthread_mutex_unlock(&lock);
        work->run(work);
        pthread_mutex_lock(&lock);
        if (--unfinished == 0)
            pthread_cond_broadcast(&changed);
    }
    return NULL;
}

static void *run_once(void *work)
{
    ((struct work *)work)->run(work);
    return NULL;
}

static void run_all(struct work *works, int count)
{
    pthread_t threads[64];
    if (!is_pool) {
        for (int i = 0; i < count; i++)
            pthread_create(&threads[i], NULL, run_once, &works[i]);
        for (int i = 0; i < count; i++)
            pthread_join(threads[i], NULL);
        return;
    }
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++)
        queue[queued++] = &works[i];
    unfinished = count;
    pthread_cond_broadcast(&changed);
    while (unfinished)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void multiply(struct work *w)
{
    for (int i = w->part * ROWS / THREADS; i < (w->part + 1) * ROWS / THREADS; i++)
        for (int k = 0; k < INNER; k++) {
            float a = w->a[i * INNER + k];
            for (int j = 0; j < COLUMNS; j++)
                w->c[i * COLUMNS + j] += a * w->b[k * COLUMNS + j];
        }
}

static void make_images(struct work *w)
{
    for (int image = w->part; image < IMAGES; image += LOADERS) {
        for (int i = 0; i < INNER * COLUMNS; i++) {
            w->seed = w->seed * 1664525u + 1013904223u;
            w->b[image * INNER * COLUMNS + i] = (float)(w->seed >> 8) / (float)(1 << 24);
        }
        pthread_mutex_lock(&lock);
        images_made++;
        pthread_mutex_unlock(&lock);
    }
}

static void classify_batch(float *images, float *weights, float *out)
{
    struct work works[LOADERS];
    for (int i = 0; i < LOADERS; i++)
        works[i] = (struct work){.run = make_images, .part = i, .b = images, .seed = (unsigned)i};
    run_all(works, LOADERS);
    for (int image = 0; image < IMAGES; image++)
        for (int layer = 0; layer < LAYERS; layer++) {
            memset(out, 0, sizeof(float) * ROWS * COLUMNS);
            for (int i = 0; i < THREADS; i++)
                works[i] = (struct work){.run = multiply,
                                         .part = i,
                                         .a = weights + layer * ROWS * INNER,
                                         .b = images + image * INNER * COLUMNS,
                                         .c = out};
            run_all(works, THREADS);
        }
}

int main(int argc, char **argv)
{
    float *images = calloc(IMAGES * INNER * COLUMNS, sizeof(float)),
          *weights = calloc(LAYERS * ROWS * INNER, sizeof(float)), *out = calloc(ROWS * COLUMNS, sizeof(float));
    is_pool = argc > 1 && strcmp(argv[1], "pool") == 0;
    for (int i = 0; i < LAYERS * ROWS * INNER; i++)
        weights[i] = (float)(i % 7) - 3;
    for (int i = 0; is_pool && i < THREADS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, serve, NULL);
    }
    for (int step = argc > 2 ? atoi(argv[2]) : 20; step > 0; step--)
        classify_batch(images, weights, out);
    printf("%ld images, %g\n", images_made, (double)out[0]);
    return 0;
}
