/* new_delete: uses every form of C++ new and delete for 64 blocks of 1000000 bytes each, one form after the other.
 * Prints the peak of malloc_usable_size over all blocks. */
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <new>

static long held, peak;

static void *took(void *block)
{
    held += static_cast<long>(malloc_usable_size(block));
    peak = held > peak ? held : peak;
    return block;
}

int main()
{
    constexpr std::size_t size = 1000000, aligned = 1000064;
    constexpr std::align_val_t line{128};
    void *blocks[64];
    for (int i = 0; i < 64; i++) {
        switch (i % 5) {
        case 0: blocks[i] = took(::operator new(size)); break;
        case 1: blocks[i] = took(::operator new[](size)); break;
        case 2: blocks[i] = took(::operator new(size, std::nothrow)); break;
        case 3: blocks[i] = took(::operator new(aligned, line)); break;
        default: blocks[i] = took(::operator new[](aligned, line, std::nothrow)); break;
        }
    }
    for (int i = 0; i < 64; i++) {
        switch (i % 5) {
        case 0: ::operator delete(blocks[i], size); break;
        case 1: ::operator delete[](blocks[i]); break;
        case 2: ::operator delete(blocks[i]); break;
        case 3: ::operator delete(blocks[i], aligned, line); break;
        default: ::operator delete[](blocks[i], line); break;
        }
    }
    std::printf("%ld 64\n", peak);
    return 0;
}
