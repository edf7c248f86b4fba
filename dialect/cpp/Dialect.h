//===- Dialect.h - The reloc dialect in C++ ------------------------------===//

#ifndef RELO_DIALECT_H
#define RELO_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "RelocDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "RelocAttrs.h.inc"
#define GET_OP_CLASSES
#include "RelocOps.h.inc"

namespace reloc {

/// The name of the attribute that holds a lowered global's sites.
inline constexpr llvm::StringLiteral sitesName = "reloc.sites";
/// The name of the attribute, and of the metadata, that ties an operation to the instruction it came from.
inline constexpr llvm::StringLiteral carryName = "reloc.carry";

/// Whether an attribute is a referent.
inline bool isReferent(mlir::Attribute attribute) {
  return llvm::isa<ObjectAttr, SymbolAttr, WordAttr>(attribute);
}

/// Makes a referent of kind 0 (object), 1 (symbol) or 2 (word), or a site. One that is malformed, which a rule may have
/// built of a symbol's name, is found by the verifier of what it stands on: `get` would end the process over it where
/// assertions are on.
mlir::Attribute makeReferent(mlir::MLIRContext *context, unsigned kind, llvm::StringRef first, llvm::StringRef second,
                             int64_t addend);
SiteAttr makeSite(mlir::MLIRContext *context, int64_t offset, int64_t width, mlir::Attribute referent,
                  llvm::StringRef strategy, int64_t index);

/// Checks what a referent is made of, however it was made.
mlir::LogicalResult verifyReferent(llvm::function_ref<mlir::InFlightDiagnostic()> emitError, mlir::Attribute referent);

/// The size of a type in bytes, where the layout tells.
std::optional<uint64_t> sizeOf(const mlir::DataLayout &layout, mlir::Type type);

/// Checks the sites of a global of some type: words of it, in order, not overlapping.
mlir::LogicalResult verifySites(mlir::Operation *op, mlir::ArrayAttr sites, mlir::Type type);

/// Checks the attribute `reloc.sites`: on a global, of words that are written once, for all threads, where they are.
mlir::LogicalResult verifyGlobalSites(mlir::Operation *op, mlir::Attribute attribute);

} // namespace reloc

#endif
