//===- Translation.cpp - To LLVM IR and back ------------------------------===//
//
// `reloc.sites` on a global is `!reloc.sites` in LLVM IR, `reloc.carry` on an operation `!reloc.carry` on its
// instruction. What MLIR's import loses of globals without a word (externally_initialized) is put back.
//
//===----------------------------------------------------------------------===//

#include "Dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMIRToLLVMTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/LLVMIRToNVVMTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/Import.h"
#include "mlir/Target/LLVMIR/LLVMImportInterface.h"
#include "mlir/Target/LLVMIR/ModuleImport.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/Constants.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace reloc;

//===----------------------------------------------------------------------===//
// To LLVM IR
//===----------------------------------------------------------------------===//

namespace {

llvm::Metadata *text(llvm::LLVMContext &context, StringRef value) { return llvm::MDString::get(context, value); }

llvm::Metadata *number(llvm::LLVMContext &context, int64_t value) {
  auto *type = llvm::Type::getInt64Ty(context);
  return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, value, true));
}

llvm::MDNode *referent(llvm::LLVMContext &context, Attribute attribute) {
  if (auto object = dyn_cast<ObjectAttr>(attribute))
    return llvm::MDNode::get(context, {text(context, "object"), text(context, object.getRuntime()),
                                       text(context, object.getKey()), number(context, object.getAddend())});
  if (auto symbol = dyn_cast<SymbolAttr>(attribute))
    return llvm::MDNode::get(context, {text(context, "symbol"), text(context, symbol.getName()),
                                       text(context, symbol.getLibrary()), number(context, symbol.getAddend())});
  auto word = cast<WordAttr>(attribute);
  return llvm::MDNode::get(context, {text(context, "word"), text(context, word.getSymbol()),
                                     text(context, word.getLibrary()), number(context, word.getOffset())});
}

class ToLLVM : public LLVMTranslationDialectInterface {
public:
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult convertOperation(Operation *op, llvm::IRBuilderBase &,
                                 LLVM::ModuleTranslation &) const final {
    return op->emitOpError() << "is left over: no rule of the phase `lower` took it";
  }

  LogicalResult amendOperation(Operation *op, ArrayRef<llvm::Instruction *> instructions, NamedAttribute attribute,
                               LLVM::ModuleTranslation &translation) const final {
    llvm::Module *module = translation.getLLVMModule();
    llvm::LLVMContext &context = module->getContext();
    if (attribute.getName() == sitesName) {
      llvm::GlobalValue *global = translation.lookupGlobal(op);
      if (!global)
        return op->emitOpError() << "has sites, and is no global in LLVM IR";
      llvm::NamedMDNode *sites = module->getOrInsertNamedMetadata(sitesName);
      auto list = dyn_cast<ArrayAttr>(attribute.getValue());
      if (!list || !llvm::all_of(list, llvm::IsaPred<SiteAttr>))
        return op->emitOpError() << "`" << sitesName << "` is an array of #reloc.site";
      for (auto site : list.getAsRange<SiteAttr>()) {
        sites->addOperand(llvm::MDNode::get(
            context, {llvm::ValueAsMetadata::get(global), number(context, site.getOffset()),
                      number(context, site.getWidth()), referent(context, site.getReferent()),
                      text(context, site.getStrategy()), number(context, site.getIndex())}));
      }
      return success();
    }
    if (attribute.getName() == carryName && !instructions.empty()) {
      // The operation's own instruction is the last one made for it.
      auto id = dyn_cast<IntegerAttr>(attribute.getValue());
      if (!id || !id.getType().isSignlessInteger(64))
        return op->emitOpError() << "`" << carryName << "` is an i64";
      instructions.back()->setMetadata(carryName, llvm::MDNode::get(context, {number(context, id.getInt())}));
    }
    return success();
  }
};

//===----------------------------------------------------------------------===//
// From LLVM IR
//===----------------------------------------------------------------------===//

class FromLLVM : public LLVMImportDialectInterface {
public:
  using LLVMImportDialectInterface::LLVMImportDialectInterface;

  LogicalResult setMetadataAttrs(OpBuilder &builder, unsigned, llvm::MDNode *node, Operation *op,
                                 LLVM::ModuleImport &) const final {
    auto *value = node->getNumOperands() == 1
                      ? llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(0))
                      : nullptr;
    std::optional<int64_t> id = value ? value->getValue().trySExtValue() : std::nullopt;
    if (!id)
      return op->emitWarning() << "!" << carryName << " is one i64: this one is left out";
    op->setAttr(carryName, builder.getI64IntegerAttr(*id));
    return success();
  }

  SmallVector<unsigned> getSupportedMetadata(llvm::LLVMContext &context) const final {
    return {context.getMDKindID(carryName)};
  }
};

