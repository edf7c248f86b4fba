// report: iree-org/iree/issues/14789: compiling demands what only the run time has
// right: nothing is looked up when compiling; the manifest lists it all
// relo: -t x86_64-linux -O2
// session: {"address": "0x7f0000001000", "target": {"symbol": {"name": "iree_uk_mmt4d", "library": "libiree.so"}}}
// session: {"address": "0x7f0000002000", "target": {"symbol": {"name": "iree_uk_pack", "library": "libiree.so"}}}
// session: {"address": "0x7f0000003000", "target": {"symbol": {"name": "iree_uk_unpack", "library": "libiree.so"}}}
// session: {"address": "0x7f0000004000", "target": {"symbol": {"name": "iree_uk_query", "library": "libiree.so"}}}
llvm.func @all() {
  %a = llvm.mlir.constant(139637976731648 : i64) : i64
  %b = llvm.mlir.constant(139637976735744 : i64) : i64
  %c = llvm.mlir.constant(139637976739840 : i64) : i64
  %d = llvm.mlir.constant(139637976743936 : i64) : i64
  %fa = llvm.inttoptr %a : i64 to !llvm.ptr
  %fb = llvm.inttoptr %b : i64 to !llvm.ptr
  %fc = llvm.inttoptr %c : i64 to !llvm.ptr
  %fd = llvm.inttoptr %d : i64 to !llvm.ptr
  llvm.call %fa() : !llvm.ptr, () -> ()
  llvm.call %fb() : !llvm.ptr, () -> ()
  llvm.call %fc() : !llvm.ptr, () -> ()
  llvm.call %fd() : !llvm.ptr, () -> ()
  llvm.return
}
