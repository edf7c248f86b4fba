// An artifact as relo makes it: slots and a record among the data that the dynamic linker seals, code that reads them.
#include <stdint.h>

#define SEALED __attribute__((section(".data.rel.ro.relo"), visibility("protected"), used))
#define KEPT __attribute__((visibility("protected"), used))

SEALED volatile uint64_t slot_cos = 0;
SEALED volatile uint64_t slot_inside = 0;
SEALED volatile uint64_t slot_object = 0;
SEALED volatile uint64_t slot_word = 0;
SEALED volatile struct {
    uint64_t header;
    double payload;
    uint64_t more[2];
} box = {0, 1.5, {7, 0}};
static volatile uint64_t local __attribute__((section(".data.rel.ro.relo"))) = 0;
KEPT volatile uint32_t slot_small = 0;
KEPT volatile uint64_t slot_plain = 0;
KEPT volatile uint64_t baked = 77;
// No site may be here.
KEPT const uint64_t constant = 1;
__thread volatile uint64_t each_thread = 1;

double call_cos(double x) { return ((double (*)(double))slot_cos)(x); }
uint64_t object(void) { return slot_object; }
uint64_t inside(void) { return slot_inside; }
uint64_t word(void) { return slot_word; }
uint64_t plain(void) { return slot_plain; }
uint32_t small(void) { return slot_small; }
uint64_t header(void) { return box.header; }
double payload(void) { return box.payload; }
uint64_t read_local(void) { return local; }
uint64_t last(void) { return box.more[1]; }

// As Numba's functions are called: status, result through a pointer, exception through another.
int32_t numba(double *result, void **exception, double x) {
    *result = call_cos(x) + (double)slot_plain;
    *exception = 0;
    return 0;
}
