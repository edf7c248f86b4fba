// session: session.json

llvm.func @is_foo(%p: !llvm.ptr, %n: i64) -> i1 {
  %c = llvm.mlir.constant(139637976731648 : i64) : i64
  %near = llvm.mlir.constant(139637976731649 : i64) : i64
  %narrow = llvm.mlir.constant(4096 : i32) : i32
  %foo = llvm.inttoptr %c : i64 to !llvm.ptr
  %e = llvm.icmp "eq" %p, %foo : !llvm.ptr
  %d = llvm.icmp "eq" %n, %near : i64
  %r = llvm.or %e, %d : i1
  llvm.return %r : i1
}
