//===- Machine.cpp - The names that a target's machines have --------------===//

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>

using namespace llvm;

extern "C" {

/// Calls back with each processor and each feature that LLVM knows for a triple. LLVM itself ignores what it doesn't
/// know, and says so on stderr.
void reloMachineNames(LLVMTargetRef target, const char *triple, void *user,
                      void (*each)(void *, bool feature, const char *, size_t)) {
  std::unique_ptr<MCSubtargetInfo> info(
      reinterpret_cast<const Target *>(target)->createMCSubtargetInfo(Triple(triple), "", ""));
  if (!info)
    return;
  for (const SubtargetSubTypeKV &processor : info->getAllProcessorDescriptions())
    each(user, false, processor.Key, StringRef(processor.Key).size());
  for (const SubtargetFeatureKV &feature : info->getAllProcessorFeatures())
    each(user, true, feature.Key, StringRef(feature.Key).size());
}
}
