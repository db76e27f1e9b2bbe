/* Texts of rules for programs that do not use PyTorch: see rule_words.h. */
#include "webreport/measure/rules/rule_words.h"

#include "webreport/measure/rules/rules_eval.h"

/* What the others say in place of PyTorch's words; NULL: the same. */
struct words {
    const char *title, *advice;
};

static const struct words native[TP_RULE_COUNT] = {
    [TP_RULE_A1] = {NULL, "Give every launch more work: larger batches, fused kernels, or a captured graph that "
                          "replays many launches at once."},
    [TP_RULE_A2] = {NULL, NULL},
    [TP_RULE_A3] = {NULL, "Merge small operations: batch them, or write one kernel for several."},
    [TP_RULE_A4] = {NULL, NULL},
    [TP_RULE_A5] = {NULL, "Keep the value on the device, read it every N steps, or copy it asynchronously into pinned "
                          "memory and look at it one step later."},
    [TP_RULE_A6] = {NULL, "Allocate for the largest size and keep the count on the device, so that the host need not "
                          "wait for it."},
    [TP_RULE_A8] = {NULL, NULL},
    [TP_RULE_A11] = {NULL, "Move this work to other threads or onto the device, cache it, or overlap it with the "
                           "device work of the previous batch."},
    [TP_RULE_A12] = {NULL, "Allocate once and reuse, or take memory from a pool (cudaMallocAsync). See also D2."},
    [TP_RULE_A13] = {NULL, NULL},
    [TP_RULE_B1] = {NULL, "Read ahead on other threads, keep more batches ready, or make reading and decoding "
                          "cheaper."},
    [TP_RULE_B2] = {"Input data is read by the thread that drives the device",
                    "Read on another thread, so that it overlaps the step."},
    [TP_RULE_B3] = {NULL, "Allocate the host side in pinned memory (cudaHostAlloc) and copy with cudaMemcpyAsync."},
    [TP_RULE_B4] = {NULL, NULL},
    [TP_RULE_B5] = {NULL, NULL},
    [TP_RULE_C1] = {NULL, "Allow TF32 in the library that multiplies (cuBLAS: CUBLAS_TF32_TENSOR_OP_MATH), or "
                          "multiply in half precision, where the accuracy permits."},
    [TP_RULE_C2] = {NULL, "Multiply in bfloat16 or float16 and add up in single precision."},
    [TP_RULE_C3] = {NULL, "Pad N and K of the products to a multiple of 8."},
    [TP_RULE_C6] = {"The optimizer launches kernels per array", "Update all parameters in one kernel over a list of "
                                                                "arrays."},
    [TP_RULE_C7] = {NULL, "Clear them with one set over one block of memory, or write them instead of adding."},
    [TP_RULE_C10] = {NULL, "Keep arrays in the type they are computed in; convert once and keep the result."},
    [TP_RULE_C11] = {NULL, "Pass offsets and strides instead of copying, and write into the place where the result is "
                           "wanted."},
    [TP_RULE_C13] = {NULL, NULL},
    [TP_RULE_D1] = {NULL, "Free what is needed no more, use a smaller type or batch, or spread the data over devices."},
    [TP_RULE_D2] = {NULL, "Keep sizes fixed and take memory from a pool that keeps what is freed "
                          "(cudaMemPoolAttrReleaseThreshold)."},
    [TP_RULE_D3] = {NULL, "Take blocks of few fixed sizes, and the large ones first."},
    [TP_RULE_E1] = {NULL, "Start communication as soon as its data is ready, in pieces, and compute meanwhile."},
    [TP_RULE_E3] = {NULL, NULL},
    [TP_RULE_H1] = {NULL, "Read ahead on other threads, keep more batches ready, or make reading and decoding "
                          "cheaper."},
    [TP_RULE_H2] = {"A loop takes an array apart element by element", "Replace the loop by one operation on the whole "
                                                                      "array."},
    [TP_RULE_H3] = {"The optimizer works array by array", "Update all parameters in one pass over a list of arrays."},
    [TP_RULE_H4] = {"Calls take longer while other threads make calls",
                    "Threads may compete for cores: lower OMP_NUM_THREADS, or run fewer threads or processes "
                    "on the machine."},
    [TP_RULE_H5] = {"Time goes to many small calls",
                    "Each call costs a few microseconds before it computes: batch the work, or join calls."},
    [TP_RULE_H6] = {"Host code outside of recorded calls",
                    "Record what runs there as ranges to see what it is; then move "
                    "it out of the step or onto other threads."},
    [TP_RULE_H7] = {NULL, "Keep one memory layout and type, work in place, write into preallocated outputs."},
    [TP_RULE_H8] = {NULL, "Start communication as soon as its data is ready, in pieces, and compute meanwhile."},
    [TP_RULE_D4] = {NULL, "Something keeps what each step makes: free it, or use it again."},
    [TP_RULE_H9] = {NULL, "Compile once, before the loop, and call the result."},
    [TP_RULE_H10] = {NULL, "Write every N steps, or hand a copy to another thread that writes it meanwhile."},
    [TP_RULE_H11] = {"Results are computed again", "Keep them where memory allows."},
    [TP_RULE_H12] = {NULL, "Collect between rounds of work, not in every step."},
    [TP_RULE_H13] = {"Debugging aids are on", "Leave checks of every value off in real runs."},
    [TP_RULE_H14] = {NULL,
                     "Compute in single precision where the accuracy permits: half the bytes, and half the time or "
                     "less."},
    [TP_RULE_H15] = {NULL, "Write the first one instead of adding it to zeros."},
    [TP_RULE_H16] = {NULL,
                     "Use one kernel for all of it: it keeps the two products and none of the passes through memory "
                     "between them."},
    [TP_RULE_H17] = {"Chains of elementwise calls each pass through memory", "Join them in one loop or one kernel."},
    [TP_RULE_H18] = {NULL, "Put the samples together and make one call."},
    [TP_RULE_H19] = {NULL, "Take more samples a step: reading the weights costs the same for each batch."},
    [TP_RULE_H20] = {NULL, "Put inputs of like size together, or limit the elements of a batch instead of its inputs."},
    [TP_RULE_H21] = {NULL, NULL},
    [TP_RULE_R1] = {NULL, NULL},
    [TP_RULE_R2] = {NULL, "Record several steps after a warm-up."},
    [TP_RULE_R3] = {NULL, "Warm up before the recording, and judge the later steps."},
    [TP_RULE_R4] = {NULL, NULL},
    [TP_RULE_R5] = {NULL, NULL},
    [TP_RULE_R6] = {NULL, "If several inputs wait at a time, work on them in one batch. This raises the throughput; a "
                          "single input is not ready sooner."},
    [TP_RULE_C14] = {NULL, NULL},
    [TP_RULE_C15] = {NULL, "Use one fused kernel for both products and the softmax between them."},
    [TP_RULE_C16] = {NULL, "Write one kernel for them: each of them reads and writes all of its data."},
    [TP_RULE_C17] =
        {NULL, "Tune this shape: another algorithm of the library, another layout, sizes that are multiples of 64."},
    [TP_RULE_C18] = {NULL, NULL},
    [TP_RULE_C19] = {"Results are computed twice", "Keep them where memory is left."},
    [TP_RULE_C20] = {NULL, "Keep the data in the layout that the library's kernels take."},
    [TP_RULE_C22] = {NULL, NULL},
    [TP_RULE_C23] = {NULL, NULL},
    [TP_RULE_C24] = {NULL, "Let the library use tensor cores: TF32, or half precision where the accuracy permits."},
    [TP_RULE_C25] = {NULL, "Where the accuracy permits, multiply in FP8."},
    [TP_RULE_C21] = {NULL, "Compute in single precision where the accuracy permits."},
    [TP_RULE_E4] = {NULL, "Put several arrays into one and send that."},
    [TP_RULE_E5] = {NULL, "See which way they go: peer-to-peer access that is switched off, a path through the host."},
    [TP_RULE_E6] = {NULL, "Start it one layer earlier."},
    [TP_RULE_E7] = {"One process copies data between devices in every step", "Use one process for each device."},
    [TP_RULE_E8] = {NULL, "Reduce once for each update, and add up before."},
    [TP_RULE_E9] = {"A single rank runs the code of a distributed program", "Leave that code out."},
    [TP_RULE_E10] = {NULL, "Send them when they change."},
    [TP_RULE_E11] = {NULL, "Divide the work into smaller pieces, so that stages wait less, or give all stages equal work."},
};

