// OpenCL C: words of the host as program-scope variables.
#define HOST(what) __attribute__((annotate("reloc:" what)))

global HOST("object:toy:type float") ulong type_float;
global HOST("word:rt_small_typeof+8@librt.so") ulong small_type;

kernel void tags(global const ulong *in, global uchar *out, uint n) {
    for (uint i = 0; i < n; i++)
        out[i] = (in[i] == type_float) + 2 * (in[i] == small_type);
}
