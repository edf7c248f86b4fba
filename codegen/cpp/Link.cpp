//===- Link.cpp - A shared object, linked in this process -----------------===//

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm-c/Core.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

extern "C" {

/// Runs lld's ELF linker. An error's text is for `LLVMDisposeMessage`.
char *reloLinkElf(const char *const *arguments, size_t count) {
  // lld keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string output;
  llvm::raw_string_ostream stream(output);
  bool ok = lld::elf::link(llvm::ArrayRef<const char *>(arguments, count), stream, stream, /*exitEarly=*/false,
                           /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();
  return ok ? nullptr : LLVMCreateMessage(output.empty() ? "the linker failed" : output.c_str());
}
}
