// A library of the host.
#include <stdint.h>

uint64_t host_table[4] = {11, 22, 33, 44};
char host_text[16] = "12345678";
int host_function(void) { return 5; }
