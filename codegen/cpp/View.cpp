//===- View.cpp - What MLIR sees of a module ------------------------------===//
//
// The module as parsed stays the base of everything. MLIR gets a clone in which each instruction with something
// that MLIR loses is tagged, so that Merge.cpp finds the original of what comes back.
//
//===----------------------------------------------------------------------===//

#include "View.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

/// Whether MLIR's import fails on a constant, wherever it is nested.
bool isForeign(const Constant *constant, DenseMap<const Constant *, bool> &known) {
  if (isa<GlobalValue>(constant))
    return false;
  auto [entry, inserted] = known.try_emplace(constant, false);
  if (!inserted)
    return entry->second;
  bool foreign = isa<NoCFIValue, ConstantPtrAuth>(constant);
  for (const Use &operand : constant->operands())
    if (auto *inner = dyn_cast<Constant>(operand))
      foreign = foreign || isForeign(inner, known);
  known[constant] = foreign;
  return foreign;
}

/// What MLIR's import can't carry of an instruction; empty for nothing.
StringRef foreignPart(const Instruction &instruction, DenseMap<const Constant *, bool> &known) {
  if (isa<CallBrInst>(instruction))
    return "asm goto (callbr)";
  if (instruction.isEHPad() && !isa<LandingPadInst>(instruction))
    return "funclet exception handling";
  if (isa<CleanupReturnInst, CatchReturnInst>(instruction))
    return "funclet exception handling";
  if (isa<ConstrainedFPIntrinsic>(instruction))
    return "constrained floating point";
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    if (!isa<DbgInfoIntrinsic>(call))
      for (const Use &argument : call->args())
        if (isa<MetadataAsValue>(argument))
          return "an intrinsic with a metadata argument";
  for (const Use &operand : instruction.operands())
    if (auto *constant = dyn_cast<Constant>(operand))
      if (isForeign(constant, known))
        return "a constant that MLIR has no word for";
  return {};
}

/// Whether something of an instruction may not come back from MLIR.
bool needsTag(const Instruction &instruction) {
  return instruction.hasMetadata() || isa<CallBase, ICmpInst, GetElementPtrInst, AllocaInst>(instruction) ||
         instruction.hasDbgRecords();
}

} // namespace

extern "C" {

/// Makes the view of a module. `opaque` names functions whose bodies MLIR shall not see.
ReloView *reloViewCreate(LLVMModuleRef original, const char *const *opaque, size_t opaqueCount) {
  Module &module = *unwrap(original);
  auto view = std::make_unique<ReloView>();
  view->original = &module;
  ValueToValueMapTy map;
  view->clone = CloneModule(module, map);
  StringSet<> asked;
  for (size_t index = 0; index < opaqueCount; ++index)
    asked.insert(opaque[index]);
  unsigned number = 0;
  DenseMap<const Constant *, bool> known;
  unsigned kind = module.getContext().getMDKindID("reloc.carry");
  auto *word = Type::getInt64Ty(module.getContext());

  for (GlobalValue &global : module.global_values()) {
    auto *copy = cast<GlobalValue>(map[&global]);
    auto *function = dyn_cast<Function>(&global);
    // MLIR takes every `llvm.` name for an intrinsic that it knows, and wants a name for everything.
    if (!copy->hasName() ||
        (function && function->getName().starts_with("llvm.") && function->getIntrinsicID() == Intrinsic::not_intrinsic))
      copy->setName("relo.view." + Twine(number++));
    view->originals[copy->getName()] = &global;
    if (auto *variable = dyn_cast<GlobalVariable>(&global)) {
      if (variable->hasInitializer() && isForeign(variable->getInitializer(), known)) {
        auto *declared = cast<GlobalVariable>(copy);
        declared->setInitializer(nullptr);
        declared->setLinkage(GlobalValue::ExternalLinkage);
        declared->setComdat(nullptr);
      }
    }
  }
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto *copy = cast<Function>(map[&function]);
    StringRef reason;
    if (asked.contains(function.getName()))
      reason = "something that MLIR's import refuses";
    for (Instruction &instruction : instructions(function))
      if (reason.empty())
        reason = foreignPart(instruction, known);
    if (!reason.empty()) {
      view->opaque[function.getName().str()] = reason.str();
      copy->deleteBody();
      copy->setComdat(nullptr);
      continue;
    }
    bool all = function.getSubprogram() != nullptr;
    for (auto [instruction, twin] : llvm::zip_equal(instructions(function), instructions(*copy))) {
      bool bundles = isa<CallBase>(instruction) && cast<CallBase>(instruction).hasOperandBundles();
      if (bundles)
        for (Value *operand : instruction.operand_values())
          if (auto *defined = dyn_cast<Instruction>(operand))
            if (auto *there = dyn_cast_or_null<Instruction>(map.lookup(defined)))
              if (!there->getMetadata(kind)) {
                there->setMetadata(kind, MDNode::get(module.getContext(), ConstantAsMetadata::get(ConstantInt::get(
                                                                               word, view->instructions.size()))));
                view->instructions.push_back(defined);
              }
      if ((!all && !needsTag(instruction)) || twin.getMetadata(kind))
        continue;
      twin.setMetadata(kind, MDNode::get(module.getContext(),
                                         ConstantAsMetadata::get(ConstantInt::get(word, view->instructions.size()))));
      view->instructions.push_back(&instruction);
    }
  }
  return view.release();
}

/// Hands over the clone, once.
LLVMModuleRef reloViewTake(ReloView *view) { return wrap(view->clone.release()); }

/// Calls back with each function whose body MLIR does not see, and why.
void reloViewOpaque(ReloView *view, void *user, void (*each)(void *, const char *, size_t, const char *, size_t)) {
  for (auto &[name, reason] : view->opaque)
    each(user, name.data(), name.size(), reason.data(), reason.size());
}

void reloViewDestroy(ReloView *view) { delete view; }
}
