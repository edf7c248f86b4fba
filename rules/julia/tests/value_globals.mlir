// session: session.json

llvm.mlir.global internal @"jl_sym#foo#12"() {addr_space = 0 : i32} : !llvm.ptr {
  %0 = llvm.mlir.zero : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.mlir.global internal @"+Core.Float64#7"() {addr_space = 0 : i32} : !llvm.ptr {
  %0 = llvm.mlir.zero : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.func @is_foo(%v: !llvm.ptr<10>) -> i1 {
  %p = llvm.mlir.addressof @"jl_sym#foo#12" : !llvm.ptr
  %t = llvm.load %p : !llvm.ptr -> !llvm.ptr<10>
  %e = llvm.icmp "eq" %v, %t : !llvm.ptr<10>
  llvm.return %e : i1
}
llvm.func @where_the_type_is() -> !llvm.ptr {
  %p = llvm.mlir.addressof @"+Core.Float64#7" : !llvm.ptr
  llvm.return %p : !llvm.ptr
}
llvm.func @baked() -> !llvm.ptr<10> {
  %0 = llvm.mlir.constant(139637976735752 : i64) : i64
  %1 = llvm.inttoptr %0 : i64 to !llvm.ptr
  %2 = llvm.addrspacecast %1 : !llvm.ptr to !llvm.ptr<10>
  llvm.return %2 : !llvm.ptr<10>
}
llvm.func @decimal_digits() -> i64 {
  %0 = llvm.mlir.constant(100000000000000 : i64) : i64
  llvm.return %0 : i64
}
