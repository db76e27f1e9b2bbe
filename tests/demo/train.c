/* A small real training run that records itself: a network learns which letter follows in a text.
 *
 *     train TEXT LOGDIR [STEPS]      LOGDIR "-": it does not record itself
 *
 * Embedding, hidden layer, softmax; forward and backward by hand, matrix products on a pool of threads. Two things in
 * it are slow on purpose, for the report to find: the loader reads the whole text again for every batch, and the
 * optimizer updates a few numbers at a time. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/tracepress.h"

enum { VOCABULARY = 96, CONTEXT = 8, EMBEDDED = 16, INPUT = CONTEXT * EMBEDDED, HIDDEN = 128, BATCH = 64, THREADS = 2 };

/* ---- memory, recorded ---- */

static int64_t allocated;

static void note_memory(const void *block, int64_t bytes)
{
    allocated += bytes;
    tracepress_memory_note(&(struct tracepress_memory){.size = sizeof(struct tracepress_memory),
                                                       .address = (uint64_t)(uintptr_t)block,
                                                       .bytes = bytes,
                                                       .total_allocated = allocated,
                                                       .total_reserved = 0,
                                                       .device_type = TRACEPRESS_CPU,
                                                       .device_id = -1});
}

struct matrix {
    int64_t rows, columns;
    float *at;
};

static struct matrix make_matrix(int64_t rows, int64_t columns)
{
    struct matrix m = {rows, columns, calloc((size_t)(rows * columns), sizeof(float))};
    if (!m.at)
        exit(1);
    note_memory(m.at, rows * columns * (int64_t)sizeof(float));
    return m;
}

static void drop_matrix(struct matrix *m)
{
    note_memory(m->at, -m->rows * m->columns * (int64_t)sizeof(float));
    free(m->at);
    m->at = NULL;
}

/* ---- operators, recorded with their shapes ---- */

static uint64_t sequence;

static void begin_operator(const char *text, const struct matrix *a, const struct matrix *b, uint64_t number,
                           int backward)
{
    const int64_t dims[2][2] = {{a->rows, a->columns}, {b ? b->rows : 0, b ? b->columns : 0}};
    const struct tracepress_input inputs[2] = {{TRACEPRESS_FLOAT, 2, dims[0]}, {TRACEPRESS_FLOAT, 2, dims[1]}};
    struct tracepress_operator call = {.size = sizeof(struct tracepress_operator),
                                       .input_size = sizeof(struct tracepress_input),
                                       .inputs = inputs,
                                       .input_count = b ? 2 : 1,
                                       .sequence = number,
                                       .is_backward = backward};
    if (b)
        call.flops = (uint64_t)(2 * a->rows * a->columns * b->columns);
    tracepress_operator_begin(tracepress_intern(text), &call);
}

/* ---- a pool of threads that multiply matrices ---- */

struct product {
    const struct matrix *a, *b;
    struct matrix *out;
    int is_a_turned, is_b_turned;
};

