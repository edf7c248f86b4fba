//===- Dialect.h - The reloc dialect in C++ ------------------------------===//

#ifndef RELO_DIALECT_H
#define RELO_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
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

/// Checks a global's sites: inside it, in order, not overlapping.
mlir::LogicalResult verifySites(mlir::Operation *op, mlir::ArrayAttr sites, mlir::Type type);

} // namespace reloc

#endif
