// pass: builtin.module(func.func(loop-invariant-code-motion))
// left: 1 reloc.load
// A word is the same in every round: its load leaves the loop, though the loop writes memory.
reloc.slot @foo : i64 -> #reloc.object<"rt", "foo">
func.func @f(%n: index, %start: index, %step: index, %p: !llvm.ptr) {
  scf.for %i = %start to %n step %step {
    %w = reloc.load @foo : i64
    llvm.store %w, %p : i64, !llvm.ptr
  }
  return
}
