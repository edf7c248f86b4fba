// A small language's process, which runs code that another process compiled: host PROGRAM.so
//
// Each thread has a session of its own, with its own objects, and loads the program into it again and again; all of them
// call one image that they share. What the code refers to is kept by roots, which this host counts.
#include <math.h>
#include <pthread.h>
#include <relo.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 25, CALLS = 1000 };

// A session: the objects that the program knows by key. `factor` lies 16 bytes into its object.
typedef struct {
    _Atomic long counter;
    double factor[3];
    bool has_factor;
    atomic_int roots, finished;
} session;

static const char *path;
static atomic_int failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "host.c:%d: not so: %s\n", __LINE__, #condition);                                          \
            atomic_fetch_add(&failures, 1);                                                                            \
        }                                                                                                              \
    } while (0)

static bool resolve(void *user, const relo_referent *referent, relo_resolved *resolved) {
    session *here = user;
    if (referent->kind != RELO_KIND_OBJECT || strcmp(referent->runtime, "toy") != 0) return false;
    if (strcmp(referent->key, "counter") == 0) {
        resolved->word = (uint64_t)(uintptr_t)&here->counter;
    } else if (strcmp(referent->key, "factor") == 0 && here->has_factor) {
        resolved->word = (uint64_t)(uintptr_t)here->factor;
    } else {
        resolved->reason = "this session has no such object";
        return false;
    }
    resolved->root = here;
    return true;
}
static void retain(void *user, void *root) { atomic_fetch_add(&((session *)root)->roots, user == root ? 1 : 1000); }
static void release(void *user, void *root) { atomic_fetch_sub(&((session *)root)->roots, user == root ? 1 : 1000); }
static void finish(void *user) { atomic_fetch_add(&((session *)user)->finished, 1); }

static void tell(relo_error *error) {
    if (!error) return;
    fprintf(stderr, "%s: %s\n", relo_error_code(error), relo_error_message(error));
    for (size_t index = 0; index < relo_error_count(error); index++)
        fprintf(stderr, "  %s\n", relo_error_detail(error, index));
    if (relo_error_help(error)) fprintf(stderr, "  help: %s\n", relo_error_help(error));
    atomic_fetch_add(&failures, 1);
    relo_error_free(error);
}

static relo_resolver *resolver_of(session *here) {
    const char *const allowed[] = {"libm.so.6"};
    const relo_host host = {sizeof host, here, resolve, retain, release, finish};
    relo_resolver *resolver = relo_resolver_new();
    tell(relo_resolver_add_host(resolver, &host));
    tell(relo_resolver_add_process(resolver, allowed, 1));
    return resolver;
}

static void *address(const relo_image *image, const char *name) {
    void *found = NULL;
    tell(relo_image_address(image, name, &found));
    return found;
}

// One session: loads, calls and unloads; then finds an object missing.
static void run_session(long number) {
    session here = {.factor = {0, 0, (double)number}, .has_factor = true};
    relo_resolver *resolver = resolver_of(&here);
    relo_image *image = NULL;
    tell(relo_load_file(path, NULL, resolver, 0, &image));
    if (!image) return;
    CHECK(atomic_load(&here.roots) == 2);
    long (*count)(long) = (long (*)(long))address(image, "count");
    double (*wave)(double) = (double (*)(double))address(image, "wave");
    CHECK(count(number) == number && count(1) == number + 1 && here.counter == number + 1);
    CHECK(wave(0.5) == cos(0.5) * (double)number);

    here.has_factor = false;
    relo_image *none = NULL;
    relo_error *error = relo_load_file(path, NULL, resolver, 0, &none);
    CHECK(error && !none && strcmp(relo_error_code(error), "relo::load::unresolved") == 0);
    CHECK(relo_error_count(error) == 1 && strcmp(relo_error_referent(error, 0)->key, "factor") == 0);
    CHECK(strstr(relo_error_detail(error, 0), "this session has no such object"));
    relo_error_free(error);
    CHECK(atomic_load(&here.roots) == 2); // nothing of the second load is left

    relo_resolver_free(resolver);
    CHECK(here.finished == 0 && count(0) == number + 1); // the image still needs the host
    relo_image_unload(image);
    CHECK(here.roots == 0 && here.finished == 1);
}

static void *run_thread(void *shared) {
    long (*count)(long) = (long (*)(long))address(shared, "count");
    for (long round = 1; round <= ROUNDS; round++) run_session(round);
    for (int call = 0; call < CALLS; call++) count(1);
    return NULL;
}

// The artifact and its manifest from memory, and what is refused.
static char *slurp(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    char *bytes = malloc(1 << 20);
    *size = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
    if (file) fclose(file);
    return bytes;
}

static void from_memory(const relo_resolver *resolver) {
    char name[4096];
    size_t artifact_size, manifest_size;
    char *artifact = slurp(path, &artifact_size);
    snprintf(name, sizeof name, "%s.reloc.json", path);
    char *manifest = slurp(name, &manifest_size);
    relo_image *image = NULL;
    tell(relo_load_memory(artifact, artifact_size, manifest, manifest_size, resolver, 0, &image));
    CHECK(image && relo_image_count(image) == 2 && strcmp(relo_image_entry(image, 0), "count") == 0);
    CHECK(relo_image_entry(image, 2) == NULL);
    relo_image_unload(image);

    artifact[artifact_size / 2] ^= 1;
    relo_error *error = relo_load_memory(artifact, artifact_size, manifest, manifest_size, resolver, 0, &image);
    CHECK(error && strcmp(relo_error_code(error), "relo::load::hash") == 0);
    relo_error_free(error);
    error = relo_load_memory(artifact, artifact_size, manifest, manifest_size / 2, resolver, 0, &image);
    CHECK(error && strcmp(relo_error_code(error), "relo::manifest::format") == 0);
    relo_error_free(error);
    error = relo_load_file(NULL, NULL, resolver, 0, &image);
    CHECK(error && strcmp(relo_error_code(error), "relo::capi::argument") == 0);
    relo_error_free(error);
    free(artifact);
    free(manifest);
}

int main(int count, char **arguments) {
    if (count != 2 || relo_abi() != RELO_ABI) return 2;
    path = arguments[1];
    session all = {.factor = {0, 0, 1}, .has_factor = true};
    relo_resolver *resolver = resolver_of(&all);
    relo_image *image = NULL;
    tell(relo_load_file(path, NULL, resolver, 0, &image));
    if (!image) return 1;
    pthread_t threads[THREADS];
    for (int thread = 0; thread < THREADS; thread++) pthread_create(&threads[thread], NULL, run_thread, image);
    for (int thread = 0; thread < THREADS; thread++) pthread_join(threads[thread], NULL);
    CHECK(all.counter == THREADS * CALLS);
    from_memory(resolver);
    relo_image_unload(image);
    relo_resolver_free(resolver);
    CHECK(all.roots == 0 && all.finished == 1);
    if (failures) return 1;
    printf("relo %s: %d sessions, and one that %d threads shared\n", relo_version(), THREADS * ROUNDS, THREADS);
    return 0;
}
