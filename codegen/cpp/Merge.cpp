//===- Merge.cpp - What rules touched, put into the original module -------===//
//
// Only what changed is taken from the module that MLIR gives back. In the bodies that are, each instruction that has
// an original gets back what MLIR dropped of it.
//
//===----------------------------------------------------------------------===//

#include "View.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/TypeFinder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {

constexpr StringLiteral carryName = "reloc.carry";
constexpr StringLiteral sitesName = "reloc.sites";

/// Gives the original's structs for those that came back under other names.
class StructNames : public ValueMapTypeRemapper {
public:
  StructNames(Module &original, Module &exported) {
    TypeFinder before, after;
    before.run(original, true);
    after.run(exported, true);
    for (StructType *type : before)
      byName[type->getName()] = type;
    for (StructType *type : after) {
      StringRef name = type->getName();
      if (byName.lookup(name) == type)
        continue;
      auto [stem, number] = name.rsplit('.');
      StructType *same = byName.lookup(name);
      if (!same && !number.empty() && all_of(number, isDigit))
        same = byName.lookup(stem);
      if (same && same->isLayoutIdentical(type))
        renamed[type] = same;
    }
  }

  Type *remapType(Type *type) override {
    if (renamed.empty())
      return type;
    if (auto *known = renamed.lookup(type))
      return known;
    if (auto *array = dyn_cast<ArrayType>(type))
      return ArrayType::get(remapType(array->getElementType()), array->getNumElements());
    if (auto *structure = dyn_cast<StructType>(type); structure && structure->isLiteral()) {
      SmallVector<Type *> parts;
      for (Type *part : structure->elements())
        parts.push_back(remapType(part));
      return StructType::get(type->getContext(), parts, structure->isPacked());
    }
    return type;
  }

private:
  StringMap<StructType *> byName;
  DenseMap<Type *, Type *> renamed;
};

class Merge {
public:
  Merge(ReloView &view, Module &exported, const StringSet<> &touched)
      : view(view), module(*view.original), exported(exported), touched(touched), types(module, exported),
        kind(module.getContext().getMDKindID(carryName)) {}

  std::string error;

  bool run() {
    StripDebugInfo(exported);
    for (GlobalValue &global : exported.global_values())
      map[&global] = counterpart(global);
    for (GlobalVariable &global : exported.globals())
      if (touched.contains(global.getName()))
        define(global);
    for (Function &function : exported)
      if (touched.contains(function.getName()) && !function.isDeclaration())
        if (!body(function))
          return false;
    sites();
    // Cloning makes the list of debug information where there is none.
    if (auto *units = module.getNamedMetadata("llvm.dbg.cu"); units && units->getNumOperands() == 0)
      units->eraseFromParent();
    return erase() && weaken();
  }

private:
  bool fail(const Twine &message) {
    if (error.empty())
      error = message.str();
    return false;
  }

  /// The global of the original module that stands for one of the exported, made where there is none.
  GlobalValue *counterpart(GlobalValue &global) {
    if (GlobalValue *known = view.originals.lookup(global.getName())) {
      auto *before = dyn_cast<GlobalVariable>(known);
      auto *after = dyn_cast<GlobalVariable>(&global);
      bool same = !before || !after || !touched.contains(global.getName()) ||
                  (before->getValueType() == types.remapType(after->getValueType()) &&
                   before->getAddressSpace() == after->getAddressSpace());
      if (same)
        return known;
      // Another type or address space: a new variable takes name and uses over.
      auto *made = variable(*after);
      if (made->getType() == before->getType())
        before->replaceAllUsesWith(made);
      made->takeName(before);
      made->copyMetadata(before, 0);
      replaced.push_back(before);
      return made;
    }
    if (auto *function = dyn_cast<Function>(&global)) {
      auto callee = module.getOrInsertFunction(function->getName(), function->getFunctionType(),
                                               function->getAttributes());
      return cast<Function>(callee.getCallee());
    }
    return variable(cast<GlobalVariable>(global));
  }

  GlobalVariable *variable(GlobalVariable &global) {
    auto *made = new GlobalVariable(module, types.remapType(global.getValueType()), global.isConstant(),
                                    global.getLinkage(), nullptr, global.getName(), nullptr,
                                    global.getThreadLocalMode(), global.getAddressSpace(),
                                    global.isExternallyInitialized());
    made->copyAttributesFrom(&global);
    return made;
  }

  void define(GlobalVariable &global) {
    auto *target = cast<GlobalVariable>(map[&global]);
    target->setConstant(global.isConstant());
    target->setExternallyInitialized(global.isExternallyInitialized());
    target->setSection(global.getSection());
    target->setUnnamedAddr(global.getUnnamedAddr());
    target->setAlignment(global.getAlign());
    if (global.hasInitializer()) {
      auto *value = MapValue(global.getInitializer(), map, RF_None, &types);
      target->setInitializer(cast<Constant>(value));
    }
    if (!target->hasLocalLinkage() || !global.hasLocalLinkage()) {
      target->setLinkage(global.getLinkage());
      target->setVisibility(global.getVisibility());
    }
    // A section is no place for a symbol that the assembler drops, and a loader has to find it.
    if (target->hasPrivateLinkage() && target->isExternallyInitialized())
      target->setLinkage(GlobalValue::InternalLinkage);
  }

