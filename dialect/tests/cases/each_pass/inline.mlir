// pass: builtin.module(inline)
// left: 3 reloc.load
// left: 0 llvm.call
// left: 1 reloc.slot
// What loads a word is inlined, as often as it is called, and means the same slot. The function stays: its linkage is LLVM's.
reloc.slot @foo : i64 -> #reloc.object<"rt", "foo">
llvm.func internal @word() -> i64 {
  %w = reloc.load @foo : i64
  llvm.return %w : i64
}
llvm.func @f() -> i64 {
  %a = llvm.call @word() : () -> i64
  %b = llvm.call @word() : () -> i64
  %r = llvm.add %a, %b : i64
  llvm.return %r : i64
}
