//===- Dialect.cpp - Assembly and verifiers of the reloc dialect ---------===//

#include "Dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ConvertUTF.h"

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

/// `+ 8`, `- 8` (one integer, to MLIR's lexer), or nothing.
static ParseResult parseAddend(AsmParser &parser, int64_t &addend) {
  addend = 0;
  SMLoc at = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalPlus())) {
    if (parser.parseInteger(addend))
      return failure();
    return addend < 0 ? parser.emitError(at, "an addend is `+ 8` or `- 8`, not both") : success();
  }
  auto number = parser.parseOptionalInteger(addend);
  if (!number.has_value())
    return success();
  if (failed(*number))
    return failure();
  return addend >= 0 ? parser.emitError(at, "an addend needs its sign: `+ 8` or `- 8`") : success();
}

static void printAddend(AsmPrinter &printer, int64_t addend) {
  if (addend > 0)
    printer << " + " << addend;
  else if (addend < 0)
    printer << " - " << -static_cast<uint64_t>(addend);
}

/// A name in quotes, as `Referent` prints it in Rust: what is readable stays so, `é` and quotes included. Control
/// characters are hexadecimal, which is all that MLIR reads of them.
static void printName(AsmPrinter &printer, StringRef name) {
  llvm::raw_ostream &out = printer.getStream();
  out << '"';
  for (unsigned char byte : name) {
    if (byte == '"' || byte == '\\')
      out << '\\' << byte;
    else if (byte == '\n')
      out << "\\n";
    else if (byte == '\t')
      out << "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      out << '\\' << llvm::hexdigit(byte >> 4) << llvm::hexdigit(byte & 15);
    else
      out << byte;
  }
  out << '"';
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
  printName(printer, getRuntime());
  printer << ", ";
  printName(printer, getKey());
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
  printName(printer, name);
  printAddend(printer, addend);
  if (!library.empty()) {
    printer << ", ";
    printName(printer, library);
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

/// Names are text without a NUL, since they go through C strings. Bytes that are no UTF-8 would be lost on the way to
/// a manifest, and two names could become one.
static LogicalResult verifyText(function_ref<InFlightDiagnostic()> emitError, StringRef what, StringRef text) {
  if (text.contains('\0'))
    return emitError() << what << " has a NUL in it";
  auto *start = reinterpret_cast<const llvm::UTF8 *>(text.data()), *at = start;
  if (!llvm::isLegalUTF8String(&at, start + text.size()))
    return emitError() << what << " is not UTF-8 from byte " << (at - start) << " on";
  return success();
}

static LogicalResult verifyName(function_ref<InFlightDiagnostic()> emitError, StringRef what, StringRef name) {
  if (name.empty())
    return emitError() << what << " is empty";
  return verifyText(emitError, what, name);
}

LogicalResult ObjectAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef runtime, StringRef key,
                                 int64_t) {
  return failure(failed(verifyName(emitError, "a referent's runtime", runtime)) ||
                 failed(verifyName(emitError, "a referent's key", key)));
}

/// An empty library is none: any library will do.
LogicalResult SymbolAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name, StringRef library,
                                 int64_t) {
  return failure(failed(verifyName(emitError, "a referent's name", name)) ||
                 failed(verifyText(emitError, "a referent's library", library)));
}

LogicalResult WordAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef symbol, StringRef library,
                               int64_t offset) {
  if (offset < 0)
    return emitError() << "a word lies at its symbol or after it, not at " << offset;
  return failure(failed(verifyName(emitError, "a referent's symbol", symbol)) ||
                 failed(verifyText(emitError, "a referent's library", library)));
}

Attribute reloc::makeReferent(MLIRContext *context, unsigned kind, StringRef first, StringRef second, int64_t addend) {
  switch (kind) {
  case 0:
    return mlir::detail::AttributeUniquer::get<ObjectAttr>(context, first, second, addend);
  case 1:
    return mlir::detail::AttributeUniquer::get<SymbolAttr>(context, first, second, addend);
  default:
    return mlir::detail::AttributeUniquer::get<WordAttr>(context, first, second, addend);
  }
}

SiteAttr reloc::makeSite(MLIRContext *context, int64_t offset, int64_t width, Attribute referent, StringRef strategy,
                         int64_t index) {
  return mlir::detail::AttributeUniquer::get<SiteAttr>(context, offset, width, referent, strategy, index);
}

LogicalResult reloc::verifyReferent(function_ref<InFlightDiagnostic()> emitError, Attribute referent) {
  if (auto object = dyn_cast<ObjectAttr>(referent))
    return ObjectAttr::verify(emitError, object.getRuntime(), object.getKey(), object.getAddend());
  if (auto symbol = dyn_cast<SymbolAttr>(referent))
    return SymbolAttr::verify(emitError, symbol.getName(), symbol.getLibrary(), symbol.getAddend());
  auto word = cast<WordAttr>(referent);
  return WordAttr::verify(emitError, word.getSymbol(), word.getLibrary(), word.getOffset());
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
    if (succeeded(parser.parseOptionalComma())) {
      if (parser.parseInteger(index))
        return {};
      if (index < 0)
        return parser.emitError(at, "a site's index is a place in an order, not ") << index, Attribute();
    }
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
    printName(printer, getStrategy());
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
  return verifyText(emitError, "a site's strategy", strategy);
}

