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
#include "mlir/Parser/Parser.h"
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
#include "llvm/ADT/StringSet.h"
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
      for (Attribute one : cast<ArrayAttr>(attribute.getValue())) {
        auto site = cast<SiteAttr>(one);
        sites->addOperand(llvm::MDNode::get(
            context, {llvm::ValueAsMetadata::get(global), number(context, site.getOffset()),
                      number(context, site.getWidth()), referent(context, site.getReferent()),
                      text(context, site.getStrategy()), number(context, site.getIndex())}));
      }
      return success();
    }
    if (attribute.getName() == carryName && !instructions.empty()) {
      // The operation's own instruction is the last one made for it.
      auto id = cast<IntegerAttr>(attribute.getValue()).getInt();
      instructions.back()->setMetadata(carryName, llvm::MDNode::get(context, {number(context, id)}));
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
    if (value)
      op->setAttr(carryName, builder.getI64IntegerAttr(value->getSExtValue()));
    return success();
  }

  SmallVector<unsigned> getSupportedMetadata(llvm::LLVMContext &context) const final {
    return {context.getMDKindID(carryName)};
  }
};

/// A site as it stands in `!reloc.sites`.
struct ReadSite {
  std::string global;
  SiteAttr site;
};

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
  auto *addend = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(3));
  if (!addend)
    return error() << "a referent's addend is no number", Attribute();
  int64_t number = addend->getSExtValue();
  if (parts[0] == "object")
    return ObjectAttr::getChecked(error, context, parts[1], parts[2], number);
  if (parts[0] == "symbol")
    return SymbolAttr::getChecked(error, context, parts[1], parts[2], number);
  if (parts[0] == "word")
    return WordAttr::getChecked(error, context, parts[1], parts[2], number);
  return error() << "there is no kind of referent `" << parts[0] << "`", Attribute();
}

/// Reads the sites of a module, dead ones left out; fails with a diagnostic.
LogicalResult readSites(MLIRContext *context, llvm::Module &module, SmallVectorImpl<ReadSite> &sites) {
  llvm::NamedMDNode *named = module.getNamedMetadata(sitesName);
  if (!named)
    return success();
  for (auto [index, node] : llvm::enumerate(named->operands())) {
    auto error = [&, index = index] {
      return emitError(UnknownLoc::get(context)) << "entry " << index << " of !reloc.sites: ";
    };
    if (node->getNumOperands() != 6)
      return error() << "it has " << node->getNumOperands() << " parts, not six";
    if (!node->getOperand(0))
      continue; // the global is gone, and the site with it
    auto *value = dyn_cast<llvm::ValueAsMetadata>(node->getOperand(0).get());
    auto *constant = value ? dyn_cast<llvm::Constant>(value->getValue()) : nullptr;
    if (!constant)
      return error() << "its first part is no global";
    llvm::APInt inside(module.getDataLayout().getIndexTypeSizeInBits(constant->getType()), 0);
    auto *base = constant->stripAndAccumulateConstantOffsets(module.getDataLayout(), inside, true);
    auto *global = dyn_cast<llvm::GlobalVariable>(base);
    auto part = [&, node = node](unsigned at) {
      return llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(at));
    };
    auto *strategy = dyn_cast_or_null<llvm::MDString>(node->getOperand(4).get());
    if (!global)
      return error() << "its first part is no global variable";
    if (!part(1) || !part(2) || !part(5) || !strategy)
      return error() << "offset, width and index are numbers, the strategy is a string";
    Attribute referent = readReferent(context, node->getOperand(3).get(), error);
    if (!referent)
      return failure();
    auto site = SiteAttr::getChecked(error, context, part(1)->getSExtValue() + inside.getSExtValue(),
                                     part(2)->getSExtValue(), referent, strategy->getString(),
                                     part(5)->getSExtValue());
    if (!site)
      return failure();
    sites.push_back({global->getName().str(), site});
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
  raw->loadAllAvailableDialects();
}

/// Reads MLIR, text or bytecode; null is a failure that diagnostics tell about.
MlirModule reloParse(MlirContext context, MlirStringRef source, MlirStringRef name) {
  ParserConfig config(unwrap(context));
  return wrap(parseSourceString<ModuleOp>(unwrap(source), config, unwrap(name)).release());
}

/// Imports an LLVM module, which is consumed. A null module is a failure that diagnostics tell about.
MlirModule reloImport(MlirContext context, LLVMModuleRef module) {
  MLIRContext *raw = unwrap(context);
  std::unique_ptr<llvm::Module> owned(llvm::unwrap(module));
  SmallVector<ReadSite> sites;
  if (failed(readSites(raw, *owned, sites)))
    return {nullptr};
  if (auto *named = owned->getNamedMetadata(sitesName))
    named->eraseFromParent();
  llvm::StringSet<llvm::MallocAllocator> initialized;
  for (llvm::GlobalVariable &global : owned->globals())
    if (global.isExternallyInitialized())
      initialized.insert(global.getName());
  std::string layout = owned->getDataLayoutStr();
  OwningOpRef<ModuleOp> result = translateLLVMIRToModule(std::move(owned), raw, /*emitExpensiveWarnings=*/false);
  if (!result)
    return {nullptr};
  // The import writes the layout in words of its own.
  (*result)->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(), StringAttr::get(raw, layout));
  llvm::MapVector<StringRef, SmallVector<Attribute>> byGlobal;
  for (ReadSite &site : sites)
    byGlobal[site.global].push_back(site.site);
  SymbolTable symbols(*result);
  for (auto &[name, list] : byGlobal) {
    llvm::sort(list, [](Attribute left, Attribute right) {
      return cast<SiteAttr>(left).getOffset() < cast<SiteAttr>(right).getOffset();
    });
    list.erase(llvm::unique(list), list.end());
    if (auto global = symbols.lookup<LLVM::GlobalOp>(name))
      global->setAttr(sitesName, ArrayAttr::get(raw, list));
  }
  for (auto global : result->getOps<LLVM::GlobalOp>())
    if (initialized.contains(global.getSymName()))
      global.setExternallyInitialized(true);
  return wrap(result.release());
}

/// Translates a module to LLVM IR; null is a failure that diagnostics tell about.
LLVMModuleRef reloExport(MlirModule module, LLVMContextRef context) {
  return llvm::wrap(
      translateModuleToLLVMIR(unwrap(module), *llvm::unwrap(context), "relo", /*disableVerification=*/true)
          .release());
}
}
