//===- View.h - A module's view for MLIR, and the way back ----------------===//

#ifndef RELO_VIEW_H
#define RELO_VIEW_H

#include "llvm-c/Core.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

/// What connects a module with its clone.
struct ReloView {
  llvm::Module *original = nullptr;
  std::unique_ptr<llvm::Module> clone;
  /// The original of each global, by the clone's name.
  llvm::StringMap<llvm::GlobalValue *> originals;
  /// The original of each tagged instruction, by tag.
  std::vector<llvm::Instruction *> instructions;
  /// Functions whose bodies MLIR does not see, with the reason.
  std::map<std::string, std::string> opaque;
};

/// Erases these globals, except what something else needs, and what that holds the address of.
void reloEraseUnused(llvm::SmallSetVector<llvm::GlobalValue *, 16> &gone);

#endif
