// Says when it comes and goes, to the host, through its slot.
#include <stdint.h>
#include <stdio.h>

__attribute__((section(".data.rel.ro.relo"), visibility("protected"), used)) volatile uint64_t *volatile slot_host = 0;

__attribute__((constructor)) static void come(void) {
    puts("constructed");
    fflush(stdout);
}
__attribute__((destructor)) static void go(void) {
    if (slot_host) *slot_host += 1;
}
uint64_t count(void) { return *slot_host; }
