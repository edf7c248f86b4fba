// session: session.json

llvm.mlir.global external constant @jl_true() {addr_space = 0 : i32, alignment = 16 : i64} : !llvm.ptr
llvm.mlir.global external constant @jl_false() {addr_space = 0 : i32} : !llvm.ptr
llvm.mlir.global external @jl_small_typeof() {addr_space = 0 : i32, alignment = 16 : i64} : !llvm.struct<(i64, i64, array<3 x i32>)>
llvm.mlir.global external @jl_world_counter() {addr_space = 0 : i32} : i64
llvm.mlir.global external @jl_unused() {addr_space = 0 : i32} : !llvm.ptr
llvm.func @jl_nothing()
llvm.func @jl_apply_generic(!llvm.ptr<10>) -> !llvm.ptr<10>

llvm.func @is_true(%v: !llvm.ptr) -> i1 {
  %p = llvm.mlir.addressof @jl_true : !llvm.ptr
  %t = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> !llvm.ptr
  %e = llvm.icmp "eq" %v, %t : !llvm.ptr
  llvm.return %e : i1
}
llvm.func @in_the_collectors_address_space() -> !llvm.ptr<10> {
  %p = llvm.mlir.addressof @jl_false : !llvm.ptr
  %t = llvm.load %p : !llvm.ptr -> !llvm.ptr<10>
  llvm.return %t : !llvm.ptr<10>
}
llvm.func @at_byte_20() -> i64 {
  %p = llvm.mlir.addressof @jl_small_typeof : !llvm.ptr
  %q = llvm.getelementptr %p[0, 2, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i64, i64, array<3 x i32>)>
  %c = llvm.addrspacecast %q : !llvm.ptr to !llvm.ptr<11>
  %t = llvm.load %c : !llvm.ptr<11> -> i64
  llvm.return %t : i64
}
llvm.func @declared_as_a_function() -> i64 {
  %p = llvm.mlir.addressof @jl_nothing : !llvm.ptr
  %t = llvm.load %p : !llvm.ptr -> i64
  llvm.return %t : i64
}
llvm.func @one_of_two(%c: i1) -> !llvm.ptr {
  %t = llvm.mlir.addressof @jl_true : !llvm.ptr
  %f = llvm.mlir.addressof @jl_false : !llvm.ptr
  %p = llvm.select %c, %t, %f : i1, !llvm.ptr
  %w = llvm.load %p : !llvm.ptr -> !llvm.ptr
  llvm.return %w : !llvm.ptr
}
llvm.func @changes_while_it_runs() -> i64 {
  %p = llvm.mlir.addressof @jl_world_counter : !llvm.ptr
  %w = llvm.load %p : !llvm.ptr -> i64
  llvm.return %w : i64
}
llvm.func @calls_are_linked(%v: !llvm.ptr<10>) -> !llvm.ptr<10> {
  %w = llvm.call @jl_apply_generic(%v) : (!llvm.ptr<10>) -> !llvm.ptr<10>
  llvm.return %w : !llvm.ptr<10>
}
