//===- Attributes.cpp - Referents and sites as C --------------------------===//

#include "Dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace reloc;

extern "C" {

/// A referent in parts: kind 0 is an object (runtime, key), 1 a symbol (name, library), 2 a word (symbol, library).
struct ReloReferent {
  unsigned kind;
  MlirStringRef first, second;
  int64_t addend;
};

/// A site in parts.
struct ReloSite {
  int64_t offset, width;
  MlirAttribute referent;
  MlirStringRef strategy;
  int64_t index;
};

MlirAttribute reloReferentGet(MlirContext context, ReloReferent referent) {
  return wrap(makeReferent(unwrap(context), referent.kind, unwrap(referent.first), unwrap(referent.second),
                           referent.addend));
}

bool reloReferentRead(MlirAttribute attribute, ReloReferent *referent) {
  Attribute raw = unwrap(attribute);
  if (auto object = dyn_cast<ObjectAttr>(raw))
    *referent = {0, wrap(object.getRuntime()), wrap(object.getKey()), object.getAddend()};
  else if (auto symbol = dyn_cast<SymbolAttr>(raw))
    *referent = {1, wrap(symbol.getName()), wrap(symbol.getLibrary()), symbol.getAddend()};
  else if (auto word = dyn_cast<WordAttr>(raw))
    *referent = {2, wrap(word.getSymbol()), wrap(word.getLibrary()), word.getOffset()};
  else
    return false;
  return true;
}

MlirAttribute reloSiteGet(MlirContext context, ReloSite site) {
  return wrap(makeSite(unwrap(context), site.offset, site.width, unwrap(site.referent), unwrap(site.strategy),
                       site.index));
}

bool reloSiteRead(MlirAttribute attribute, ReloSite *site) {
  auto raw = dyn_cast<SiteAttr>(unwrap(attribute));
  if (!raw)
    return false;
  *site = {raw.getOffset(), raw.getWidth(), wrap(raw.getReferent()), wrap(raw.getStrategy()), raw.getIndex()};
  return true;
}
}
