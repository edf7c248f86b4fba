//===- Handwritten.cpp - The rules of the benchmark, as C++ patterns ------===//
//
// What packs `clang`, `core` and the patch strategy do to the benchmark's modules, the way it is done without relo:
// pattern classes over the same dialect, with a symbol table of their own.
//
//===----------------------------------------------------------------------===//

#include "Dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace {

using Slots = llvm::StringMap<Operation *>;

struct LiftLoad : OpRewritePattern<LLVM::LoadOp> {
  LiftLoad(MLIRContext *context, ModuleOp module, Slots &slots, llvm::StringMap<LLVM::GlobalOp> &globals)
      : OpRewritePattern(context), module(module), slots(slots), globals(globals) {}

  LogicalResult matchAndRewrite(LLVM::LoadOp load, PatternRewriter &rewriter) const override {
    auto address = load.getAddr().getDefiningOp<LLVM::AddressOfOp>();
    if (!address || load.getVolatile_() || load.getOrdering() != LLVM::AtomicOrdering::not_atomic)
      return failure();
    auto global = globals.lookup(address.getGlobalName());
    if (!global || global.getValueOrNull() || !global.getInitializerRegion().empty() ||
        !global.getSymName().starts_with("rt_") || !load.getType().isInteger(64))
      return failure();
    std::string name =
        ("relo_" + global.getSymName() + "_" + llvm::utohexstr(llvm::xxh3_64bits(global.getSymName()), true)).str();
    Operation *&slot = slots[name];
    if (!slot) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      auto referent = reloc::WordAttr::get(getContext(), global.getSymName(), "", 0);
      slot = reloc::SlotOp::create(rewriter, load.getLoc(), rewriter.getStringAttr(name), StringAttr(), referent,
                                   TypeAttr::get(rewriter.getI64Type()), StringAttr(), IntegerAttr());
    }
    rewriter.replaceOpWithNewOp<reloc::LoadOp>(load, load.getType(), FlatSymbolRefAttr::get(getContext(), name),
                                               StringAttr(), IntegerAttr(), FlatSymbolRefAttr());
    if (address->use_empty())
      rewriter.eraseOp(address);
    return success();
  }

  mutable ModuleOp module;
  Slots &slots;
  llvm::StringMap<LLVM::GlobalOp> &globals;
};

struct LowerLoad : OpRewritePattern<reloc::LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(reloc::LoadOp load, PatternRewriter &rewriter) const override {
    auto pointer = LLVM::LLVMPointerType::get(getContext());
    auto address = LLVM::AddressOfOp::create(rewriter, load.getLoc(), pointer, load.getSlot());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(load, load.getType(), address, 8, false, false, true);
    return success();
  }
};

struct LowerSlot : OpRewritePattern<reloc::SlotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(reloc::SlotOp slot, PatternRewriter &rewriter) const override {
    auto global = LLVM::GlobalOp::create(rewriter, slot.getLoc(), slot.getType(), false, LLVM::Linkage::WeakODR,
                                         slot.getSymName(), rewriter.getI64IntegerAttr(0), 8);
    global.setExternallyInitialized(true);
    global.setVisibility_(LLVM::Visibility::Protected);
    global.setSection(".data.rel.ro.relo");
    auto site = reloc::SiteAttr::get(getContext(), 0, 64, slot.getReferent(), "patch", -1);
    global->setAttr("reloc.sites", ArrayAttr::get(getContext(), {site}));
    rewriter.eraseOp(slot);
    return success();
  }
};

} // namespace

extern "C" void reloHandwritten(MlirModule raw) {
  ModuleOp module = unwrap(raw);
  MLIRContext *context = module.getContext();
  Slots slots;
  llvm::StringMap<LLVM::GlobalOp> globals;
  for (auto global : module.getOps<LLVM::GlobalOp>())
    globals[global.getSymName()] = global;
  {
    RewritePatternSet patterns(context);
    patterns.add<LiftLoad>(context, module, slots, globals);
    walkAndApplyPatterns(module, std::move(patterns));
  }
  llvm::StringSet<llvm::MallocAllocator> used;
  module.walk([&](LLVM::AddressOfOp address) { used.insert(address.getGlobalName()); });
  for (auto &entry : globals)
    if (entry.getKey().starts_with("rt_") && !used.contains(entry.getKey()))
      entry.second.erase();
  {
    RewritePatternSet patterns(context);
    patterns.add<LowerLoad>(context);
    walkAndApplyPatterns(module, std::move(patterns));
  }
  {
    RewritePatternSet patterns(context);
    patterns.add<LowerSlot>(context);
    walkAndApplyPatterns(module, std::move(patterns));
  }
}
