// Reads its words before anyone can call it: in an initialiser, from data of the file and from zeroed data.
#include <stdint.h>

__attribute__((section(".data.rel.ro.relo"), visibility("protected"), used)) volatile uint64_t slot_sealed = 0;
__attribute__((visibility("protected"), used)) volatile uint64_t slot_filled = 7;
__attribute__((visibility("protected"), used)) volatile uint64_t zeroed[2000];
uint64_t *volatile moved = (uint64_t *)&slot_filled;
static uint64_t seen[3];

__attribute__((constructor)) static void look(void) {
    seen[0] = slot_sealed;
    seen[1] = slot_filled;
    seen[2] = zeroed[1500] + zeroed[3];
}
uint64_t sealed(void) { return seen[0]; }
uint64_t filled(void) { return seen[1]; }
uint64_t zero(void) { return seen[2]; }
uint64_t rest(void) { return zeroed[0] + zeroed[1499] + zeroed[1999] + *moved; }
