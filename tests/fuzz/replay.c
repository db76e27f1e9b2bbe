/* Runs a fuzz target on the files named, without a fuzzing engine: what `make test` does with the corpora. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file || fseek(file, 0, SEEK_END))
            return 2;
        long size = ftell(file);
        rewind(file);
        uint8_t *data =
            size >= 0 ? malloc((size_t)size + (size == 0)) : NULL; /* exact: a sanitizer sees one byte too many */
        if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
            return 2;
        fclose(file);
        if (LLVMFuzzerTestOneInput(data, (size_t)size)) {
            printf("%s: the target refused it\n", argv[i]);
            return 1;
        }
        free(data);
    }
    return 0;
}
