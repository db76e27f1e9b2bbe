/* Parts of a kernel's meaning, which the readers of the kinds of names fill. See kernel_meaning.h. */
#ifndef TP_WRITER_TEXT_KERNEL_PARTS_H
#define TP_WRITER_TEXT_KERNEL_PARTS_H

enum tp_kernel_detail {
    TP_KERNEL_VARIANT,   /* options of the algorithm, such as "splitK" or "with a scalar" */
    TP_KERNEL_LAYOUT,    /* layouts of a product, such as "tn" */
    TP_KERNEL_STAGES,    /* pipeline, such as "3 stages" */
    TP_KERNEL_ALIGNMENT, /* alignment of the data, such as "align 8" */
    TP_KERNEL_ACCESS,    /* how memory is read, such as "4 at a time" */
    TP_KERNEL_LIBRARY,   /* library and architecture, such as "cutlass 80" */
    TP_KERNEL_FUNCTION,  /* function of the kernel, such as "CatArrayBatchedCopy_contig" */
    TP_KERNEL_INSTANCE,  /* number of a Triton kernel, or memories of a copy, such as "Device -> Pinned" */
    TP_KERNEL_DETAILS
};

/* All texts are constants, in the arena, or part of the name. */
struct tp_kernel_meaning {
    const char *action;                     /* what the kernel does, such as "GEMM" */
    const char *type;                       /* type of the data, such as "bf16"; NULL if unknown */
    const char *second_type;                /* type of the second operand, if it differs; NULL otherwise */
    const char *tile;                       /* sizes of the tile, with multiplication signs; NULL if unknown */
    const char *remark;                     /* text after a comma, such as "strided"; NULL: no text */
    const char *details[TP_KERNEL_DETAILS]; /* details of this kernel; NULL for unknown ones */
};

#endif
