/* A preloaded library whose constructor calls NVTX before most other constructors run. The program calls early_work
 * later. */
#include "tests/fake/nvtx_part.h"

__attribute__((visibility("default"))) void early_work(void);

__attribute__((constructor)) static void work_before_main(void)
{
    nvtx_load();
    nvtxRangePushA("in a constructor");
    nvtxRangePop();
}

void early_work(void)
{
    nvtxRangePushA("early work");
    nvtxRangePop();
}
