; target: x86_64-linux
define <vscale x 4 x i32> @f(<vscale x 4 x i32> %v) {
  %o = add <vscale x 4 x i32> %v, %v
  ret <vscale x 4 x i32> %o
}
