//===- Sites.cpp - Words to relocate, in the types of their globals ------===//
//
// A site is one integer or pointer of its global's type: not a part of one, not bytes, not padding. What fills the word
// in may then write it whole, and writes over nothing else.
//
//===----------------------------------------------------------------------===//

#include "Dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace reloc;

/// Whether a layout knows a type, which it would otherwise end the process over. `open` holds the named structures
/// around the type: one that holds itself has no size.
static bool isSized(Type type, llvm::SmallDenseSet<Type> &open) {
  if (isa<IntegerType, FloatType, LLVM::LLVMPointerType>(type))
    return true;
  if (auto vector = dyn_cast<VectorType>(type))
    return !vector.isScalable() && isSized(vector.getElementType(), open);
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return isSized(array.getElementType(), open);
  auto structure = dyn_cast<LLVM::LLVMStructType>(type);
  if (!structure || structure.isOpaque() || !open.insert(type).second)
    return false;
  bool sized = llvm::all_of(structure.getBody(), [&](Type field) { return isSized(field, open); });
  open.erase(type);
  return sized;
}

std::optional<uint64_t> reloc::sizeOf(const DataLayout &layout, Type type) {
  llvm::SmallDenseSet<Type> open;
  if (!isSized(type, open))
    return std::nullopt;
  return layout.getTypeSize(type).getFixedValue();
}

namespace {

/// Finds the scalars of a type that has a size, by their offset. A structure's fields are laid out once, however many sites it has.
class Scalars {
public:
  explicit Scalars(const DataLayout &layout) : layout(layout) {}

  /// The scalar that has its first byte at an offset, or null where none has: inside one, in padding, outside.
  Type at(Type type, uint64_t offset) {
    while (true) {
      if (offset >= layout.getTypeSize(type).getFixedValue())
        return {};
      Type element;
      if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
        element = array.getElementType();
      else if (auto vector = dyn_cast<VectorType>(type))
        element = vector.getElementType();
      if (element) {
        uint64_t stride = layout.getTypeSize(element).getFixedValue();
        if (stride == 0)
          return {};
        offset %= stride;
        type = element;
      } else if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
        ArrayRef<uint64_t> starts = startsOf(structure);
        // The last field that starts here or before: an empty one has the start of the next.
        size_t after = llvm::upper_bound(starts, offset) - starts.begin();
        if (after == 0)
          return {};
        offset -= starts[after - 1];
        type = structure.getBody()[after - 1];
      } else {
        return offset == 0 ? type : Type();
      }
    }
  }

private:
  ArrayRef<uint64_t> startsOf(LLVM::LLVMStructType structure) {
    auto [entry, inserted] = known.try_emplace(structure);
    if (inserted) {
      uint64_t start = 0;
      for (Type field : structure.getBody()) {
        if (!structure.isPacked())
          start = llvm::alignTo(start, layout.getTypeABIAlignment(field));
        entry->second.push_back(start);
        start += layout.getTypeSize(field).getFixedValue();
      }
    }
    return entry->second;
  }

  const DataLayout &layout;
  llvm::DenseMap<Type, SmallVector<uint64_t>> known;
};

} // namespace

LogicalResult reloc::verifySites(Operation *op, ArrayAttr sites, Type type) {
  DataLayout layout = DataLayout::closest(op);
  std::optional<uint64_t> size = sizeOf(layout, type);
  if (!size)
    return op->emitOpError() << "has sites, and " << type << " has no size";
  Scalars scalars(layout);
  uint64_t end = 0;
  for (Attribute attribute : sites) {
    auto site = dyn_cast<SiteAttr>(attribute);
    if (!site)
      return op->emitOpError() << "has " << attribute << " among its sites, which is none";
    auto error = [&] { return op->emitOpError() << "has a malformed site: "; };
    if (failed(SiteAttr::verify(error, site.getOffset(), site.getWidth(), site.getReferent(), site.getStrategy(),
                                site.getIndex())) ||
        failed(verifyReferent(error, site.getReferent())))
      return failure();
    uint64_t offset = site.getOffset(), width = site.getWidth() / 8;
    if (offset < end)
      return op->emitOpError() << "has a site at byte " << offset
                               << " that overlaps the one before, or is out of order";
    end = offset + width;
    if (end > *size)
      return op->emitOpError() << "has a site at bytes " << offset << " to " << end << ", outside its " << *size;
    // A loader, and whatever fills the word in, would write over a part of something else.
    Type scalar = scalars.at(type, offset);
    if (!isa_and_nonnull<IntegerType, LLVM::LLVMPointerType>(scalar) || layout.getTypeSize(scalar).getFixedValue() != width)
      return op->emitOpError() << "has a site of " << site.getWidth() << " bits at byte " << offset << ", where "
                               << type << " has no integer or pointer of that width";
  }
  return success();
}

LogicalResult reloc::verifyGlobalSites(Operation *op, Attribute attribute) {
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  if (!global)
    return op->emitOpError() << "can't have `" << sitesName << "`: only llvm.mlir.global has sites";
  auto sites = dyn_cast<ArrayAttr>(attribute);
  if (!sites || sites.empty())
    return global.emitOpError() << "`" << sitesName << "` is an array of #reloc.site";
  if (global.getThreadLocal_())
    return global.emitOpError() << "has sites, and is thread-local: each thread would want a loader of its own";
  if (failed(verifySites(global, sites, global.getGlobalType())))
    return failure();
  auto first = cast<SiteAttr>(sites[0]);
  bool isSlot = first.getOffset() == 0 &&
                sizeOf(DataLayout::closest(global), global.getGlobalType()) == uint64_t(first.getWidth() / 8);
  bool isDeclaration = !global.getValueOrNull() && !global.getInitializerBlock();
  // The words of a table are elsewhere by their nature: who hands them over knows them by their index.
  bool isTable = first.getIndex() >= 0;
  if (isDeclaration && !isSlot && !isTable)
    return global.emitOpError() << "has sites inside, and is a declaration: its contents are elsewhere";
  return success();
}