  bool body(Function &source) {
    auto *target = cast<Function>(map[&source]);
    if (target->isDeclaration()) {
      if (view.originals.lookup(source.getName()) == target)
        return fail("the body of `" + source.getName() + "` appeared from nowhere");
      target->copyAttributesFrom(&source);
    }
    // The old body stays alive until everything is taken from it.
    auto *old = Function::Create(target->getFunctionType(), GlobalValue::InternalLinkage, "relo.old", module);
    AttributeList attributes = target->getAttributes();
    auto linkage = target->getLinkage();
    auto convention = target->getCallingConv();
    SmallVector<std::pair<unsigned, MDNode *>> metadata;
    target->getAllMetadata(metadata);
    Constant *personality = target->hasPersonalityFn() ? target->getPersonalityFn() : nullptr;
    old->splice(old->begin(), target);
    for (auto [argument, before] : zip_equal(target->args(), old->args()))
      argument.replaceAllUsesWith(&before);
    for (BasicBlock &block : *old)
      if (block.hasAddressTaken()) {
        // Addresses in the body itself come back with it; those elsewhere would be left behind.
        auto *address = BlockAddress::lookup(&block);
        for (User *user : address ? address->users() : iterator_range<Value::user_iterator>({}, {}))
          if (auto *instruction = dyn_cast<Instruction>(user); !instruction || instruction->getFunction() != old)
            return fail("the address of a block of `" + target->getName() + "` is used elsewhere");
      }
    for (auto [argument, made] : zip_equal(source.args(), target->args()))
      map[&argument] = &made;
    SmallVector<ReturnInst *> returns;
    CloneFunctionInto(target, &source, map, CloneFunctionChangeType::DifferentModule, returns, "", nullptr, &types);
    target->setAttributes(attributes);
    target->setCallingConv(convention);
    target->setLinkage(linkage);
    target->clearMetadata();
    for (auto [id, node] : metadata)
      target->addMetadata(id, *node);
    if (personality)
      target->setPersonalityFn(personality);
    bool done = restore(*target, *old);
    bodies.insert(target);
    for (auto [argument, before] : zip_equal(target->args(), old->args()))
      before.replaceAllUsesWith(PoisonValue::get(before.getType()));
    old->deleteBody();
    old->eraseFromParent();
    return done;
  }

  /// Gives instructions back what MLIR dropped of them.
  bool restore(Function &function, Function &old) {
    DenseMap<Value *, Value *> twins;
    for (auto [argument, before] : zip_equal(function.args(), old.args()))
      twins[&before] = &argument;
    std::vector<std::pair<Instruction *, Instruction *>> pairs;
    for (Instruction &instruction : instructions(function)) {
      auto *node = instruction.getMetadata(kind);
      if (!node)
        continue;
      auto *id = mdconst::extract<ConstantInt>(node->getOperand(0));
      Instruction *original = view.instructions.at(id->getZExtValue());
      instruction.setMetadata(kind, nullptr);
      if (original->getOpcode() != instruction.getOpcode() || twins.contains(original))
        continue;
      twins[original] = &instruction;
      pairs.push_back({&instruction, original});
    }
    for (auto [instruction, original] : pairs)
      if (!restore(instruction, original, function, twins))
        return false;
    locations(function);
    return true;
  }

  bool restore(Instruction *instruction, Instruction *original, Function &function,
               DenseMap<Value *, Value *> &twins) {
    SmallVector<std::pair<unsigned, MDNode *>> metadata;
    original->getAllMetadata(metadata);
    for (auto [id, node] : metadata)
      instruction->setMetadata(id, node);
    if (original->getType() == instruction->getType())
      instruction->copyIRFlags(original);
    if (auto *alloca = dyn_cast<AllocaInst>(instruction)) {
      alloca->setSwiftError(cast<AllocaInst>(original)->isSwiftError());
      alloca->setUsedWithInAlloca(cast<AllocaInst>(original)->isUsedWithInAlloca());
    }
    for (DbgRecord &record : original->getDbgRecordRange())
      attach(record, instruction, twins);
    auto *call = dyn_cast<CallBase>(instruction);
    if (!call)
      return true;
    auto *before = cast<CallBase>(original);
    if (call->arg_size() == before->arg_size()) {
      call->setAttributes(before->getAttributes());
      call->setCallingConv(before->getCallingConv());
      if (auto *plain = dyn_cast<CallInst>(call))
        plain->setTailCallKind(cast<CallInst>(before)->getTailCallKind());
    }
    if (!before->hasOperandBundles() || call->getNumOperandBundles() == before->getNumOperandBundles())
      return true;
    SmallVector<OperandBundleDef> bundles;
    for (unsigned index = 0; index < before->getNumOperandBundles(); ++index) {
      OperandBundleUse bundle = before->getOperandBundleAt(index);
      std::vector<Value *> values;
      for (const Use &use : bundle.Inputs) {
        Value *value = isa<Constant>(use) ? use.get() : twins.lookup(use.get());
        if (!value)
          return fail("the operand bundle `" + bundle.getTagName() + "` of a call in `" + function.getName() +
                      "` uses a value that a rule replaced");
        values.push_back(value);
      }
      bundles.emplace_back(bundle.getTagName().str(), values);
    }
    auto *made = CallBase::Create(call, bundles, call->getIterator());
    made->copyMetadata(*call);
    made->takeName(call);
    call->replaceAllUsesWith(made);
    for (auto &[from, to] : twins)
      if (to == call)
        to = made;
    call->eraseFromParent();
    return true;
  }

