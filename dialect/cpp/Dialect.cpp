//===- Dialect.cpp - Assembly and verifiers of the reloc dialect ---------===//

#include "Dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace reloc;

/// `@name`, after `private` or `nested` where functions would have it.
static ParseResult parseSymbolName(OpAsmParser &parser, StringAttr &visibility, StringAttr &name) {
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword, {"public", "private", "nested"})))
    visibility = parser.getBuilder().getStringAttr(keyword);
  return parser.parseSymbolName(name);
}
static void printSymbolName(OpAsmPrinter &printer, Operation *, StringAttr visibility, StringAttr name) {
  if (visibility)
    printer << visibility.getValue() << " ";
  printer.printSymbolName(name);
}

#include "RelocDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "RelocAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "RelocOps.cpp.inc"

namespace {

/// All of reloc may be inlined: its operations have no effects and refer to symbols of the module.
struct Inlining : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void RelocDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "RelocAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "RelocOps.cpp.inc"
      >();
  addInterfaces<Inlining>();
}

//===----------------------------------------------------------------------===//
// Referents: <"a", "b" + 8>
//===----------------------------------------------------------------------===//

/// `+ 8`, `- 8` (an integer, to MLIR's parser), or nothing.
static ParseResult parseAddend(AsmParser &parser, int64_t &addend) {
  addend = 0;
  if (succeeded(parser.parseOptionalPlus()))
    return parser.parseInteger(addend);
  auto number = parser.parseOptionalInteger(addend);
  return number.has_value() ? *number : success();
}

static void printAddend(AsmPrinter &printer, int64_t addend) {
  if (addend > 0)
    printer << " + " << addend;
  else if (addend < 0)
    printer << " - " << -static_cast<uint64_t>(addend);
}

Attribute ObjectAttr::parse(AsmParser &parser, Type) {
  std::string runtime, key;
  int64_t addend = 0;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&runtime) || parser.parseComma() || parser.parseString(&key) ||
      parseAddend(parser, addend) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(at); }, parser.getContext(), runtime, key, addend);
}

void ObjectAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printString(getRuntime());
  printer << ", ";
  printer.printString(getKey());
  printAddend(printer, getAddend());
  printer << ">";
}

template <typename Attr> static Attribute parseNamed(AsmParser &parser) {
  std::string name, library;
  int64_t addend = 0;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&name) || parseAddend(parser, addend))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseString(&library))
      return {};
    if (library.empty())
      return parser.emitError(at, "a library has a name; leave it out where any will do"), Attribute();
  }
  if (parser.parseGreater())
    return {};
  return Attr::getChecked([&] { return parser.emitError(at); }, parser.getContext(), name, library, addend);
}

static void printNamed(AsmPrinter &printer, StringRef name, StringRef library, int64_t addend) {
  printer << "<";
  printer.printString(name);
  printAddend(printer, addend);
  if (!library.empty()) {
    printer << ", ";
    printer.printString(library);
  }
  printer << ">";
}

Attribute SymbolAttr::parse(AsmParser &parser, Type) { return parseNamed<SymbolAttr>(parser); }
void SymbolAttr::print(AsmPrinter &printer) const {
  printNamed(printer, getName(), getLibrary(), getAddend());
}
Attribute WordAttr::parse(AsmParser &parser, Type) { return parseNamed<WordAttr>(parser); }
void WordAttr::print(AsmPrinter &printer) const {
  printNamed(printer, getSymbol(), getLibrary(), getOffset());
}

/// Names are there, and hold no NUL: they go through C strings.
static LogicalResult verifyName(function_ref<InFlightDiagnostic()> emitError, StringRef what, StringRef name) {
  if (name.empty())
    return emitError() << "a referent's " << what << " is empty";
  if (name.contains('\0'))
    return emitError() << "a referent's " << what << " has a NUL in it";
  return success();
}

LogicalResult ObjectAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef runtime, StringRef key,
                                 int64_t) {
  return failed(verifyName(emitError, "runtime", runtime)) ? failure() : verifyName(emitError, "key", key);
}

LogicalResult SymbolAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name, StringRef library,
                                 int64_t) {
  if (library.contains('\0'))
    return emitError() << "a referent's library has a NUL in it";
  return verifyName(emitError, "name", name);
}

LogicalResult WordAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef symbol, StringRef library,
                               int64_t offset) {
  if (offset < 0)
    return emitError() << "a word lies at its symbol or after it, not at " << offset;
  if (library.contains('\0'))
    return emitError() << "a referent's library has a NUL in it";
  return verifyName(emitError, "symbol", symbol);
}

//===----------------------------------------------------------------------===//
// Sites: <8 : 64 -> #reloc.…, "patch", 3>
//===----------------------------------------------------------------------===//

Attribute SiteAttr::parse(AsmParser &parser, Type) {
  int64_t offset, width, index = -1;
  Attribute referent;
  std::string strategy;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(offset) || parser.parseColon() || parser.parseInteger(width) ||
      parser.parseArrow() || parser.parseAttribute(referent))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseString(&strategy))
      return {};
    if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(index))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(at); }, parser.getContext(), offset, width, referent, strategy,
                    index);
}

