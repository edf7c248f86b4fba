// A language whose compiler has a back end of its own: it writes IR with the addresses of this very process, lets relo bake
// what they refer to, and makes code of the bitcode by itself. host RELO LLC FOLDER
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// What the compiled code refers to: an object, and a tag that is compared with.
static long counter = 40;
static const char tag[16] = "tag of integers";

static void write_file(const char *folder, const char *name, const char *text) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) exit(2);
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    const char *folder = arguments[3];
    char text[8192];
    snprintf(text, sizeof text,
             "define i64 @bump(ptr %%tag) {\n"
             "  %%known = icmp eq ptr %%tag, inttoptr (i64 %ju to ptr)\n"
             "  br i1 %%known, label %%yes, label %%no\n"
             "yes:\n"
             "  %%old = load i64, ptr inttoptr (i64 %ju to ptr)\n"
             "  %%new = add i64 %%old, 2\n"
             "  store i64 %%new, ptr inttoptr (i64 %ju to ptr)\n"
             "  ret i64 %%new\n"
             "no:\n"
             "  ret i64 -1\n"
             "}\n",
             (uintmax_t)(uintptr_t)tag, (uintmax_t)(uintptr_t)&counter, (uintmax_t)(uintptr_t)&counter);
    write_file(folder, "program.ll", text);
    snprintf(text, sizeof text,
             "{\"entries\": [\n"
             "  {\"address\": \"0x%jx\", \"target\": {\"object\": {\"runtime\": \"toy\", \"key\": \"tag\"}}},\n"
             "  {\"address\": \"0x%jx\", \"target\": {\"object\": {\"runtime\": \"toy\", \"key\": \"counter\"}}}\n"
             "]}\n",
             (uintmax_t)(uintptr_t)tag, (uintmax_t)(uintptr_t)&counter);
    write_file(folder, "session.json", text);
    // relo bakes before anything is optimised; what comes after is this back end's.
    snprintf(text, sizeof text,
             "cd '%s' && '%s' compile program.ll --session session.json --target x86_64-linux --strategy bake --emit bitcode "
             "-O0 -o program.bc && '%s' -O2 -relocation-model=pic -filetype=obj program.bc -o program.o && cc -shared "
             "program.o -o program.so",
             folder, arguments[1], arguments[2]);
    if (system(text) != 0) return 1;
    snprintf(text, sizeof text, "%s/program.so", folder);
    void *program = dlopen(text, RTLD_NOW);
    long (*bump)(const void *) = program ? (long (*)(const void *))dlsym(program, "bump") : NULL;
    if (!bump) return 1;
    if (bump(tag) != 42 || counter != 42 || bump(text) != -1) return 1;
    printf("the code knows the tag, and bumped the counter to %ld\n", counter);
    return 0;
}
