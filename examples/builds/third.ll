@my_runtime_table = external global [8 x ptr]

define ptr @third() {
  %w = load ptr, ptr getelementptr (i8, ptr @my_runtime_table, i64 16)
  ret ptr %w
}
