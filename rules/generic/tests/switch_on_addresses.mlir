// session: session.json

llvm.func @which(%n: i64) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.switch %n : i64, ^other [
    139637976731648: ^foo
  ]
^foo:
  llvm.return %one : i32
^other:
  llvm.return %zero : i32
}
