; shows: a word in data
target triple = "TRIPLE"

@out.name = private unnamed_addr constant [4 x i8] c"Out\00", align 1
@padded = internal constant { i32, i64, [2 x i64] } { i32 5, i64 OBJECT1, [2 x i64] [i64 77, i64 OBJECT0] }

declare i32 @llvm.spv.thread.id.i32(i32)

define void @k() #0 {
  %i = call i32 @llvm.spv.thread.id.i32(i32 0)
  %n = zext i32 %i to i64
  %q = getelementptr { i32, i64, [2 x i64] }, ptr @padded, i64 0, i32 2, i64 %n
  %x = load i64, ptr %q
  %out = call target("spirv.VulkanBuffer", [0 x i64], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i64_12_1t(i32 0, i32 0, i32 1, i32 0, ptr @out.name)
  %p = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i64_12_1t(target("spirv.VulkanBuffer", [0 x i64], 12, 1) %out, i32 %i)
  store i64 %x, ptr addrspace(11) %p, align 8
  ret void
}

define void @plain() #0 {
  ret void
}

attributes #0 = { "hlsl.numthreads"="8,1,1" "hlsl.shader"="compute" }
