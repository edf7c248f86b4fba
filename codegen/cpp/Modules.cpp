//===- Modules.cpp - LLVM's linker, and what a site's entry points at -----===//

#include "llvm-c/Core.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

extern "C" {

/// Links a module into another and consumes it; what LLVM has to say goes to the context's handler.
bool reloLinkModules(LLVMModuleRef destination, LLVMModuleRef source, bool onlyNeeded) {
  unsigned flags = onlyNeeded ? Linker::Flags::LinkOnlyNeeded : Linker::Flags::None;
  return !Linker::linkModules(*unwrap(destination), std::unique_ptr<Module>(unwrap(source)), flags);
}

/// The global variable that a constant is an address in, and where; null where it is none. LLVM's passes merge globals,
/// and leave an address inside the merged one.
LLVMValueRef reloPlace(LLVMModuleRef module, LLVMValueRef value, int64_t *offset) {
  auto *constant = dyn_cast_or_null<Constant>(unwrap(value));
  if (!constant || !constant->getType()->isPointerTy())
    return nullptr;
  const DataLayout &layout = unwrap(module)->getDataLayout();
  APInt inside(layout.getIndexTypeSizeInBits(constant->getType()), 0);
  auto *global = dyn_cast<GlobalVariable>(
      constant->stripAndAccumulateConstantOffsets(layout, inside, /*AllowNonInbounds=*/true));
  *offset = inside.getSExtValue();
  return wrap(global);
}

/// Puts a global on the list of those that passes keep whole.
void reloKeep(LLVMModuleRef module, LLVMValueRef global) {
  appendToCompilerUsed(*unwrap(module), {unwrap<GlobalValue>(global)});
}

/// Takes a global off that list.
void reloRelease(LLVMModuleRef module, LLVMValueRef global) {
  auto *released = unwrap<GlobalValue>(global);
  removeFromUsedLists(*unwrap(module), [&](Constant *constant) { return constant->stripPointerCasts() == released; });
}

/// Forgets constants with a global's address that nothing uses: functions that went have left them.
void reloForgetUnusedConstants(LLVMValueRef global) { unwrap<Constant>(global)->removeDeadConstantUsers(); }

/// Forgets a module's named metadata of one name.
void reloDropMetadata(LLVMModuleRef module, const char *name) {
  if (NamedMDNode *node = unwrap(module)->getNamedMetadata(name))
    node->eraseFromParent();
}
}
