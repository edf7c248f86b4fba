// pass: builtin.module(cse)
// left: 2 reloc.load
// left: 1 reloc.address
// Equal loads are one, also across what writes memory: a word never changes. Others are not.
reloc.slot @foo : i64 -> #reloc.object<"rt", "foo">
reloc.slot @bar : i64 -> #reloc.object<"rt", "bar">
llvm.func @use(i64, i64, i64, !llvm.ptr, !llvm.ptr)
llvm.func @f(%p: !llvm.ptr, %x: i64) {
  %a = reloc.load @foo : i64
  llvm.store %x, %p : i64, !llvm.ptr
  %b = reloc.load @foo : i64
  %c = reloc.load @bar : i64
  %d = reloc.address @foo : !llvm.ptr
  %e = reloc.address @foo : !llvm.ptr
  llvm.call @use(%a, %b, %c, %d, %e) : (i64, i64, i64, !llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}
