//===- Initializers.cpp - References between globals ----------------------===//
//
// Rules see code and whole globals, not the operations inside an initialiser. When a global becomes a record, or
// a record a global again, what other initialisers say of its address follows here, in one walk.
//
//===----------------------------------------------------------------------===//

#include "Dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

extern "C" {

/// Makes every address in an initialiser the operation that its target asks for.
void reloSettleInitializers(MlirModule module) {
  ModuleOp root = unwrap(module);
  SymbolTable symbols(root);
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
