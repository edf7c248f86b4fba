//===- Contents.cpp - The words in a global's initialiser -----------------===//
//
// An initialiser is a region of the LLVM dialect or a value attribute. Both are seen here as words at byte
// offsets, so that rules can find the host references in them and fill them in.
//
//===----------------------------------------------------------------------===//

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

extern "C" {

/// What stands at an offset.
enum ReloWordKind {
  /// An integer constant, or a pointer made from one.
  ReloWordInteger,
  /// The address of a symbol, plus `value` bytes.
  ReloWordSymbol,
};

/// Called for each word-sized scalar whose contents are known.
typedef void (*ReloWordCallback)(void *user, uint64_t offset, uint64_t width, ReloWordKind kind,
                                 uint64_t value, MlirStringRef symbol);
}

namespace {

/// A scalar's contents: an integer, or a symbol and an addend.
struct Word {
  ReloWordKind kind;
  uint64_t value;
  StringRef symbol;
};

/// Follows casts and constant arithmetic down to an integer or a symbol.
std::optional<Word> evaluate(Value value, const DataLayout &layout) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op)) {
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      if (integer.getValue().getBitWidth() <= 64)
        return Word{ReloWordInteger, integer.getValue().getZExtValue(), {}};
    return std::nullopt;
  }
  if (isa<LLVM::IntToPtrOp, LLVM::PtrToIntOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(op))
    return evaluate(op->getOperand(0), layout);
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
    return Word{ReloWordSymbol, 0, address.getGlobalName()};
  if (isa<LLVM::AddOp, LLVM::SubOp>(op)) {
    auto left = evaluate(op->getOperand(0), layout), right = evaluate(op->getOperand(1), layout);
    if (!left || !right || right->kind != ReloWordInteger)
      return std::nullopt;
    left->value += isa<LLVM::AddOp>(op) ? right->value : -right->value;
    return left;
  }
  if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
    auto base = evaluate(gep.getBase(), layout);
    if (!base)
      return std::nullopt;
    Type type = gep.getElemType();
    bool first = true;
    for (auto index : gep.getIndices()) {
      int64_t number;
      if (auto constant = dyn_cast<IntegerAttr>(index)) {
        number = constant.getValue().getSExtValue();
      } else {
        auto word = evaluate(cast<Value>(index), layout);
        if (!word || word->kind != ReloWordInteger)
          return std::nullopt;
        unsigned width = cast<Value>(index).getType().getIntOrFloatBitWidth();
        number = llvm::SignExtend64(word->value, width);
      }
      if (first) {
        base->value += number * static_cast<int64_t>(layout.getTypeSize(type).getFixedValue());
      } else if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
        type = array.getElementType();
        base->value += number * static_cast<int64_t>(layout.getTypeSize(type).getFixedValue());
      } else if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
        uint64_t offset = 0;
        for (auto [at, field] : llvm::enumerate(structure.getBody())) {
          if (!structure.isPacked())
            offset = llvm::alignTo(offset, layout.getTypeABIAlignment(field));
          if (static_cast<int64_t>(at) == number)
            break;
          offset += layout.getTypeSize(field).getFixedValue();
        }
        base->value += offset;
        type = structure.getBody()[number];
      } else {
        return std::nullopt;
      }
      first = false;
    }
    return base;
  }
  return std::nullopt;
}

/// Calls back for the field that starts at `offset`; gives the field's type for an index path.
struct Field {
  uint64_t offset;
  Type type;
};

Field fieldAt(Type type, ArrayRef<int64_t> path, const DataLayout &layout) {
  Field field{0, type};
  for (int64_t index : path) {
    if (auto array = dyn_cast<LLVM::LLVMArrayType>(field.type)) {
      field.type = array.getElementType();
      field.offset += index * layout.getTypeSize(field.type).getFixedValue();
    } else if (auto vector = dyn_cast<VectorType>(field.type)) {
      field.type = vector.getElementType();
      field.offset += index * layout.getTypeSize(field.type).getFixedValue();
    } else if (auto structure = dyn_cast<LLVM::LLVMStructType>(field.type)) {
      uint64_t offset = 0;
      for (auto [at, element] : llvm::enumerate(structure.getBody())) {
        if (!structure.isPacked())
          offset = llvm::alignTo(offset, layout.getTypeABIAlignment(element));
        if (static_cast<int64_t>(at) == index)
          break;
        offset += layout.getTypeSize(element).getFixedValue();
      }
      field.type = structure.getBody()[index];
      field.offset += offset;
    }
  }
  return field;
}

bool isScalar(Type type) { return isa<IntegerType, LLVM::LLVMPointerType>(type); }

