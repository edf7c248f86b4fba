; MLIR's import loses what is initialised from outside.
@named = internal externally_initialized global i64 0
@0 = internal externally_initialized global i64 1
@far = addrspace(1) externally_initialized global i64 2
@plain = internal global i64 0
@uses = global [3 x ptr] [ptr @named, ptr @0, ptr @plain]
