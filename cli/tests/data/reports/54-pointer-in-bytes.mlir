// report: NVlabs/cuda-oxide/issues/589: statics with pointers are flattened to bytes
// right: the pointer is a site among the bytes
// relo: -t x86_64-linux --use clang --set clang.words=^rt_ --emit llvm -O0
llvm.mlir.global external @rt_callback() : i64
llvm.mlir.global external constant @table() {alignment = 8 : i64} : !llvm.struct<packed (array<8 x i8>, ptr)> {
  %0 = llvm.mlir.undef : !llvm.struct<packed (array<8 x i8>, ptr)>
  %1 = llvm.mlir.constant("\01\02\03\04\05\06\07\08") : !llvm.array<8 x i8>
  %2 = llvm.insertvalue %1, %0[0] : !llvm.struct<packed (array<8 x i8>, ptr)>
  %3 = llvm.mlir.addressof @rt_callback : !llvm.ptr
  %4 = llvm.insertvalue %3, %2[1] : !llvm.struct<packed (array<8 x i8>, ptr)>
  llvm.return %4 : !llvm.struct<packed (array<8 x i8>, ptr)>
}