/// A site as it stands in `!reloc.sites`, and the entry that says so.
struct ReadSite {
  unsigned entry;
  SiteAttr site;
};

/// The sites of each global, in the order of the first entries.
using ReadSites = llvm::MapVector<llvm::GlobalVariable *, SmallVector<ReadSite>>;

InFlightDiagnostic entryError(MLIRContext *context, unsigned entry) {
  return emitError(UnknownLoc::get(context)) << "entry " << entry << " of !" << sitesName << ": ";
}

/// A number that fits 64 bits, of whatever width it is.
std::optional<int64_t> readNumber(llvm::Metadata *metadata) {
  auto *constant = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(metadata);
  return constant ? constant->getValue().trySExtValue() : std::nullopt;
}

Attribute readReferent(MLIRContext *context, llvm::Metadata *metadata, function_ref<InFlightDiagnostic()> error) {
  auto *node = dyn_cast_or_null<llvm::MDNode>(metadata);
  if (!node || node->getNumOperands() != 4)
    return error() << "a referent has four parts", Attribute();
  StringRef parts[3];
  for (unsigned index = 0; index < 3; ++index) {
    auto *part = dyn_cast_or_null<llvm::MDString>(node->getOperand(index).get());
    if (!part)
      return error() << "a referent's part " << index << " is no string", Attribute();
    parts[index] = part->getString();
  }
  std::optional<int64_t> addend = readNumber(node->getOperand(3).get());
  if (!addend)
    return error() << "a referent's addend is no number of 64 bits", Attribute();
  if (parts[0] == "object")
    return ObjectAttr::getChecked(error, context, parts[1], parts[2], *addend);
  if (parts[0] == "symbol")
    return SymbolAttr::getChecked(error, context, parts[1], parts[2], *addend);
  if (parts[0] == "word")
    return WordAttr::getChecked(error, context, parts[1], parts[2], *addend);
  return error() << "there is no kind of referent `" << parts[0] << "`", Attribute();
}

/// The global that an entry's first part is, or is inside of, and where.
llvm::GlobalVariable *readPlace(llvm::Metadata *metadata, const llvm::DataLayout &layout, int64_t &inside) {
  auto *value = dyn_cast<llvm::ValueAsMetadata>(metadata);
  auto *constant = value ? dyn_cast<llvm::Constant>(value->getValue()) : nullptr;
  if (!constant || !constant->getType()->isPointerTy())
    return nullptr;
  // LLVM's passes merge globals, and leave an address inside the merged one.
  llvm::APInt offset(layout.getIndexTypeSizeInBits(constant->getType()), 0);
  auto *global = dyn_cast<llvm::GlobalVariable>(
      constant->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true));
  inside = offset.getSExtValue();
  return global;
}

/// Reads the sites of a module, dead ones left out; fails with a diagnostic that names the entry.
LogicalResult readSites(MLIRContext *context, llvm::Module &module, ReadSites &sites) {
  llvm::NamedMDNode *named = module.getNamedMetadata(sitesName);
  if (!named)
    return success();
  for (auto [index, node] : llvm::enumerate(named->operands())) {
    unsigned entry = index;
    auto error = [&] { return entryError(context, entry); };
    if (node->getNumOperands() != 6)
      return error() << "it has " << node->getNumOperands() << " parts, not six";
    if (!node->getOperand(0))
      continue; // the global is gone, and the site with it
    int64_t inside = 0, offset;
    auto *global = readPlace(node->getOperand(0).get(), module.getDataLayout(), inside);
    if (!global)
      return error() << "its first part is no global variable";
    std::optional<int64_t> start = readNumber(node->getOperand(1).get()),
                           width = readNumber(node->getOperand(2).get()),
                           order = readNumber(node->getOperand(5).get());
    auto *strategy = dyn_cast_or_null<llvm::MDString>(node->getOperand(4).get());
    if (!start || !width || !order || !strategy || llvm::AddOverflow(*start, inside, offset))
      return error() << "offset, width and index are numbers of 64 bits, the strategy is a string";
    Attribute referent = readReferent(context, node->getOperand(3).get(), error);
    if (!referent)
      return failure();
    auto site = SiteAttr::getChecked(error, context, offset, *width, referent, strategy->getString(), *order);
    if (!site)
      return failure();
    sites[global].push_back({entry, site});
  }
  return success();
}

