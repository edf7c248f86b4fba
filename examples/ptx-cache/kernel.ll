; A kernel that compares words with an object of its host. SESSION is the object's address in the compiling process.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @compare(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %word = load i64, ptr addrspace(1) %in
  %same = icmp eq i64 %word, SESSION
  %bit = zext i1 %same to i64
  store i64 %bit, ptr addrspace(1) %out
  ret void
}