  /// A debug record goes with its instruction; what it says of values that are gone is left out.
  void attach(DbgRecord &record, Instruction *instruction, DenseMap<Value *, Value *> &twins) {
    DbgRecord *copy = record.clone();
    if (auto *variable = dyn_cast<DbgVariableRecord>(copy)) {
      SmallVector<Value *> values(variable->location_ops());
      for (Value *value : values) {
        if (!value || isa<Constant>(value))
          continue;
        if (Value *twin = twins.lookup(value))
          variable->replaceVariableLocationOp(value, twin);
        else
          variable->setKillLocation();
      }
    }
    instruction->getParent()->insertDbgRecordBefore(copy, instruction->getIterator());
  }

  /// Instructions that a rule made stand where their neighbours do.
  void locations(Function &function) {
    if (!function.getSubprogram())
      return;
    for (BasicBlock &block : function) {
      DebugLoc last;
      for (Instruction &instruction : reverse(block)) {
        if (instruction.getDebugLoc())
          last = instruction.getDebugLoc();
        else if (last)
          instruction.setDebugLoc(last);
        else if (isa<CallBase>(instruction))
          instruction.setDebugLoc(DILocation::get(function.getContext(), 0, 0, function.getSubprogram()));
      }
    }
  }

  void sites() {
    // The sites that the module came with are those that came back.
    if (auto *before = module.getNamedMetadata(sitesName))
      before->eraseFromParent();
    NamedMDNode *source = exported.getNamedMetadata(sitesName);
    if (!source)
      return;
    NamedMDNode *target = module.getOrInsertNamedMetadata(sitesName);
    for (MDNode *node : source->operands()) {
      SmallVector<Metadata *> parts(node->op_begin(), node->op_end());
      auto *global = cast<ValueAsMetadata>(parts[0])->getValue();
      parts[0] = ValueAsMetadata::get(map[global]);
      target->addOperand(MDNode::get(module.getContext(), parts));
    }
  }

  /// What rules erased and nothing uses any more.
  bool erase() {
    for (GlobalVariable *global : replaced) {
      global->removeDeadConstantUsers();
      if (!global->use_empty())
        return fail("a global's address space changed while code that no rule touched uses it");
      global->eraseFromParent();
    }
    SmallSetVector<GlobalValue *, 16> gone;
    for (auto &entry : touched) {
      GlobalValue *global = view.originals.lookup(entry.getKey());
      if (global && !exported.getNamedValue(entry.getKey()) && global->getParent() == &module)
        gone.insert(global);
    }
    reloEraseUnused(gone);
    return true;
  }

  /// A function that loads a relocated word reads memory, and so does whoever calls it.
  bool weaken() {
    SmallVector<Function *> work;
    for (Function *function : bodies)
      work.push_back(function);
    auto reads = MemoryEffects(IRMemLocation::Other, ModRefInfo::Ref);
    while (!work.empty()) {
      Function *function = work.pop_back_val();
      MemoryEffects effects = function->getMemoryEffects();
      if ((effects | reads) == effects)
        continue;
      function->setMemoryEffects(effects | reads);
      for (User *user : function->users()) {
        auto *call = dyn_cast<CallBase>(user);
        if (!call || call->getCalledFunction() != function)
          continue;
        if (call->hasFnAttr(Attribute::Memory))
          call->setMemoryEffects(call->getAttributes().getMemoryEffects() | reads);
        work.push_back(call->getFunction());
      }
    }
    return true;
  }

  ReloView &view;
  Module &module, &exported;
  const StringSet<> &touched;
  StructNames types;
  unsigned kind;
  ValueToValueMapTy map;
  SmallSetVector<Function *, 16> bodies;
  SmallVector<GlobalVariable *> replaced;
};

} // namespace

extern "C" {

/// Merges what rules touched into the original module; the exported one is consumed. An error's text is for
/// `LLVMDisposeMessage`; the original is of no use then.
char *reloMerge(ReloView *view, LLVMModuleRef exported, const char *const *touched, const size_t *lengths,
                size_t count) {
  std::unique_ptr<Module> owned(unwrap(exported));
  StringSet<> names;
  for (size_t index = 0; index < count; ++index)
    names.insert(StringRef(touched[index], lengths[index]));
  std::string error;
  {
    Merge merge(*view, *owned, names);
    if (!merge.run())
      error = merge.error;
  }
  if (error.empty()) {
    raw_string_ostream stream(error);
    if (!verifyModule(*view->original, &stream))
      return nullptr;
  }
  return LLVMCreateMessage(error.c_str());
}
}
