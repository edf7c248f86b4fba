// pass: builtin.module(canonicalize)
// left: 2 reloc.load
// left: 2 llvm.icmp
// No word has a value that could be folded: neither a comparison with null nor one of two slots. Unused ones go.
reloc.slot @foo : i64 -> #reloc.object<"rt", "foo">
reloc.slot @bar : i64 -> #reloc.object<"rt", "bar">
llvm.func @f() -> i1 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %a = reloc.load @foo : i64
  %b = reloc.load @bar : i64
  %unused = reloc.load @foo : i64
  %is_null = llvm.icmp "eq" %a, %zero : i64
  %same = llvm.icmp "eq" %a, %b : i64
  %r = llvm.and %is_null, %same : i1
  llvm.return %r : i1
}
