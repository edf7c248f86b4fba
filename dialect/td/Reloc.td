//===- Reloc.td - The reloc dialect ---------------------------*- tablegen -*-===//

#ifndef RELOC_TD
#define RELOC_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Reloc_Dialect : Dialect {
  let name = "reloc";
  let cppNamespace = "::reloc";
  let summary = "Host references, kept symbolic until the last lowering";
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Referents and sites
//===----------------------------------------------------------------------===//

class Reloc_Referent<string name, string mnemonic_> : AttrDef<Reloc_Dialect, name> {
  let mnemonic = mnemonic_;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Reloc_ObjectAttr : Reloc_Referent<"Object", "object"> {
  let summary = "An identity that the host knows by a key, plus bytes";
  let parameters = (ins StringRefParameter<>:$runtime, StringRefParameter<>:$key, "int64_t":$addend);
}

def Reloc_SymbolAttr : Reloc_Referent<"Symbol", "symbol"> {
  let summary = "The address of a named function or datum, plus bytes";
  let parameters = (ins StringRefParameter<>:$name, StringRefParameter<>:$library, "int64_t":$addend);
}

def Reloc_WordAttr : Reloc_Referent<"Word", "word"> {
  let summary = "The word stored at a symbol plus bytes";
  let parameters = (ins StringRefParameter<>:$symbol, StringRefParameter<>:$library, "int64_t":$offset);
}

def Reloc_ReferentAttr : Attr<
    CPred<"::llvm::isa<::reloc::ObjectAttr, ::reloc::SymbolAttr, ::reloc::WordAttr>($_self)">,
    "referent: #reloc.object, #reloc.symbol or #reloc.word"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

def Reloc_SiteAttr : AttrDef<Reloc_Dialect, "Site"> {
  let mnemonic = "site";
  let summary = "A word to relocate in a global: byte offset, width in bits, referent, and what planning chose";
  // An empty strategy is one that is not chosen yet; an index of -1 is none.
  let parameters = (ins "int64_t":$offset, "int64_t":$width, "::mlir::Attribute":$referent,
                        StringRefParameter<>:$strategy, "int64_t":$index);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Reloc_SiteArrayAttr : TypedArrayAttrBase<Reloc_SiteAttr, "sites"> {}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class Reloc_Op<string mnemonic, list<Trait> traits = []> : Op<Reloc_Dialect, mnemonic, traits>;

def Reloc_SlotOp : Reloc_Op<"slot", [Symbol]> {
  let summary = "A word-sized global that is one site";
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       Reloc_ReferentAttr:$referent, TypeAttr:$type,
                       OptionalAttr<StrAttr>:$strategy, OptionalAttr<I64Attr>:$index);
  let assemblyFormat = "custom<SymbolName>($sym_visibility, $sym_name) `:` $type `->` $referent attr-dict";
  let hasVerifier = 1;
}

def Reloc_RecordOp : Reloc_Op<"record", [IsolatedFromAbove, SingleBlock, Symbol]> {
  let summary = "A global with contents of its own and sites in it";
  let description = [{
    It mirrors `llvm.mlir.global`: `value` or the region are its contents, `global` holds the other attributes that
    the global had and will have again (linkage, alignment, section, …).
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       TypeAttr:$global_type, OptionalAttr<AnyAttr>:$value, Reloc_SiteArrayAttr:$sites,
                       OptionalAttr<DictionaryAttr>:$global,
                       OptionalAttr<StrAttr>:$strategy, OptionalAttr<I64Attr>:$index);
  let regions = (region AnyRegion:$initializer);
  let assemblyFormat = [{
    custom<SymbolName>($sym_visibility, $sym_name) `:` $global_type (`=` $value^)? `sites` $sites (`global` $global^)?
    attr-dict-with-keyword (`init` $initializer^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

class Reloc_Reference<string mnemonic, list<Trait> traits = []>
    : Reloc_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>], traits)>;

def Reloc_LoadOp : Reloc_Reference<"load"> {
  let summary = "The word of a slot: a constant of the session, not a read of memory";
  // `table` is the record that planning made of the words of a table, of which the word is the one at `index`.
  let arguments = (ins FlatSymbolRefAttr:$slot, OptionalAttr<StrAttr>:$strategy, OptionalAttr<I64Attr>:$index,
                       OptionalAttr<FlatSymbolRefAttr>:$table);
  let results = (outs AnyType:$word);
  let assemblyFormat = "$slot attr-dict `:` type($word)";
}

def Reloc_AddressOp : Reloc_Reference<"address"> {
  let summary = "Where a slot or record is";
  let arguments = (ins FlatSymbolRefAttr:$global, DefaultValuedAttr<I64Attr, "0">:$offset,
                       OptionalAttr<StrAttr>:$strategy, OptionalAttr<I64Attr>:$index);
  let results = (outs AnyType:$pointer);
  let assemblyFormat = "$global (`+` $offset^)? attr-dict `:` type($pointer)";
}

#endif