static struct pool {
    pthread_t threads[THREADS];
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct product product;
    int round, left, is_over;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static float element(const struct matrix *m, int is_turned, int64_t row, int64_t column)
{
    return is_turned ? m->at[column * m->columns + row] : m->at[row * m->columns + column];
}

/* Computes every THREADS-th row of the product, beginning with row `first`. */
static void multiply_rows(const struct product *p, int first)
{
    TRACEPRESS_SCOPE("multiply_rows");
    int64_t inner = p->is_a_turned ? p->a->rows : p->a->columns;
    for (int64_t i = first; i < p->out->rows; i += THREADS)
        for (int64_t k = 0; k < inner; k++) {
            float x = element(p->a, p->is_a_turned, i, k);
            for (int64_t j = 0; j < p->out->columns; j++)
                p->out->at[i * p->out->columns + j] += x * element(p->b, p->is_b_turned, k, j);
        }
}

static void *run_worker(void *argument)
{
    int number = (int)(intptr_t)argument, seen = 0;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.round == seen && !pool.is_over)
            pthread_cond_wait(&pool.work, &pool.lock);
        if (pool.is_over)
            break;
        seen = pool.round;
        pthread_mutex_unlock(&pool.lock);
        multiply_rows(&pool.product, number);
        pthread_mutex_lock(&pool.lock);
        if (--pool.left == 0)
            pthread_cond_signal(&pool.done);
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

static void start_pool(void)
{
    for (int i = 0; i < THREADS; i++)
        pthread_create(&pool.threads[i], NULL, run_worker, (void *)(intptr_t)i);
}

static void stop_pool(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.is_over = 1;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(pool.threads[i], NULL);
}

/* Returns a * b. Either matrix can be transposed first. */
static struct matrix multiply(const struct matrix *a, int is_a_turned, const struct matrix *b, int is_b_turned,
                              uint64_t number, int is_backward)
{
    begin_operator("mm", a, b, number, is_backward);
    struct matrix out = make_matrix(is_a_turned ? a->columns : a->rows, is_b_turned ? b->rows : b->columns);
    pthread_mutex_lock(&pool.lock);
    pool.product = (struct product){a, b, &out, is_a_turned, is_b_turned};
    pool.left = THREADS;
    pool.round++;
    pthread_cond_broadcast(&pool.work);
    while (pool.left)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    tracepress_end();
    return out;
}

/* ---- the network ---- */

struct network {
    /* weights; a row belongs to a letter in `embedding`, to an input in `hidden`, to a hidden unit in `output` */
    struct matrix embedding, hidden, output;
};

struct batch {
    int letters[BATCH][CONTEXT], next[BATCH];
};

/* Results of the forward pass that the backward pass needs. */
struct activations {
    struct matrix input, hidden, scores;
    uint64_t first_sequence;
};

static void fill_randomly(struct matrix *m, float scale)
{
    static uint32_t seed = 1;
    for (int64_t i = 0; i < m->rows * m->columns; i++) {
        seed = seed * 1664525u + 1013904223u;
        m->at[i] = scale * ((float)(seed >> 8) / (float)(1 << 23) - 1.0f);
    }
}

static int letter_index(int c)
{
    return c >= 32 && c < 127 ? c - 32 : VOCABULARY - 1;
}

/* Loads a batch slowly on purpose: opens and reads the whole text for each sample. */
static void load_batch(struct batch *batch, const char *path, int step)
{
    TRACEPRESS_SCOPE("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
    for (int i = 0; i < BATCH; i++) {
        FILE *file = fopen(path, "rb");
        long size = 0;
        if (!file)
            exit(1);
        while (getc(file) != EOF)
            size++;
        long start = (long)(((uint64_t)(step * BATCH + i) * 2654435761u) % (uint64_t)(size - CONTEXT - 1));
        fseek(file, start, SEEK_SET);
        for (int k = 0; k < CONTEXT; k++)
            batch->letters[i][k] = letter_index(getc(file));
        batch->next[i] = letter_index(getc(file));
        fclose(file);
    }
}

static struct matrix embed(const struct network *net, const struct batch *batch)
{
    tracepress_module_begin(tracepress_intern("Embedding_0"));
    begin_operator("embedding", &net->embedding, NULL, ++sequence, 0);
    struct matrix input = make_matrix(BATCH, INPUT);
    for (int i = 0; i < BATCH; i++)
        for (int k = 0; k < CONTEXT; k++)
            memcpy(&input.at[i * INPUT + k * EMBEDDED], &net->embedding.at[batch->letters[i][k] * EMBEDDED],
                   EMBEDDED * sizeof(float));
    tracepress_end();
    tracepress_end();
    return input;
}

static void apply_tanh(struct matrix *m)
{
    begin_operator("tanh", m, NULL, ++sequence, 0);
    for (int64_t i = 0; i < m->rows * m->columns; i++)
        m->at[i] = tanhf(m->at[i]);
    tracepress_end();
}

static struct activations forward(const struct network *net, const struct batch *batch)
{
    TRACEPRESS_SCOPE("forward");
    struct activations a = {.first_sequence = sequence + 1};
    a.input = embed(net, batch);
    tracepress_module_begin(tracepress_intern("Linear_0"));
    a.hidden = multiply(&a.input, 0, &net->hidden, 0, ++sequence, 0);
    apply_tanh(&a.hidden);
    tracepress_end();
    tracepress_module_begin(tracepress_intern("Linear_1"));
    a.scores = multiply(&a.hidden, 0, &net->output, 0, ++sequence, 0);
    tracepress_end();
    return a;
}

/* Returns the mean cross entropy, and replaces the scores by their gradient. */
static double compute_loss(struct matrix *scores, const struct batch *batch)
{
    double loss = 0;
    begin_operator("cross_entropy_loss", scores, NULL, ++sequence, 0);
    for (int i = 0; i < BATCH; i++) {
        float *row = &scores->at[i * VOCABULARY], most = row[0];
        double sum = 0;
        for (int j = 1; j < VOCABULARY; j++)
            most = row[j] > most ? row[j] : most;
        for (int j = 0; j < VOCABULARY; j++)
            sum += exp((double)(row[j] - most));
        loss += log(sum) - (double)(row[batch->next[i]] - most);
        for (int j = 0; j < VOCABULARY; j++)
            row[j] = (float)(exp((double)(row[j] - most)) / sum - (j == batch->next[i])) / BATCH;
    }
    tracepress_end();
    return loss / BATCH;
}

/* Updates the weights. Slow on purpose: calls a separate operator for every few numbers. */
static void update(struct matrix *weights, const struct matrix *gradient, float rate)
{
    const int64_t few = 4, count = weights->rows * weights->columns;
    for (int64_t i = 0; i < count; i += few) {
        tracepress_operator_begin(tracepress_intern("sgd_"), NULL);
        for (int64_t j = i; j < i + few && j < count; j++)
            weights->at[j] -= rate * gradient->at[j];
        tracepress_end();
    }
}

static void run_backward(struct network *net, struct activations *a, const struct batch *batch, float rate)
{
    struct matrix output, hidden_error, hidden, input_error, embedding = make_matrix(VOCABULARY, EMBEDDED);
    {
        TRACEPRESS_SCOPE("backward");
        output = multiply(&a->hidden, 1, &a->scores, 0, a->first_sequence + 3, 1);
        hidden_error = multiply(&a->scores, 0, &net->output, 1, a->first_sequence + 3, 1);
        begin_operator("tanh_backward", &hidden_error, NULL, a->first_sequence + 2, 1);
        for (int64_t i = 0; i < hidden_error.rows * hidden_error.columns; i++)
            hidden_error.at[i] *= 1 - a->hidden.at[i] * a->hidden.at[i];
        tracepress_end();
        hidden = multiply(&a->input, 1, &hidden_error, 0, a->first_sequence + 1, 1);
        input_error = multiply(&hidden_error, 0, &net->hidden, 1, a->first_sequence + 1, 1);
        begin_operator("embedding_backward", &input_error, NULL, a->first_sequence, 1);
        for (int i = 0; i < BATCH; i++)
            for (int k = 0; k < INPUT; k++)
                embedding.at[batch->letters[i][k / EMBEDDED] * EMBEDDED + k % EMBEDDED] +=
                    input_error.at[i * INPUT + k];
        tracepress_end();
    }
    TRACEPRESS_SCOPE("Optimizer.step#SGD.step");
    update(&net->output, &output, rate);
    update(&net->hidden, &hidden, rate);
    update(&net->embedding, &embedding, rate);
    struct matrix *gone[] = {&output,   &hidden_error, &hidden,    &input_error, &embedding,
                             &a->input, &a->hidden,    &a->scores, NULL};
    for (struct matrix **m = gone; *m; m++)
        drop_matrix(*m);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: train TEXT LOGDIR [STEPS]\n");
        return 2;
    }
    int steps = argc > 3 ? atoi(argv[3]) : 12;
    struct network net = {make_matrix(VOCABULARY, EMBEDDED), make_matrix(INPUT, HIDDEN),
                          make_matrix(HIDDEN, VOCABULARY)};
    struct batch batch;
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    double loss = 0;
    options.with_flops = options.with_modules = 1;
    options.sample_rate = 1000;
    options.schedule = (struct tracepress_schedule){.wait = 1, .warmup = 1, .active = 6, .repeat = 1};
    options.handler = tracepress_tensorboard_trace_handler;
    options.directory = argv[2];
    fill_randomly(&net.embedding, 1.0f);
    fill_randomly(&net.hidden, 0.1f);
    fill_randomly(&net.output, 0.1f);
    start_pool();
    tracepress_metadata_json("batch_size", "64");
    if (strcmp(argv[2], "-") != 0)
        tracepress_start(&options);
    for (int step = 0; step < steps; step++) {
        load_batch(&batch, argv[1], step);
        struct activations a = forward(&net, &batch);
        loss = compute_loss(&a.scores, &batch);
        tracepress_counter(tracepress_intern("loss"), loss);
        run_backward(&net, &a, &batch, 0.5f);
        tracepress_step();
    }
    tracepress_stop();
    stop_pool();
    printf("loss after %d steps: %.2f\n", steps, loss);
    return 0;
}