/// Writes the sites on the imported globals. Entries that say the same are one; those that disagree are an error here,
/// where both can be named, and so is what the global has no place for.
LogicalResult writeSites(MLIRContext *context, ModuleOp module, ReadSites &sites,
                         const llvm::DenseMap<llvm::GlobalVariable *, std::string> &names) {
  SymbolTable symbols(module);
  for (auto &[variable, list] : sites) {
    llvm::sort(list, [](const ReadSite &left, const ReadSite &right) {
      return std::pair(left.site.getOffset(), left.entry) < std::pair(right.site.getOffset(), right.entry);
    });
    SmallVector<Attribute> attributes;
    const ReadSite *before = nullptr;
    for (const ReadSite &one : list) {
      if (before && before->site == one.site)
        continue;
      if (before && before->site.getOffset() + before->site.getWidth() / 8 > one.site.getOffset())
        return entryError(context, one.entry) << "it disagrees with entry " << before->entry << " about @"
                                              << names.lookup(variable) << ", or overlaps it";
      attributes.push_back(one.site);
      before = &one;
    }
    auto global = symbols.lookup<LLVM::GlobalOp>(names.lookup(variable));
    if (!global)
      return entryError(context, list.front().entry)
             << "@" << names.lookup(variable) << " is a list of LLVM's own, which holds no sites";
    auto all = ArrayAttr::get(context, attributes);
    if (failed(verifyGlobalSites(global, all)))
      return entryError(context, list.front().entry) << "@" << names.lookup(variable) << " can't have its sites";
    global->setAttr(sitesName, all);
  }
  return success();
}

} // namespace

extern "C" {

/// Registers and loads what relo needs: its own dialect, LLVM's with their translations, and PDL.
void reloPrepareContext(MlirContext context) {
  DialectRegistry registry;
  registry.insert<RelocDialect, DLTIDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect,
                  pdl::PDLDialect, pdl_interp::PDLInterpDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerLLVMDialectImport(registry);
  registerNVVMDialectTranslation(registry);
  registerNVVMDialectImport(registry);
  registerROCDLDialectTranslation(registry);
  LLVM::registerInlinerInterface(registry);
  registry.addExtension(+[](MLIRContext *, RelocDialect *dialect) {
    dialect->addInterfaces<ToLLVM, FromLLVM>();
  });
  MLIRContext *raw = unwrap(context);
  raw->appendDialectRegistry(registry);
  raw->disableMultithreading();
  // The last handler in line: what nobody catches goes nowhere, least of all to stderr.
  raw->getDiagEngine().registerHandler([](Diagnostic &) { return success(); });
  raw->loadAllAvailableDialects();
}

/// Imports an LLVM module, which is consumed. A null module is a failure that diagnostics tell about.
MlirModule reloImport(MlirContext context, LLVMModuleRef module) {
  MLIRContext *raw = unwrap(context);
  std::unique_ptr<llvm::Module> owned(llvm::unwrap(module));
  ReadSites sites;
  if (failed(readSites(raw, *owned, sites)))
    return {nullptr};
  if (auto *named = owned->getNamedMetadata(sitesName))
    named->eraseFromParent();
  // The module is gone after its import, so that what is known of its globals is kept by name. Those without one would
  // get theirs during the import.
  llvm::DenseMap<llvm::GlobalVariable *, std::string> names;
  llvm::StringSet<> initialized;
  for (llvm::GlobalVariable &global : owned->globals()) {
    bool hasSites = sites.count(&global);
    if (!global.hasName() && (hasSites || global.isExternallyInitialized()))
      global.setName("relo.unnamed");
    if (hasSites)
      names[&global] = global.getName().str();
    if (global.isExternallyInitialized())
      initialized.insert(global.getName());
  }
  std::string layout = owned->getDataLayoutStr();
  OwningOpRef<ModuleOp> result = translateLLVMIRToModule(std::move(owned), raw, /*emitExpensiveWarnings=*/false);
  if (!result)
    return {nullptr};
  // The import writes the layout in words of its own.
  (*result)->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(), StringAttr::get(raw, layout));
  for (auto global : result->getOps<LLVM::GlobalOp>())
    if (initialized.contains(global.getSymName()))
      global.setExternallyInitialized(true);
  if (failed(writeSites(raw, *result, sites, names)))
    return {nullptr};
  return wrap(result.release());
}

/// Translates a module to LLVM IR; null is a failure that diagnostics tell about.
LLVMModuleRef reloExport(MlirModule module, LLVMContextRef context) {
  return llvm::wrap(
      translateModuleToLLVMIR(unwrap(module), *llvm::unwrap(context), "relo", /*disableVerification=*/true)
          .release());
}
}