void SiteAttr::print(AsmPrinter &printer) const {
  printer << "<" << getOffset() << " : " << getWidth() << " -> " << getReferent();
  if (!getStrategy().empty()) {
    printer << ", ";
    printer.printString(getStrategy());
    if (getIndex() >= 0)
      printer << ", " << getIndex();
  }
  printer << ">";
}

LogicalResult SiteAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t offset, int64_t width,
                               Attribute referent, StringRef strategy, int64_t index) {
  if (offset < 0)
    return emitError() << "a site lies inside its global, not at " << offset;
  if (width != 32 && width != 64)
    return emitError() << "a site is 32 or 64 bits wide, not " << width;
  if (!referent || !isReferent(referent))
    return emitError() << "a site's referent is #reloc.object, #reloc.symbol or #reloc.word";
  if (index < -1 || (index >= 0 && strategy.empty()))
    return emitError() << "an index belongs to a strategy";
  return success();
}

/// The size of a type in bytes, where the module's layout tells.
static std::optional<uint64_t> sizeOf(Operation *op, Type type) {
  if (!isa<IntegerType, FloatType, VectorType, LLVM::LLVMPointerType, LLVM::LLVMStructType, LLVM::LLVMArrayType>(
          type))
    return std::nullopt;
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type); structure && structure.isOpaque())
    return std::nullopt;
  llvm::TypeSize size = DataLayout::closest(op).getTypeSize(type);
  if (size.isScalable())
    return std::nullopt;
  return size.getFixedValue();
}

LogicalResult reloc::verifySites(Operation *op, ArrayAttr sites, Type type) {
  std::optional<uint64_t> size = sizeOf(op, type);
  uint64_t end = 0;
  for (Attribute attribute : sites) {
    auto site = dyn_cast<SiteAttr>(attribute);
    if (!site)
      return op->emitOpError() << "has " << attribute << " among its sites, which is none";
    uint64_t offset = site.getOffset(), width = site.getWidth() / 8;
    if (offset < end)
      return op->emitOpError() << "has a site at byte " << offset << " that overlaps the one before, or is out of order";
    end = offset + width;
    if (size && (end > *size || end < offset))
      return op->emitOpError() << "has a site at bytes " << offset << " to " << end << ", outside its " << *size;
  }
  return success();
}

LogicalResult RelocDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == sitesName) {
    auto global = dyn_cast<LLVM::GlobalOp>(op);
    auto sites = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!global)
      return op->emitOpError() << "can't have `" << sitesName << "`: only llvm.mlir.global has sites";
    if (!sites || sites.empty())
      return op->emitOpError() << "`" << sitesName << "` is an array of #reloc.site";
    return verifySites(op, sites, global.getGlobalType());
  }
  if (attribute.getName() == carryName) {
    if (!isa<IntegerAttr>(attribute.getValue()))
      return op->emitOpError() << "`" << carryName << "` is a number";
    return success();
  }
  return op->emitOpError() << "has an unknown attribute `" << attribute.getName() << "`";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isWord(Type type) {
  return isa<LLVM::LLVMPointerType>(type) || type.isInteger(64) || type.isInteger(32);
}

LogicalResult SlotOp::verify() {
  if (!isWord(getType()))
    return emitOpError() << "is a word: i64, i32 or a pointer, not " << getType();
  return success();
}

LogicalResult RecordOp::verify() {
  if (getSites().empty())
    return emitOpError() << "has no sites: it is an ordinary global";
  if (getValue() && !getInitializer().empty())
    return emitOpError() << "has a value and a region: its contents are one of them";
  return verifySites(*this, getSites(), getGlobalType());
}

LogicalResult LoadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *target = symbols.lookupNearestSymbolFrom(*this, getSlotAttr());
  if (!target)
    return emitOpError() << "loads " << getSlotAttr() << ", which does not exist";
  auto slot = dyn_cast<SlotOp>(target);
  if (!slot)
    return emitOpError() << "loads " << getSlotAttr() << ", which is no slot";
  if (!isWord(getWord().getType()))
    return emitOpError() << "gives a word: i64, i32 or a pointer, not " << getWord().getType();
  auto integer = dyn_cast<IntegerType>(getWord().getType());
  auto stored = dyn_cast<IntegerType>(slot.getType());
  if (integer && stored && integer != stored)
    return emitOpError() << "gives " << integer << " of a slot of " << stored;
  return success();
}

LogicalResult AddressOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *target = symbols.lookupNearestSymbolFrom(*this, getGlobalAttr());
  if (!target)
    return emitOpError() << "is the address of " << getGlobalAttr() << ", which does not exist";
  Type type;
  if (auto slot = dyn_cast<SlotOp>(target))
    type = slot.getType();
  else if (auto record = dyn_cast<RecordOp>(target))
    type = record.getGlobalType();
  else
    return emitOpError() << "is the address of " << getGlobalAttr() << ", which is neither slot nor record";
  if (!isa<LLVM::LLVMPointerType>(getPointer().getType()))
    return emitOpError() << "is a pointer, not " << getPointer().getType();
  std::optional<uint64_t> size = sizeOf(*this, type);
  if (getOffset() < 0 || (size && static_cast<uint64_t>(getOffset()) > *size))
    return emitOpError() << "points " << getOffset() << " bytes into " << getGlobalAttr() << ", outside it";
  return success();
}
