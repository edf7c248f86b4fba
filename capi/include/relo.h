/* relo: compiled code that survives the session that compiled it. Loads what `relo compile` wrote.
 *
 * A call that can fail returns an error, or NULL where all went well. What a call returns as `const` belongs to what it
 * was asked of. Everything may be used by several threads at once; what is freed must not be in use. No call throws,
 * unwinds or ends the process. */

#ifndef RELO_H
#define RELO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of this interface. It grows when a host has to be compiled again.
#define RELO_ABI 1

// Load also an artifact that is valid only in the session that compiled it: the caller knows that this is the one.
#define RELO_BOUND 1

// The kinds of referent.
typedef enum relo_kind {
  // An identity that the host knows by a key.
  RELO_KIND_OBJECT = 0,
  // The address of a named function or datum.
  RELO_KIND_SYMBOL = 1,
  // The word that is stored at a symbol plus an offset.
  RELO_KIND_WORD = 2,
} relo_kind;

// Why a call failed.
typedef struct relo_error relo_error;

// A loaded artifact.
typedef struct relo_image relo_image;

// Resolvers, asked in the order in which they were added: the first that knows a referent answers.
typedef struct relo_resolver relo_resolver;

// What a host reference refers to. What its kind has not is NULL or 0.
typedef struct relo_referent {
  // Which of the others count.
  enum relo_kind kind;
  // Of an object: the language runtime that owns it.
  const char *runtime;
  // Of an object: the runtime's own name of it.
  const char *key;
  // Of a symbol or word: the name.
  const char *symbol;
  // Of a symbol or word: the library that defines it, NULL for anywhere in the process.
  const char *library;
  // Of a word: bytes from the symbol to it.
  uint64_t offset;
} relo_referent;

// What a host says about a referent.
typedef struct relo_resolved {
  // The word: an object's or symbol's address, or what is stored there. relo adds addends itself.
  uint64_t word;
  // What keeps the word valid, or NULL.
  void *root;
  // Where there is no word: why, as a sentence without a full stop, or NULL. It is copied.
  const char *reason;
} relo_resolved;

// A host, as callbacks. They are called by the threads that load and unload, by several at once where several do.
// They must return: by longjmp or an exception of C++ they may not leave.
typedef struct relo_host {
  // `sizeof(relo_host)`, so that later versions can tell what the host knows of.
  size_t size;
  // Handed to each callback.
  void *user;
  // Gives the word of a referent: true where there is one. Everything in `resolved` is 0 before.
  bool (*resolve)(void *user, const struct relo_referent *referent, struct relo_resolved *resolved);
  // Called once for each root that is given, before `resolve` is called again; or NULL.
  void (*retain)(void *user, void *root);
  // Called once for each root that is given, when its image is unloaded or was not loaded after all; or NULL.
  void (*release)(void *user, void *root);
  // Called once when no resolver and no image needs the host any more; or NULL.
  void (*finish)(void *user);
} relo_host;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the interface that the library has: a host compares it with `RELO_ABI`.
uint32_t relo_abi(void);

// The version of relo, as text.
const char *relo_version(void);

// Frees an error; NULL is none.
//
// # Safety
// A call returned it, and it was not freed before.
void relo_error_free(struct relo_error *error);

// What kind of error it is, as in `relo::load::unresolved`: stable, for programs.
const char *relo_error_code(const struct relo_error *error);

// What is wrong: a sentence.
const char *relo_error_message(const struct relo_error *error);

// What to do about it, or NULL.
const char *relo_error_help(const struct relo_error *error);

// How many details there are: of referents that can't be resolved each is one, and of contradictions in a manifest.
size_t relo_error_count(const struct relo_error *error);

// What is wrong with a detail, counted from 0; NULL past the last.
const char *relo_error_detail(const struct relo_error *error, size_t index);

// The referent that a detail is about; NULL where it is about none.
const struct relo_referent *relo_error_referent(const struct relo_error *error, size_t index);

// Loads a shared object that `relo compile` wrote, with the words of this session in it. The manifest is the file beside
// it, `ARTIFACT.reloc.json`, where it is given as NULL. `flags` is 0 or `RELO_BOUND`.
//
// # Safety
// The texts are C strings, the resolver is alive, and `image` is where the result may be written. The artifact's code
// is trusted: its initialisers run.
struct relo_error *relo_load_file(const char *artifact,
                                  const char *manifest,
                                  const struct relo_resolver *resolver,
                                  uint32_t flags,
                                  struct relo_image **image);

// As `relo_load_file`, for an artifact and a manifest in memory. Both are copied.
//
// # Safety
// As for `relo_load_file`, and memory has so many bytes.
struct relo_error *relo_load_memory(const void *artifact,
                                    size_t artifact_size,
                                    const char *manifest,
                                    size_t manifest_size,
                                    const struct relo_resolver *resolver,
                                    uint32_t flags,
                                    struct relo_image **image);

// Unloads an image, then releases its roots; NULL is none. Its code must not be running, nor be called again.
//
// # Safety
// A call returned it, and it was not unloaded before.
void relo_image_unload(struct relo_image *image);

// The address of a function or datum that the artifact exports.
//
// # Safety
// The name is a C string, and `address` is where the result may be written.
struct relo_error *relo_image_address(const struct relo_image *image, const char *name, void **address);

// How many functions the manifest names.
size_t relo_image_count(const struct relo_image *image);

// The name of a function that the manifest names, counted from 0; NULL past the last.
const char *relo_image_entry(const struct relo_image *image, size_t index);

// Makes a resolver that knows nothing yet.
struct relo_resolver *relo_resolver_new(void);

// Frees a resolver; NULL is none. Images that it resolved for stay as they are.
//
// # Safety
// `relo_resolver_new` returned it, it was not freed before, and no call uses it.
void relo_resolver_free(struct relo_resolver *resolver);

// Adds a host. The struct is copied.
//
// # Safety
// The callbacks are of these types, and may be called until `finish` was.
struct relo_error *relo_resolver_add_host(const struct relo_resolver *resolver, const struct relo_host *host);

// Adds what this process has: symbols and words of its program and of libraries that are loaded. Of other libraries,
// those in the list may be loaded, by the names that referents give, or as paths.
//
// # Safety
// The list has so many C strings.
struct relo_error *relo_resolver_add_process(const struct relo_resolver *resolver,
                                             const char *const *libraries,
                                             size_t count);

// Adds a session table of this session, as JSON: each of its addresses is what its target resolves to.
//
// # Safety
// The JSON has so many bytes.
struct relo_error *relo_resolver_add_session(const struct relo_resolver *resolver,
                                             const char *json,
                                             size_t size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RELO_H */
