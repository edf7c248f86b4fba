// Every type that a signature may name.
#include <stdint.h>

int8_t negate8(int8_t x) { return -x; }
int16_t negate16(int16_t x) { return -x; }
int32_t negate32(int32_t x) { return -x; }
int64_t negate64(int64_t x) { return -x; }
int8_t not1(_Bool x) { return !x; }
float half(float x) { return x / 2; }
double third(double x) { return x / 3; }
void *same(void *p) { return p; }
void nothing(void) {}

int64_t digits(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h, int64_t i) {
    return ((((((((a * 10 + b) * 10 + c) * 10 + d) * 10 + e) * 10 + f) * 10 + g) * 10 + h) * 10 + i);
}
double tenth(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j) {
    return j;
}
double mixed(int8_t a, float b, int64_t c, double d, int16_t e) { return a + b + (double)c + d + e; }

int32_t out_all(int8_t *a, int16_t *b, int32_t x, int32_t *c, int64_t *d, float *e, double *f, void **g) {
    *a = -1, *b = -2, *c = x, *d = -4, *e = 0.5f, *f = 0.25, *g = (void *)16;
    return 9;
}
