//===- Confine.cpp - Functions left out of a module -----------------------===//
//
// A function that can't be made portable is left out, and whatever needs it: callers, data with its address that is
// nobody else's, and who uses that. What others may see and what runs by itself can't be left out unnoticed.
//
//===----------------------------------------------------------------------===//

#include "llvm-c/Core.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace {

/// Lists of the linker's and of tools: to stand in them is no use.
bool isBookkeeping(const GlobalValue &value) {
  StringRef name = value.getName();
  return name == "llvm.used" || name == "llvm.compiler.used" || name == "llvm.global.annotations";
}

class Confine {
public:
  MapVector<GlobalValue *, std::string> gone;
  std::string error;

  void add(GlobalValue *value, const Twine &reason) {
    if (gone.insert({value, reason.str()}).second)
      work.push_back(value);
  }

  /// Follows the uses of everything that is left out.
  bool close() {
    while (!work.empty() && error.empty()) {
      GlobalValue *value = work.pop_back_val();
      SmallPtrSet<User *, 16> seen;
      users(value, value, seen);
    }
    return error.empty();
  }

private:
  void users(Value *value, GlobalValue *needed, SmallPtrSetImpl<User *> &seen) {
    for (User *user : value->users()) {
      if (!seen.insert(user).second)
        continue;
      std::string reason = ("it needs `" + needed->getName() + "`").str();
      if (auto *instruction = dyn_cast<Instruction>(user)) {
        add(instruction->getFunction(), reason);
      } else if (auto *function = dyn_cast<Function>(user)) {
        add(function, reason);
      } else if (auto *global = dyn_cast<GlobalValue>(user)) {
        if (isBookkeeping(*global))
          continue;
        if (!global->hasLocalLinkage()) {
          error = ("`" + global->getName() + "` holds the address of `" + needed->getName() + "`").str();
          return;
        }
        add(global, reason);
      } else {
        users(user, needed, seen);
      }
    }
  }

  SmallVector<GlobalValue *> work;
};

} // namespace

extern "C" {

/// Takes functions out of a module, each with its reason, and what needs them; calls back with each function that went.
/// An error's text is for `LLVMDisposeMessage`; nothing has changed then.
char *reloTakeOut(LLVMModuleRef raw, const char *const *names, const char *const *reasons, size_t count, void *user,
                  void (*each)(void *, const char *, size_t, const char *, size_t)) {
  Module &module = *unwrap(raw);
  Confine confine;
  for (size_t index = 0; index < count; ++index)
    if (Function *function = module.getFunction(names[index]))
      confine.add(function, reasons[index]);
  if (!confine.close())
    return LLVMCreateMessage(confine.error.c_str());
  removeFromUsedLists(module, [&](Constant *member) {
    auto *value = dyn_cast<GlobalValue>(member->stripPointerCasts());
    return value && confine.gone.contains(value);
  });
  for (auto &[value, reason] : confine.gone) {
    if (isa<Function>(value))
      each(user, value->getName().data(), value->getName().size(), reason.data(), reason.size());
    if (auto *function = dyn_cast<Function>(value))
      function->deleteBody();
    else if (auto *variable = dyn_cast<GlobalVariable>(value))
      variable->setInitializer(nullptr);
  }
  for (auto &[value, reason] : confine.gone) {
    value->replaceAllUsesWith(Constant::getNullValue(value->getType()));
    value->eraseFromParent();
  }
  return nullptr;
}
}