class Contents {
public:
  Contents(Type type, const DataLayout &layout, ReloWordCallback callback, void *user)
      : type(type), layout(layout), callback(callback), user(user) {}

  void attribute(Attribute value, Type at, uint64_t offset) {
    if (auto integer = dyn_cast<IntegerAttr>(value)) {
      if (integer.getValue().getBitWidth() <= 64)
        word(at, offset, Word{ReloWordInteger, integer.getValue().getZExtValue(), {}});
    } else if (auto symbol = dyn_cast<FlatSymbolRefAttr>(value)) {
      word(at, offset, Word{ReloWordSymbol, 0, symbol.getValue()});
    } else if (auto dense = dyn_cast<DenseIntElementsAttr>(value)) {
      unsigned width = dense.getElementType().getIntOrFloatBitWidth();
      if (width > 64 || width < 32)
        return;
      Type element = dense.getElementType();
      uint64_t size = layout.getTypeSize(element).getFixedValue(), index = 0;
      for (const APInt &number : dense.getValues<APInt>())
        word(element, offset + size * index++, Word{ReloWordInteger, number.getZExtValue(), {}});
    } else if (auto array = dyn_cast<ArrayAttr>(value)) {
      for (auto [index, element] : llvm::enumerate(array)) {
        if (!isa<LLVM::LLVMArrayType, LLVM::LLVMStructType>(at))
          return;
        Field field = fieldAt(at, {static_cast<int64_t>(index)}, layout);
        attribute(element, field.type, offset + field.offset);
      }
    }
  }

  void value(Value value, Type at, uint64_t offset) {
    Operation *op = value.getDefiningOp();
    // A chain of insertvalue is as long as the aggregate: walk it without recursion.
    while (auto insert = dyn_cast_or_null<LLVM::InsertValueOp>(op)) {
      Field field = fieldAt(at, insert.getPosition(), layout);
      this->value(insert.getValue(), field.type, offset + field.offset);
      op = insert.getContainer().getDefiningOp();
    }
    if (auto constant = dyn_cast_or_null<LLVM::ConstantOp>(op)) {
      attribute(constant.getValue(), at, offset);
      return;
    }
    if (op && isScalar(at))
      if (auto found = evaluate(op->getResult(0), layout))
        word(at, offset, *found);
  }

private:
  void word(Type at, uint64_t offset, Word word) {
    if (isScalar(at))
      callback(user, offset, layout.getTypeSizeInBits(at).getFixedValue(), word.kind, word.value,
               wrap(word.symbol));
  }

  Type type;
  const DataLayout &layout;
  ReloWordCallback callback;
  void *user;
};

Region *initializer(Operation *op) {
  return op->getNumRegions() == 1 && !op->getRegion(0).empty() ? &op->getRegion(0) : nullptr;
}

} // namespace

extern "C" {

/// Tells the words of an operation's initialiser, a `llvm.mlir.global` or `reloc.record` whose type is `type`.
void reloContentsWords(MlirOperation op, MlirType type, void *user, ReloWordCallback callback) {
  Operation *global = unwrap(op);
  DataLayout layout(global->getParentOfType<ModuleOp>());
  Contents contents(unwrap(type), layout, callback, user);
  if (Attribute value = global->getAttr("value"))
    contents.attribute(value, unwrap(type), 0);
  if (Region *region = initializer(global))
    if (auto ret = dyn_cast<LLVM::ReturnOp>(region->front().getTerminator()))
      if (ret.getArg())
        contents.value(ret.getArg(), unwrap(type), 0);
}

/// Follows a pointer or integer value down to a constant or a symbol with a constant byte offset.
bool reloConstantAddress(MlirValue value, MlirOperation module, ReloWordKind *kind, uint64_t *number,
                         MlirStringRef *symbol) {
  DataLayout layout(cast<ModuleOp>(unwrap(module)));
  auto word = evaluate(unwrap(value), layout);
  if (!word)
    return false;
  *kind = word->kind;
  *number = word->value;
  *symbol = wrap(word->symbol);
  return true;
}

/// The path of indices to the scalar that starts at `offset` in `type`; false where there is none.
static bool pathTo(Type type, uint64_t offset, const DataLayout &layout, SmallVectorImpl<int64_t> &path,
                   Type &scalar) {
  if (isScalar(type)) {
    scalar = type;
    return offset == 0;
  }
  int64_t count = 0;
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    uint64_t size = layout.getTypeSize(array.getElementType()).getFixedValue();
    if (size == 0 || offset / size >= array.getNumElements())
      return false;
    path.push_back(offset / size);
    return pathTo(array.getElementType(), offset % size, layout, path, scalar);
  }
  auto structure = dyn_cast<LLVM::LLVMStructType>(type);
  if (!structure)
    return false;
  count = structure.getBody().size();
  for (int64_t index = 0; index < count; ++index) {
    Field field = fieldAt(type, {index}, layout);
    if (offset >= field.offset && offset < field.offset + layout.getTypeSize(field.type).getFixedValue()) {
      path.push_back(index);
      return pathTo(field.type, offset - field.offset, layout, path, scalar);
    }
  }
  return false;
}

