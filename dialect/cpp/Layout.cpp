//===- Layout.cpp - Reading MLIR, with the layout of its types ------------===//
//
// Where a module says nothing, MLIR lays types out in a way of its own: an i64 is aligned to four bytes. Sites and words
// would be found elsewhere than LLVM puts them, so that the target's layout has to be there before anything looks.
//
//===----------------------------------------------------------------------===//

#include "Dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Import.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/Support/Error.h"

using namespace mlir;

/// Gives a module a layout where it has none: what it says in LLVM's words, else what is given.
static LogicalResult layOut(ModuleOp module, StringRef given) {
  if (module.getDataLayoutSpec())
    return success();
  StringRef name = LLVM::LLVMDialect::getDataLayoutAttrName();
  auto own = module->getAttrOfType<StringAttr>(name);
  StringRef text = own && !own.empty() ? own.getValue() : given;
  if (text.empty())
    return success();
  llvm::Expected<llvm::DataLayout> layout = llvm::DataLayout::parse(text);
  if (!layout)
    return module.emitOpError() << "has a layout that LLVM does not know: " << llvm::toString(layout.takeError());
  module->setAttr(name, StringAttr::get(module.getContext(), text));
  module->setAttr(DLTIDialect::kDataLayoutAttrName, translateDataLayout(*layout, module.getContext()));
  return success();
}

/// Reads a module that need not be valid.
extern "C" MlirModule reloParseAsIs(MlirContext context, MlirStringRef source) {
  ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
  return wrap(parseSourceString<ModuleOp>(unwrap(source), config).release());
}

/// Reads MLIR, text or bytecode, and checks it; null is a failure that diagnostics tell about.
extern "C" MlirModule reloParse(MlirContext context, MlirStringRef source, MlirStringRef name, MlirStringRef layout) {
  ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(unwrap(source), config, unwrap(name));
  if (!module || failed(layOut(*module, unwrap(layout))) || failed(verify(*module)))
    return {nullptr};
  return wrap(module.release());
}
