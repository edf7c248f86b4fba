//===- Argument.cpp - A global that kernels are handed as an argument -----===//
//
// Where no symbol can be defined after compiling, whoever starts a kernel hands it the address. Functions between a
// kernel and the use pass it on.
//
//===----------------------------------------------------------------------===//

#include "llvm-c/Core.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

namespace {

class Handing {
public:
  Handing(GlobalVariable &global) : global(global), module(*global.getParent()) {}

  std::string error;

  /// The kernels that got the argument, each with its place.
  SmallVector<std::pair<std::string, unsigned>> kernels;

  bool run() {
    convertUsersOfConstantsToInstructions({&global});
    global.removeDeadConstantUsers();
    for (User *user : global.users()) {
      auto *instruction = dyn_cast<Instruction>(user);
      if (!instruction)
        return fail("its address stands in data");
      if (!reaches(*instruction->getFunction()))
        return false;
    }
    // Callers come after what they call: each is asked once, and may add its own.
    for (size_t index = 0; index < functions.size(); ++index) {
      functions[index]->removeDeadConstantUsers();
      for (Use &use : functions[index]->uses()) {
        auto *call = dyn_cast<CallInst>(use.getUser());
        if (!call || !call->isCallee(&use))
          return fail("`" + functions[index]->getName() + "` needs it, and its address is taken");
        if (call->isMustTailCall())
          return fail("`" + functions[index]->getName() + "` needs it, and a `musttail` call can't pass it on");
        if (!reaches(*call->getFunction()))
          return false;
      }
    }
    SmallVector<std::pair<Function *, Function *>> changed;
    for (Function *function : functions)
      changed.emplace_back(function, withArgument(*function));
    for (auto [before, after] : changed) {
      Argument *address = after->getArg(after->arg_size() - 1);
      global.replaceUsesWithIf(address, [after = after](Use &use) {
        auto *user = dyn_cast<Instruction>(use.getUser());
        return user && user->getFunction() == after;
      });
    }
    for (auto [before, after] : changed)
      for (User *user : make_early_inc_range(before->users()))
        passOn(*cast<CallInst>(user), *after);
    for (auto [before, after] : changed) {
      after->takeName(before);
      before->eraseFromParent();
      if (isKernel(*after))
        kernels.emplace_back(after->getName().str(), after->arg_size() - 1);
    }
    global.eraseFromParent();
    return true;
  }

private:
  bool fail(const Twine &reason) {
    error = reason.str();
    return false;
  }

  static bool isKernel(const Function &function) {
    switch (function.getCallingConv()) {
    case CallingConv::SPIR_KERNEL:
    case CallingConv::PTX_Kernel:
    case CallingConv::AMDGPU_KERNEL:
      return true;
    default:
      return false;
    }
  }

  bool reaches(Function &function) {
    if (!isKernel(function) && !function.hasLocalLinkage())
      return fail("`" + function.getName() + "` needs it, is visible outside, and is no kernel");
    if (function.isVarArg())
      return fail("`" + function.getName() + "` needs it, and has variable arguments");
    functions.insert(&function);
    return true;
  }

  /// The function with one more parameter, and the body of the one before.
  Function *withArgument(Function &before) {
    SmallVector<Type *> parameters(before.getFunctionType()->params());
    parameters.push_back(global.getType());
    auto *type = FunctionType::get(before.getReturnType(), parameters, false);
    auto *after = Function::Create(type, before.getLinkage(), before.getAddressSpace(), "", nullptr);
    module.getFunctionList().insert(before.getIterator(), after);
    after->copyAttributesFrom(&before);
    after->setComdat(before.getComdat());
    after->copyMetadata(&before, 0);
    before.setSubprogram(nullptr);
    after->splice(after->begin(), &before);
    for (auto [from, to] : zip(before.args(), after->args())) {
      from.replaceAllUsesWith(&to);
      to.takeName(&from);
    }
    unsigned place = before.arg_size();
    after->getArg(place)->setName(global.getName());
    after->addParamAttr(place, Attribute::ReadOnly);
    after->addParamAttr(place, Attribute::NoUndef);
    // The memory that it reads is an argument's now.
    if (after->hasFnAttribute(Attribute::Memory))
      after->setMemoryEffects(after->getMemoryEffects() | MemoryEffects::argMemOnly(ModRefInfo::Ref));
    describe(*after, place);
    return after;
  }

  /// OpenCL's descriptions of a kernel's arguments have one entry for each.
  void describe(Function &function, unsigned place) {
    LLVMContext &context = module.getContext();
    auto text = [&](StringRef value) -> Metadata * { return MDString::get(context, value); };
    unsigned space = global.getAddressSpace();
    std::pair<StringRef, Metadata *> entries[] = {
        {"kernel_arg_addr_space",
         ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), space))},
        {"kernel_arg_access_qual", text("none")},
        {"kernel_arg_type", text("ulong*")},
        {"kernel_arg_base_type", text("ulong*")},
        {"kernel_arg_type_qual", text("const")},
        {"kernel_arg_name", text(global.getName())},
    };
    for (auto &[kind, entry] : entries)
      if (MDNode *node = function.getMetadata(kind); node && node->getNumOperands() == place) {
        SmallVector<Metadata *> operands(node->operands());
        operands.push_back(entry);
        function.setMetadata(kind, MDNode::get(context, operands));
      }
  }

  void passOn(CallInst &call, Function &callee) {
    Function *caller = call.getFunction();
    SmallVector<Value *> arguments(call.args());
    arguments.push_back(caller->getArg(caller->arg_size() - 1));
    SmallVector<OperandBundleDef> bundles;
    call.getOperandBundlesAsDefs(bundles);
    IRBuilder<> builder(&call);
    CallInst *made = builder.CreateCall(&callee, arguments, bundles);
    made->setCallingConv(call.getCallingConv());
    made->setTailCallKind(call.getTailCallKind());
    made->setAttributes(call.getAttributes());
    made->copyMetadata(call);
    if (isa<FPMathOperator>(made))
      made->copyFastMathFlags(&call);
    if (made->getAttributes().hasFnAttr(Attribute::Memory))
      made->setMemoryEffects(made->getMemoryEffects() | MemoryEffects::argMemOnly(ModRefInfo::Ref));
    made->takeName(&call);
    call.replaceAllUsesWith(made);
    call.eraseFromParent();
  }

  GlobalVariable &global;
  Module &module;
  SetVector<Function *> functions;
};

} // namespace

extern "C" {

/// Makes a global the last argument of every kernel that needs it; calls back with each kernel and the argument's
/// place. What is against it is text for `LLVMDisposeMessage`.
char *reloGlobalToArgument(LLVMValueRef global, void *user,
                           void (*each)(void *, const char *, size_t, unsigned place)) {
  Handing handing(*unwrap<GlobalVariable>(global));
  if (!handing.run())
    return LLVMCreateMessage(handing.error.c_str());
  for (auto &[kernel, place] : handing.kernels)
    each(user, kernel.data(), kernel.size(), place);
  return nullptr;
}
}