/// Each value that is inserted into `value`, and into parts of it that nothing else has, with where it goes; the last
/// insertion comes first.
static void collectInserted(Value value, SmallVectorImpl<int64_t> &outer,
                            llvm::function_ref<void(ArrayRef<int64_t>, LLVM::InsertValueOp)> found) {
  SmallVector<ArrayRef<int64_t>> later;
  for (auto insert = value.getDefiningOp<LLVM::InsertValueOp>(); insert;
       insert = insert.getContainer().getDefiningOp<LLVM::InsertValueOp>()) {
    ArrayRef<int64_t> position = insert.getPosition();
    if (llvm::any_of(later, [&](ArrayRef<int64_t> over) { return position.take_front(over.size()) == over; }))
      continue;
    later.push_back(position);
    size_t depth = outer.size();
    llvm::append_range(outer, position);
    found(outer, insert);
    if (insert.getValue().hasOneUse())
      collectInserted(insert.getValue(), outer, found);
    outer.truncate(depth);
  }
}

/// Writes words into the initialiser of `op`: it becomes a region that ends by inserting them. Gives the index of
/// the first word that has no scalar of its own, or `count`.
size_t reloContentsFill(MlirOperation op, MlirType type, const uint64_t *offsets, const uint64_t *words,
                        size_t count) {
  Operation *global = unwrap(op);
  DataLayout layout(global->getParentOfType<ModuleOp>());
  Type whole = unwrap(type);
  for (size_t index = 0; index < count; ++index) {
    SmallVector<int64_t> path;
    Type scalar;
    if (!pathTo(whole, offsets[index], layout, path, scalar))
      return index;
  }
  Region &region = global->getRegion(0);
  OpBuilder builder(global->getContext());
  Location location = global->getLoc();
  Value value;
  // The words that are inserted already, by where they go: they are replaced in place, so that nothing of what
  // they were is left behind.
  llvm::DenseMap<ArrayAttr, LLVM::InsertValueOp> inserted;
  auto key = [&](ArrayRef<int64_t> path) { return builder.getI64ArrayAttr(path); };
  if (region.empty()) {
    builder.createBlock(&region);
    if (Attribute attribute = global->getAttr("value"))
      value = LLVM::ConstantOp::create(builder, location, whole, attribute);
    else
      value = LLVM::ZeroOp::create(builder, location, whole);
    global->removeAttr("value");
  } else {
    auto ret = cast<LLVM::ReturnOp>(region.front().getTerminator());
    value = ret.getArg();
    ret.erase();
    builder.setInsertionPointToEnd(&region.front());
    SmallVector<int64_t> outer;
    collectInserted(value, outer, [&](ArrayRef<int64_t> path, LLVM::InsertValueOp insert) {
      inserted.try_emplace(key(path), insert);
    });
  }
  for (size_t index = 0; index < count; ++index) {
    SmallVector<int64_t> path;
    Type scalar;
    pathTo(whole, offsets[index], layout, path, scalar);
    bool pointer = isa<LLVM::LLVMPointerType>(scalar);
    Type integer = pointer ? builder.getIntegerType(layout.getTypeSizeInBits(scalar)) : scalar;
    Value word = LLVM::ConstantOp::create(
        builder, location, integer,
        builder.getIntegerAttr(integer, APInt(integer.getIntOrFloatBitWidth(), words[index], false, true)));
    if (pointer)
      word = LLVM::IntToPtrOp::create(builder, location, scalar, word);
    if (path.empty()) {
      value = word;
    } else if (auto insert = inserted.lookup(key(path))) {
      for (Operation *made : {word.getDefiningOp()->getOperands().empty()
                                  ? nullptr
                                  : word.getDefiningOp()->getOperand(0).getDefiningOp(),
                              word.getDefiningOp()})
        if (made)
          made->moveBefore(insert);
      insert.getValueMutable().assign(word);
    } else {
      value = LLVM::InsertValueOp::create(builder, location, value, word, path);
    }
  }
  LLVM::ReturnOp::create(builder, location, value);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(region.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return count;
}
}
