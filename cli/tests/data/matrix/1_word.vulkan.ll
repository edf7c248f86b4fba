; shows: a word
target triple = "TRIPLE"

@out.name = private unnamed_addr constant [4 x i8] c"Out\00", align 1
@rt_w0 = external global i64
@rt_w1 = external global i64

declare i32 @llvm.spv.thread.id.i32(i32)

define internal i64 @add(i64 %v) noinline {
  %t = load i64, ptr @rt_w0
  %r = add i64 %t, %v
  ret i64 %r
}

define void @k() #0 {
  %i = call i32 @llvm.spv.thread.id.i32(i32 0)
  %n = zext i32 %i to i64
  %t = call i64 @add(i64 %n)
  %f = load i64, ptr @rt_w1
  %x = xor i64 %f, %t
  %out = call target("spirv.VulkanBuffer", [0 x i64], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i64_12_1t(i32 0, i32 0, i32 1, i32 0, ptr @out.name)
  %p = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i64_12_1t(target("spirv.VulkanBuffer", [0 x i64], 12, 1) %out, i32 %i)
  store i64 %x, ptr addrspace(11) %p, align 8
  ret void
}

define void @plain() #0 {
  ret void
}

attributes #0 = { "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" }
