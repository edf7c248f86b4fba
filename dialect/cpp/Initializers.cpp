//===- Initializers.cpp - References between globals ----------------------===//
//
// Rules see code and whole globals, not the operations inside an initialiser. When a global becomes a record, or
// a record a global again, what other initialisers say of its address follows here, in one walk. What the source
// annotated is listed in an initialiser, too.
//
//===----------------------------------------------------------------------===//

#include "Dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace {

/// The symbol that a row of annotations is about: its first field is the symbol's address.
Operation *annotated(Value row, SymbolTable &symbols) {
  while (auto insert = row.getDefiningOp<LLVM::InsertValueOp>()) {
    if (insert.getPosition() == ArrayRef<int64_t>{0}) {
      Value address = insert.getValue();
      while (auto cast = address.getDefiningOp<LLVM::AddrSpaceCastOp>())
        address = cast.getArg();
      if (auto global = address.getDefiningOp<LLVM::AddressOfOp>())
        return symbols.lookup(global.getGlobalName());
      return nullptr;
    }
    row = insert.getContainer();
  }
  return nullptr;
}

/// Annotations of what is gone go, too. Tells whether there were any.
bool settleAnnotations(SymbolTable &symbols) {
  auto list = symbols.lookup<LLVM::GlobalOp>("llvm.global.annotations");
  if (!list || list.getInitializerRegion().empty())
    return false;
  Block &block = list.getInitializerRegion().front();
  auto done = cast<LLVM::ReturnOp>(block.getTerminator());
  SmallVector<Value> rows;
  Value array = done.getArg();
  for (; auto insert = array.getDefiningOp<LLVM::InsertValueOp>(); array = insert.getContainer())
    rows.push_back(insert.getValue());
  SmallVector<Value> kept;
  for (Value row : llvm::reverse(rows))
    if (annotated(row, symbols))
      kept.push_back(row);
  if (kept.size() == rows.size())
    return false;
  if (kept.empty()) {
    symbols.erase(list);
    return true;
  }
  OpBuilder builder(done);
  auto type = LLVM::LLVMArrayType::get(kept.front().getType(), kept.size());
  Value made = LLVM::UndefOp::create(builder, list.getLoc(), type);
  for (auto [index, row] : llvm::enumerate(kept))
    made = LLVM::InsertValueOp::create(builder, list.getLoc(), made, row, index);
  done.getArgMutable().assign(made);
  list.setGlobalType(type);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!op.hasTrait<OpTrait::IsTerminator>() && op.use_empty())
      op.erase();
  return true;
}

} // namespace

extern "C" {

/// Makes every address in an initialiser the operation that its target asks for; tells whether annotations went.
bool reloSettleInitializers(MlirModule module) {
  ModuleOp root = unwrap(module);
  SymbolTable symbols(root);
  bool annotations = settleAnnotations(symbols);
  for (Operation &global : *root.getBody()) {
    if (!isa<LLVM::GlobalOp, reloc::RecordOp>(global))
      continue;
    global.walk([&](Operation *op) {
      OpBuilder builder(op);
      if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
        Operation *target = symbols.lookup(address.getGlobalName());
        if (isa_and_nonnull<reloc::RecordOp, reloc::SlotOp>(target)) {
          auto made = reloc::AddressOp::create(
              builder, op->getLoc(), address.getType(), address.getGlobalNameAttr(),
              builder.getI64IntegerAttr(0), /*strategy=*/StringAttr(), /*index=*/IntegerAttr());
          op->replaceAllUsesWith(made);
          op->erase();
        }
      } else if (auto address = dyn_cast<reloc::AddressOp>(op)) {
        Operation *target = symbols.lookup(address.getGlobal());
        if (isa_and_nonnull<LLVM::GlobalOp>(target) && address.getOffset() == 0) {
          auto made =
              LLVM::AddressOfOp::create(builder, op->getLoc(), address.getPointer().getType(), address.getGlobal());
          op->replaceAllUsesWith(made);
          op->erase();
        }
      }
    });
  }
  return annotations;
}
}
