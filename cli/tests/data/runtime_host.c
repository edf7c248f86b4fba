// The runtime of examples/corpus/clang/host_runtime.c, with its data at fixed addresses: so a word is the same in the
// process that compiles and in the one that runs.
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ARENA 0x100000000000ull
// Symbols are made by the linker: rt_true = ARENA, … (see runtime.rs).
typedef struct { uint64_t tag; double payload; } box;

static box *const boxes = (box *)(ARENA + 0x1000);

static void *word(int i) { return &boxes[i].payload; }

__attribute__((constructor)) static void start(void) {
    void *arena = mmap((void *)ARENA, 0x4000, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (arena != (void *)ARENA) abort();
    void **words = (void **)ARENA;
    for (int i = 0; i < 5; i++) words[i] = word(i);                    // true, false, nothing, float64, int64
    for (int i = 0; i < 64; i++) words[32 + i] = word(16 + i);         // small_typeof
    words[32 + 5] = words[3];                                          // the tag 5 * 16 is Float64
    for (int i = 0; i < 128; i++) { boxes[i].tag = 5 * 16; boxes[i].payload = i + 0.5; }
    boxes[100].tag = (uint64_t)word(3);                                // a tag that is a type's address
    boxes[101].tag = 7 * 16;
}

double rt_unbox_float64(void *value) { return *(double *)value; }
