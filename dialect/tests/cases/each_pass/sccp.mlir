// pass: builtin.module(sccp)
// left: 2 reloc.load
// left: 1 llvm.icmp
// Constants are propagated through branches; a word is none, on whichever way it comes.
reloc.slot @foo : i64 -> #reloc.object<"rt", "foo">
llvm.func @f(%c: i1) -> i1 {
  %a = reloc.load @foo : i64
  llvm.cond_br %c, ^one, ^two
^one:
  llvm.br ^end(%a : i64)
^two:
  %b = reloc.load @foo : i64
  llvm.br ^end(%b : i64)
^end(%w: i64):
  %zero = llvm.mlir.constant(0 : i64) : i64
  %e = llvm.icmp "eq" %w, %zero : i64
  llvm.return %e : i1
}
