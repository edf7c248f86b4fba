; target: opencl
module asm "nop"
