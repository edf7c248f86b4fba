// session: session.json
// A function's environment, as Numba declares and loads it; and a check that it is there.
llvm.mlir.global common local_unnamed_addr @_ZN08NumbaEnv8__main__1fEd() : !llvm.ptr {
  %0 = llvm.mlir.zero : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.func @f() -> i1 {
  %p = llvm.mlir.addressof @_ZN08NumbaEnv8__main__1fEd : !llvm.ptr
  %w = llvm.load %p : !llvm.ptr -> !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %missing = llvm.icmp "eq" %w, %null : !llvm.ptr
  llvm.return %missing : i1
}
