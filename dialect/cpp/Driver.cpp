//===- Driver.cpp - Walks a module and applies frozen patterns ------------===//
//
// MLIR's own drivers either fold and erase on their own account (greedy) or visit post-order and tell
// nobody what they did (walk). This one applies patterns only, by the laws in docs/language.md, "The walk", which
// engine/src/interpret/walk.rs follows too, and reports each change, so that the Rust side knows what was touched.
//
//===----------------------------------------------------------------------===//

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Rewrite.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/SetVector.h"

#include <list>

using namespace mlir;

extern "C" {

/// What the driver tells its caller. None of them may unwind.
struct ReloDriverCallbacks {
  void *user;
  /// An operation was inserted.
  void (*inserted)(void *user, MlirOperation op);
  /// An operation got another operand.
  void (*modified)(void *user, MlirOperation op);
  /// An operation is about to be erased.
  void (*erased)(void *user, MlirOperation op);
  /// Whether to stop before the next operation.
  bool (*stop)(void *user);
};

/// How a run ended.
enum ReloDriverResult { ReloDriverDone, ReloDriverStopped, ReloDriverExhausted };
}

namespace {

/// The operation that stands directly in the module's body and holds `op`, or is it.
Operation *topLevel(Operation *op, Operation *module) {
  while (op && op->getParentOp() != module)
    op = op->getParentOp();
  return op;
}

/// Tells the caller of every change.
class Reporter : public RewriterBase::Listener {
public:
  Reporter(ReloDriverCallbacks callbacks) : callbacks(callbacks) {}

protected:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    callbacks.inserted(callbacks.user, wrap(op));
  }
  void notifyOperationModified(Operation *op) override { callbacks.modified(callbacks.user, wrap(op)); }
  void notifyOperationErased(Operation *op) override { callbacks.erased(callbacks.user, wrap(op)); }

  ReloDriverCallbacks callbacks;
};

/// A rewriter for who has a walk of his own.
struct ReportingRewriter : public IRRewriter {
  ReportingRewriter(MLIRContext *context, ReloDriverCallbacks callbacks) : IRRewriter(context), reporter(callbacks) {
    setListener(&reporter);
  }
  Reporter reporter;
};

class Driver : public Reporter {
public:
  Driver(ModuleOp module, llvm::ArrayRef<MlirFrozenRewritePatternSet> sets, ReloDriverCallbacks callbacks)
      : Reporter(callbacks), module(module), rewriter(module.getContext()) {
    for (MlirFrozenRewritePatternSet set : sets) {
      // The C API keeps the set behind an opaque pointer.
      auto &applicator = applicators.emplace_back(*static_cast<FrozenRewritePatternSet *>(set.ptr));
      applicator.applyDefaultCostModel();
    }
    rewriter.setListener(this);
  }

  ReloDriverResult run(unsigned maxRounds) {
    for (unsigned round = 0; round < maxRounds; ++round) {
      bool everywhere = moduleChanged;
      moduleChanged = false;
      llvm::SmallPtrSet<Operation *, 16> dirty = std::move(touched);
      touched.clear();
      changed = false;
      SmallVector<Operation *> functions, symbols;
      for (Operation &op : *module.getBody()) {
        if (isa<FunctionOpInterface>(op) && (everywhere || dirty.contains(&op)))
          functions.push_back(&op);
        symbols.push_back(&op);
      }
      for (Operation *function : functions)
        if (!visitBody(function))
          return ReloDriverStopped;
      eraseDead();
      // Visited each time: whether a symbol is still used changes with any function.
      for (Operation *symbol : symbols)
        if (!visit(symbol))
          return ReloDriverStopped;
      eraseDead();
      if (!changed)
        return ReloDriverDone;
    }
    return ReloDriverExhausted;
  }

private:
  bool visitBody(Operation *function) {
    worklist.clear();
    function->walk([&](Operation *op) {
      if (op != function)
        worklist.push_back(op);
    });
    // Uses before definitions: what a rule replaces, its operands' rules see already.
    for (Operation *op : llvm::reverse(worklist))
      if (!erasedOps.contains(op) && !visit(op))
        return false;
    erasedOps.clear();
    return true;
  }

  bool visit(Operation *op) {
    if (callbacks.stop(callbacks.user))
      return false;
    // What a rule has just orphaned is not looked at any more.
    if (orphans.contains(op) && isOpTriviallyDead(op)) {
      rewriter.eraseOp(op);
      return true;
    }
    rewriter.setInsertionPoint(op);
    // A rule that rejects succeeds, and changes nothing.
    for (PatternApplicator &applicator : applicators)
      if (succeeded(applicator.matchAndRewrite(op, rewriter)))
        break;
    return true;
  }

