//===- Properties.cpp - Properties that are no attributes -----------------===//
//
// `overflowFlags` and `noWrapFlags` are properties of their own kind: what gets and sets attributes by name, PDL
// included, passes them by. Rules see them as the attributes that the generic form writes.
//
//===----------------------------------------------------------------------===//

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

extern "C" {

/// A property as an attribute; null where the operation has none of that name.
MlirAttribute reloProperty(MlirOperation op, MlirStringRef name) {
  auto all = dyn_cast_or_null<DictionaryAttr>(unwrap(op)->getPropertiesAsAttribute());
  return wrap(all ? all.get(unwrap(name)) : Attribute());
}

/// Sets the properties that a new operation has as discardable attributes, which mean nothing. A misfit is emitted as
/// an error.
void reloSettleProperties(MlirOperation op) {
  Operation *operation = unwrap(op);
  if (operation->getDiscardableAttrDictionary().empty())
    return;
  auto all = dyn_cast_or_null<DictionaryAttr>(operation->getPropertiesAsAttribute());
  if (!all)
    return;
  NamedAttrList settled(all);
  SmallVector<StringAttr> names;
  for (NamedAttribute attribute : operation->getDiscardableAttrs())
    if (all.contains(attribute.getName())) {
      settled.set(attribute.getName(), attribute.getValue());
      names.push_back(attribute.getName());
    }
  if (names.empty())
    return;
  for (StringAttr name : names)
    operation->removeDiscardableAttr(name);
  (void)operation->setPropertiesFromAttribute(settled.getDictionary(operation->getContext()),
                                              [&] { return operation->emitError(); });
}
}