LogicalResult RelocDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == sitesName)
    return verifyGlobalSites(op, attribute.getValue());
  if (attribute.getName() == carryName) {
    auto id = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!id || !id.getType().isSignlessInteger(64))
      return op->emitOpError() << "`" << carryName << "` is an i64";
    return success();
  }
  return op->emitOpError() << "has an unknown attribute `" << attribute.getName() << "`";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isWord(Type type) {
  return isa<LLVM::LLVMPointerType>(type) || type.isSignlessInteger(64) || type.isSignlessInteger(32);
}

/// What planning writes on an operation.
template <typename Op> static LogicalResult verifyPlan(Op op) {
  std::optional<uint64_t> index = op.getIndex();
  if (index && !op.getStrategyAttr())
    return op.emitOpError() << "has an index and no strategy that orders by it";
  if (index && static_cast<int64_t>(*index) < 0)
    return op.emitOpError() << "has the index " << static_cast<int64_t>(*index) << ", which is no place in an order";
  return success();
}

/// The bytes of a word, where the module says what its pointers are.
static std::optional<uint64_t> wordSize(Operation *op, const DataLayout &layout) {
  auto module = op->getParentOfType<ModuleOp>();
  DataLayoutSpecInterface spec = module ? module.getDataLayoutSpec() : DataLayoutSpecInterface();
  if (!spec)
    return std::nullopt;
  auto isPointer = [](DataLayoutEntryInterface entry) {
    return isa_and_nonnull<LLVM::LLVMPointerType>(dyn_cast<Type>(entry.getKey()));
  };
  if (llvm::none_of(spec.getEntries(), isPointer))
    return std::nullopt;
  return sizeOf(layout, LLVM::LLVMPointerType::get(op->getContext()));
}

LogicalResult SlotOp::verify() {
  if (!isWord(getType()))
    return emitOpError() << "is a word: i64, i32 or a pointer, not " << getType();
  DataLayout layout = DataLayout::closest(*this);
  std::optional<uint64_t> word = wordSize(*this, layout), size = sizeOf(layout, getType());
  if (word && size != word)
    return emitOpError() << "is a word, which has " << *word * 8 << " bits here, and " << getType() << " has "
                         << *size * 8;
  auto error = [&] { return emitOpError() << "is malformed: "; };
  return failure(failed(verifyReferent(error, getReferent())) || failed(verifyPlan(*this)));
}

LogicalResult RecordOp::verify() {
  if (getSites().empty())
    return emitOpError() << "has no sites: it is an ordinary global";
  bool hasRegion = !getInitializer().empty();
  if (getValue() && hasRegion)
    return emitOpError() << "has a value and a region: its contents are one of them";
  if (!getValue() && !hasRegion)
    return emitOpError() << "has no contents: sites are words inside of something";
  if (DictionaryAttr global = getGlobalAttr()) {
    for (StringRef own : {"sym_name", "global_type", "value"})
      if (global.contains(own))
        return emitOpError() << "has `" << own << "` itself, not among the attributes of its global";
    if (global.contains(sitesName))
      return emitOpError() << "has its sites itself, not among the attributes of its global";
    if (global.contains("thread_local_"))
      return emitOpError() << "has sites, and is thread-local: each thread would want a loader of its own";
  }
  return failure(failed(verifySites(*this, getSites(), getGlobalType())) || failed(verifyPlan(*this)));
}

/// An initialiser is what that of `llvm.mlir.global` is, which the record becomes again.
LogicalResult RecordOp::verifyRegions() {
  if (getInitializer().empty())
    return success();
  Block &block = getInitializer().front();
  if (block.getNumArguments() != 0)
    return emitOpError() << "has an initialiser with arguments";
  auto end = block.empty() ? LLVM::ReturnOp() : dyn_cast<LLVM::ReturnOp>(block.back());
  if (!end || end->getNumOperands() != 1 || end->getOperand(0).getType() != getGlobalType())
    return emitOpError() << "has an initialiser that does not end in llvm.return of " << getGlobalType();
  for (Operation &op : block)
    if (&op != end && !isMemoryEffectFree(&op))
      return op.emitOpError() << "has effects, in an initialiser";
  return success();
}

LogicalResult LoadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *target = symbols.lookupNearestSymbolFrom(*this, getSlotAttr());
  if (!target)
    return emitOpError() << "loads " << getSlotAttr() << ", which does not exist";
  auto slot = dyn_cast<SlotOp>(target);
  if (!slot)
    return emitOpError() << "loads " << getSlotAttr() << ", which is no slot";
  Type type = getWord().getType();
  if (!isWord(type))
    return emitOpError() << "gives a word: i64, i32 or a pointer, not " << type;
  // Most loads are of the slot's own type: a layout is made for the others only. A slot that is no word says so itself.
  if (type != slot.getType() && isWord(slot.getType())) {
    DataLayout layout = DataLayout::closest(*this);
    if (sizeOf(layout, type) != sizeOf(layout, slot.getType()))
      return emitOpError() << "gives " << type << " of a slot of " << slot.getType() << ", which has another size";
  }
  return verifyPlan(*this);
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
  int64_t offset = getOffset();
  std::optional<uint64_t> size;
  if (offset > 0)
    size = sizeOf(DataLayout::closest(*this), type);
  // As in C, the end is still an address.
  if (offset < 0 || (size && static_cast<uint64_t>(offset) > *size))
    return emitOpError() << "points " << offset << " bytes into " << getGlobalAttr() << ", outside it";
  return verifyPlan(*this);
}
