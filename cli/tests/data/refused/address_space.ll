; target: cuda
@a = addrspace(7) global i32 0
