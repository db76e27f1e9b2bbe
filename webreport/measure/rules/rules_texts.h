/* String literals that the rows of several rules share: pages of PyTorch's documentation, and parts of advice. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_TEXTS_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_TEXTS_H

#define DOC_TUNE "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html"
#define DOC_GRAPH "https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs"
#define DOC_CUDA "https://docs.pytorch.org/docs/stable/notes/cuda.html"
#define DOC_DATA "https://docs.pytorch.org/docs/stable/data.html"
#define DOC_AMP "https://docs.pytorch.org/docs/stable/amp.html"
#define DOC_OPT "https://docs.pytorch.org/docs/stable/optim.html"
#define DOC_THREADS "https://docs.pytorch.org/docs/stable/notes/cpu_threading_torchscript_inference.html"
#define DOC_PROFILER "https://docs.pytorch.org/docs/stable/profiler.html"
#define DOC_ATTENTION                                                                                                  \
    "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html"
#define DOC_COMPILE "https://docs.pytorch.org/docs/stable/torch.compiler.html"
#define DOC_CHECKPOINT "https://docs.pytorch.org/docs/stable/checkpoint.html"
#define DOC_DIST "https://docs.pytorch.org/docs/stable/notes/ddp.html"
#define DOC_DDP "https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html"

#define GRAPH_OPTIONS                                                                                                  \
    "In vLLM, omit --enforce-eager, and include the batch sizes in --cudagraph-capture-sizes. In SGLang, omit "        \
    "--disable-cuda-graph, and set --cuda-graph-max-bs to the batch size or more. In TensorRT-LLM, set "               \
    "cuda_graph_config."
#define OVERLAP                                                                                                        \
    "Let the engine prepare the next step while the device works. In vLLM, set --async-scheduling. In SGLang, omit "   \
    "--disable-overlap-schedule. In TensorRT-LLM, omit disable_overlap_scheduler."
#define LESS_COMMUNICATION "use fewer devices for each copy of the model, or more copies of the model"
#define OVERLAP_WITH_MPI                                                                                               \
    "Start communication with MPI_Isend, MPI_Irecv or MPI_Iallreduce as soon as its data is ready, and compute "       \
    "before MPI_Wait."

#endif
