//===- Initializers.cpp - References between globals ----------------------===//
//
// Rules see code and whole globals, not the operations inside an initialiser. When a global becomes a record, or
// a record a global again, what other initialisers say of its address follows here, in one walk. What the source
// annotated, and what it wants to be kept, is listed in initialisers, too.
//
//===----------------------------------------------------------------------===//

#include "Dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace {

/// Lists of globals: a row of annotations begins with the address of what it is about, the others are of addresses.
constexpr StringLiteral Lists[] = {"llvm.global.annotations", "llvm.used", "llvm.compiler.used"};

/// The symbol that a row of a list is about.
Operation *subject(Value row, SymbolTable &symbols) {
  while (auto insert = row.getDefiningOp<LLVM::InsertValueOp>())
    row = insert.getPosition() == ArrayRef<int64_t>{0} ? insert.getValue() : insert.getContainer();
  while (auto cast = row.getDefiningOp<LLVM::AddrSpaceCastOp>())
    row = cast.getArg();
  auto global = row.getDefiningOp<LLVM::AddressOfOp>();
  return global ? symbols.lookup(global.getGlobalName()) : nullptr;
}

/// Rows about what is gone go, too. Tells whether there were any.
bool settleList(LLVM::GlobalOp list, SymbolTable &symbols) {
  Block &block = list.getInitializerRegion().front();
  auto done = cast<LLVM::ReturnOp>(block.getTerminator());
  SmallVector<Value> rows;
  Value array = done.getArg();
  for (; auto insert = array.getDefiningOp<LLVM::InsertValueOp>(); array = insert.getContainer())
    rows.push_back(insert.getValue());
  SmallVector<Value> kept;
  for (Value row : llvm::reverse(rows))
    if (subject(row, symbols))
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

/// Makes every address in an initialiser the operation that its target asks for; calls back with each list that got shorter.
void reloSettleInitializers(MlirModule module, void *user, void (*shorter)(void *user, MlirStringRef list)) {
  ModuleOp root = unwrap(module);
  SymbolTable symbols(root);
  for (StringRef name : Lists) {
    auto list = symbols.lookup<LLVM::GlobalOp>(name);
    if (list && !list.getInitializerRegion().empty() && settleList(list, symbols))
      shorter(user, wrap(name));
  }
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
}
}
