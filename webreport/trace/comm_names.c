/* Recognizes communication kernels by their names: see comm_names.h. All names are compared in lower case. */
#include "webreport/trace/comm_names.h"

/* Names of communication libraries, and names of kernels that occur only in these libraries. */
static const char *const libraries[] = {"nccl",
                                        "rccl",
                                        "msccl",
                                        "nvshmem",
                                        "rocshmem",
                                        "ishmem",
                                        "oneccl",
                                        "hccl",
                                        "hcom_",
                                        "xccl",
                                        "cncl",
                                        "deep_ep",
                                        "deepep",
                                        "mori::",
                                        "symm_mem",
                                        "symmetric_memory",
                                        "quickreduce",
                                        "quick_reduce",
                                        "quick_allreduce",
                                        "quick_all_reduce",
                                        "userbuffers",
                                        "mnnvl",
                                        "multimem_",
                                        "cross_device_reduce",
                                        "lamport",
                                        "intranode::",
                                        "internode::",
                                        "internode_ll::",
                                        "epdispatch",
                                        "epcombine",
                                        "moea2a",
                                        "a2a_dispatch",
                                        "a2a_combine",
                                        "ucc_kernel",
                                        NULL};

/* Names of collectives. A kernel with such a name communicates unless the name also contains a word of `others`. */
static const char *const collectives[] = {"allreduce",     "all_reduce",     "allgather", "all_gather",
                                          "reducescatter", "reduce_scatter", "alltoall",  "all_to_all",
                                          "all2all",       "sendrecv",       "send_recv", NULL};

/* Words in names of kernels that do not communicate between devices: kernels that reduce over the threads of a warp or
 * block, or that multiply matrices while other code communicates. */
static const char *const others[] = {"warp_all",  "warpall",   "block_all", "blockall", "thread_all",
                                     "threadall", "group_all", "groupall",  "cub::",    "softmax",
                                     "gemm",      "matmul",    NULL};

/* Prefixes of the names of kernels that compute. Inductor names a kernel after several operators, which may include
 * collectives. ATen has no kernels that communicate. */
static const char *const compute[] = {"triton_poi_", "triton_red_", "triton_per_",  "triton_tem_",
                                      "triton_for_", "triton_mm",   "at::native::", NULL};

static bool contains_any(struct tp_str text, const char *const *words)
{
    for (; *words; words++)
        if (tp_str_find_ignore_case(text, *words) >= 0)
            return true;
    return false;
}

bool tp_comm_is_compute_name(struct tp_str name)
{
    return contains_any(name, compute);
}

bool tp_comm_is_kernel_name(struct tp_str name)
{
    if (contains_any(name, compute))
        return false;
    return contains_any(name, libraries) || (contains_any(name, collectives) && !contains_any(name, others));
}
