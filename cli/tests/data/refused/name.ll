; target: cuda
define i32 @"a#b"(i32 %a) {
  ret i32 %a
}
