@rt_table = external global [8 x ptr]
@mine_table = external global [8 x ptr]

define ptr @third() {
  %w = load ptr, ptr getelementptr (i8, ptr @rt_table, i64 16)
  ret ptr %w
}

define ptr @other() {
  %w = load ptr, ptr getelementptr (i8, ptr @mine_table, i64 16)
  ret ptr %w
}

define float @narrow() {
  %w = load float, ptr @rt_table
  ret float %w
}