/* What is said of MPI in place of the words above. */
static const char overlap_of_mpi[] = "Start it with MPI_Isend, MPI_Irecv or MPI_Iallreduce as soon as its data is "
                                     "ready, and compute before MPI_Wait.";
static const struct words mpi[TP_RULE_COUNT] = {
    [TP_RULE_E1] = {NULL, overlap_of_mpi},
    [TP_RULE_H8] = {NULL, overlap_of_mpi},
    [TP_RULE_E4] = {NULL,
                    "Put several arrays into one buffer, or describe them with one MPI datatype, and make one call."},
    [TP_RULE_H4] = {NULL, "Threads may compete for cores: lower OMP_NUM_THREADS, bind ranks to cores of their own "
                          "(mpirun --bind-to), or start fewer ranks on a host."},
};

static const char *chosen(const char *first, const char *second, const char *third)
{
    return first ? first : second ? second : third;
}

struct tp_rule_words tp_rule_words(const struct tp_rule *rule, enum tp_producer producer)
{
    static const struct words none;
    unsigned count;
    size_t at = (size_t)(rule - tp_rules(&count));
    if (tp_speaks_torch(producer))
        return (struct tp_rule_words){rule->title, rule->advice, rule->doc_url};
    const struct words *of_mpi = producer == TP_PRODUCER_MPI ? &mpi[at] : &none;
    return (struct tp_rule_words){chosen(of_mpi->title, native[at].title, rule->title),
                                  chosen(of_mpi->advice, native[at].advice, rule->advice), NULL};
}

struct tp_rule_words tp_rule_words_of(struct tp_str id, enum tp_producer producer)
{
    unsigned count;
    const struct tp_rule *rules = tp_rules(&count);
    for (unsigned i = 0; i < count; i++)
        if (tp_str_equal(id, tp_str_of(rules[i].id)))
            return tp_rule_words(&rules[i], producer);
    return (struct tp_rule_words){NULL, NULL, NULL};
}
