// CUDA, without CUDA's headers: words of the host in device memory, by section, by name, and by annotation.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))

extern __device__ __attribute__((section("reloc.toy"))) const unsigned long type_float;
extern __device__ const unsigned long rt_small_typeof[64];
// What a source defines is kept for the host to find: clang lists it as used.
__device__ __attribute__((annotate("reloc:object:toy:none"))) unsigned long none;

extern "C" __global__ void tags(const unsigned long *in, unsigned char *out, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        out[i] = (in[i] == type_float) + 2 * (in[i] == rt_small_typeof[1]) + 4 * (in[i] == none);
}
