/* Pages of torch's documentation that several rules name: addresses as string literals. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_LINKS_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_LINKS_H

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

#endif