  /// What only a replaced root used goes away with it; code that was dead before stays.
  void eraseDead() {
    while (!orphans.empty()) {
      Operation *op = orphans.pop_back_val();
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
    }
    erasedOps.clear();
  }

  void note(Operation *op) {
    changed = true;
    Operation *top = topLevel(op, module);
    if (!top || top == op)
      moduleChanged = true;
    else
      touched.insert(top);
  }

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint point) override {
    note(op);
    Reporter::notifyOperationInserted(op, point);
  }
  void notifyOperationModified(Operation *op) override {
    note(op);
    Reporter::notifyOperationModified(op);
  }
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers())
        note(user);
  }
  void notifyOperationErased(Operation *op) override {
    note(op);
    touched.erase(op);
    erasedOps.insert(op);
    orphans.remove(op);
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        orphans.insert(definition);
    Reporter::notifyOperationErased(op);
  }

  ModuleOp module;
  PatternRewriter rewriter;
  /// One a set, in the order in which they are tried.
  std::list<PatternApplicator> applicators;
  std::vector<Operation *> worklist;
  /// Erased while the worklist still names them; a new operation may get the same address, which then waits for
  /// the next round.
  llvm::DenseSet<Operation *> erasedOps;
  /// What an erased operation used, in the order of erasure.
  llvm::SetVector<Operation *> orphans;
  /// Functions changed in this round.
  llvm::SmallPtrSet<Operation *, 16> touched;
  bool moduleChanged = true;
  bool changed = false;
};

} // namespace

extern "C" {

/// Applies the patterns to the module until none applies or `maxRounds` are over; those of a set before those of the next.
ReloDriverResult reloDriverRun(MlirModule module, const MlirFrozenRewritePatternSet *sets, size_t count,
                               ReloDriverCallbacks callbacks, unsigned maxRounds) {
  return Driver(unwrap(module), llvm::ArrayRef(sets, count), callbacks).run(maxRounds);
}

/// The name of the symbol in the module's body that holds `op`, or is it; empty where it has none.
MlirStringRef reloTopLevelSymbol(MlirModule module, MlirOperation op) {
  Operation *top = topLevel(unwrap(op), unwrap(module));
  auto name = top ? top->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()) : StringAttr();
  return name ? wrap(name.getValue()) : MlirStringRef{nullptr, 0};
}

/// Calls back with every symbol that `op` or an operation in it refers to, once for each reference.
void reloSymbolUses(MlirOperation op, void *user, void (*use)(void *user, MlirStringRef symbol)) {
  // What is nested in a reference is a name inside its root: a comdat's is often that of the global it is for.
  auto tell = [&](NamedAttribute attribute) {
    attribute.getValue().walk<WalkOrder::PreOrder>([&](SymbolRefAttr reference) {
      use(user, wrap(reference.getRootReference().getValue()));
      return WalkResult::skip();
    });
  };
  unwrap(op)->walk([&](Operation *nested) {
    // Reading all attributes makes a dictionary of an operation's properties: most have no symbols in them.
    if (isa<SymbolUserOpInterface, SymbolOpInterface>(nested))
      llvm::for_each(nested->getAttrs(), tell);
    else
      llvm::for_each(nested->getDiscardableAttrs(), tell);
  });
}

/// Makes the operation's location say which rule made it, of what.
void reloSetRuleLocation(MlirOperation op, MlirStringRef rule, MlirLocation root) {
  Operation *operation = unwrap(op);
  auto name = StringAttr::get(operation->getContext(), unwrap(rule));
  operation->setLoc(NameLoc::get(name, unwrap(root)));
}

/// A rewriter that reports; `stop` is not asked.
MlirRewriterBase reloRewriterCreate(MlirContext context, ReloDriverCallbacks callbacks) {
  return wrap(static_cast<RewriterBase *>(new ReportingRewriter(unwrap(context), callbacks)));
}

void reloRewriterDestroy(MlirRewriterBase rewriter) {
  delete static_cast<ReportingRewriter *>(static_cast<IRRewriter *>(unwrap(rewriter)));
}

/// Whether nothing uses the operation, and nobody would notice if it went away.
bool reloIsDead(MlirOperation op) { return isOpTriviallyDead(unwrap(op)); }

/// Calls back with each operation in a function's body, in the order of the walk's list; never where `op` is none.
void reloBody(MlirOperation op, void *user, void (*each)(void *user, MlirOperation op)) {
  Operation *function = unwrap(op);
  if (isa<FunctionOpInterface>(function))
    function->walk([&](Operation *nested) {
      if (nested != function)
        each(user, wrap(nested));
    });
}
}
