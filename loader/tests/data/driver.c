// NVIDIA's driver as far as the loader uses it: it finds globals in the text of a module, keeps them in memory, and says
// what it was asked to do.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char said[1 << 16];
static const char *failing = "";
static char text[1 << 16];
static struct { char name[64]; size_t size; uint8_t memory[256]; } globals[16];
static int used, depth;

static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t length = strlen(said);
    vsnprintf(said + length, sizeof said - length, format, arguments);
    va_end(arguments);
}
static int answer(const char *function) { return strcmp(failing, function) == 0 ? 700 : 0; }

// For the tests.
const char *fake_said(void) { return said; }
void fake_fail(const char *function) { failing = function; }

int cuInit(unsigned flags) { return answer("init") + (int)flags; }
int cuGetErrorString(int code, const char **result) {
    *result = code == 700 ? "an illegal memory access was encountered" : NULL;
    return 0;
}
int cuDeviceGet(int *device, int number) {
    *device = number;
    return number < 2 ? 0 : 101;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    say("retain %d\n", device);
    *context = said;
    return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) { say("release %d\n", device); return 0; }
int cuCtxPushCurrent_v2(void *context) { depth++; return context == said ? 0 : 201; }
int cuCtxPopCurrent_v2(void **context) { depth--; *context = said; return 0; }
int cuCtxSynchronize(void) { say("synchronize\n"); return depth == 1 ? answer("synchronize") : 201; }
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
    if (depth != 1 || count || options || values || answer("load")) return 700;
    strncpy(text, image, sizeof text - 1);
    say("load\n");
    *module = text;
    return 0;
}
int cuModuleUnload(void *module) { say("unload\n"); return module == text && depth == 1 ? 0 : 400; }
int cuModuleGetGlobal_v2(uint64_t *address, size_t *size, void *module, const char *name) {
    if (module != text || depth != 1) return 400;
    char declared[80];
    snprintf(declared, sizeof declared, " %s", name);
    const char *found = strstr(text, declared);
    if (!found) return 500;
    found += strlen(declared);
    int index = used++;
    strncpy(globals[index].name, name, sizeof globals[index].name - 1);
    globals[index].size = *size = *found == '[' ? strtoul(found + 1, NULL, 10) : 8;
    *address = (uint64_t)globals[index].memory;
    return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
    char declared[80];
    snprintf(declared, sizeof declared, ".entry %s(", name);
    say("function %s\n", name);
    *function = strstr(module, declared);
    return *function && depth == 1 ? 0 : 500;
}
int cuMemcpyHtoD_v2(uint64_t address, const void *bytes, size_t size) {
    for (int index = 0; index < used; index++) {
        uint64_t start = (uint64_t)globals[index].memory;
        if (address < start || address + size > start + globals[index].size) continue;
        say("write %s+%llu:", globals[index].name, (unsigned long long)(address - start));
        for (size_t at = 0; at < size; at++) say(" %02x", ((const uint8_t *)bytes)[at]);
        say("\n");
        return depth == 1 ? answer("write") : 201;
    }
    say("write outside\n");
    return 1;
}
