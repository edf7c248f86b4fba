//===- Erase.cpp - Globals that nothing needs any more --------------------===//
//
// What rules erased goes, unless something that stays refers to it: a function that MLIR does not see may, or data. Those
// that refer only to each other go together. Each use and each initialiser is looked at once.
//
//===----------------------------------------------------------------------===//

#include "View.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// Whether code that stays uses a constant, or a global that does.
static bool isNeeded(const Constant *constant, const SmallSetVector<GlobalValue *, 16> &gone,
                     SmallPtrSetImpl<const Constant *> &seen) {
  return any_of(constant->users(), [&](const User *user) {
    auto stays = [&](const GlobalValue *global) { return !gone.contains(const_cast<GlobalValue *>(global)); };
    if (auto *instruction = dyn_cast<Instruction>(user))
      return stays(instruction->getFunction());
    if (auto *global = dyn_cast<GlobalValue>(user))
      return stays(global);
    auto *part = cast<Constant>(user);
    return seen.insert(part).second && isNeeded(part, gone, seen);
  });
}

/// The globals whose addresses are in a user's operands, and in a function's code.
static void held(const User *user, SmallPtrSetImpl<const Constant *> &seen, SmallVectorImpl<GlobalValue *> &found) {
  if (auto *function = dyn_cast<Function>(user))
    for (const Instruction &instruction : instructions(function))
      held(&instruction, seen, found);
  for (const Value *operand : user->operands()) {
    auto *part = dyn_cast<Constant>(operand);
    if (!part || !seen.insert(part).second)
      continue;
    if (auto *global = dyn_cast<GlobalValue>(part))
      found.push_back(const_cast<GlobalValue *>(global));
    else
      held(part, seen, found);
  }
}

void reloEraseUnused(SmallSetVector<GlobalValue *, 16> &gone) {
  SmallVector<GlobalValue *> stays;
  for (GlobalValue *global : gone) {
    global->removeDeadConstantUsers();
    SmallPtrSet<const Constant *, 16> seen;
    if (isNeeded(global, gone, seen))
      stays.push_back(global);
  }
  while (!stays.empty()) {
    GlobalValue *global = stays.pop_back_val();
    SmallPtrSet<const Constant *, 16> seen;
    if (gone.remove(global))
      held(global, seen, stays);
  }
  for (GlobalValue *global : gone)
    if (auto *function = dyn_cast<Function>(global))
      function->dropAllReferences();
    else
      global->dropAllReferences();
  for (GlobalValue *global : gone) {
    global->removeDeadConstantUsers();
    global->eraseFromParent();
  }
}
