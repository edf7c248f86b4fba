#include <stdatomic.h>
#include <string.h>

_Thread_local int calls __attribute__((tls_model("initial-exec")));
static const char *const names[] = {"zero", "one", "two"};
_Atomic unsigned total;

struct pair { long first; char second[7]; } __attribute__((packed));

const char *name(unsigned index) {
    calls++;
    return index < 3 ? names[index] : 0;
}

long sum(const struct pair *pairs, unsigned long count) {
    long result = 0;
    for (unsigned long i = 0; i < count; i++) result += pairs[i].first + pairs[i].second[i % 7];
    atomic_fetch_add_explicit(&total, (unsigned)result, memory_order_relaxed);
    return result;
}

__attribute__((cold, noinline)) void clear(void *p, unsigned long n) { memset(p, 0, n); }
