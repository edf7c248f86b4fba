; Several kernels, a function that they call, a record, and a kernel without a host reference.
; TRIPLE, KERNEL and FUNCTION stand for the target's own words.
target triple = "TRIPLE"

@rt_true = external addrspace(1) global i64, align 8
@rt_false = external addrspace(1) global i64, align 8
@rt_table = external addrspace(1) global [16 x i64], align 8
@rt_name = external addrspace(1) global i8

@header = addrspace(1) constant { i32, i64, [3 x ptr addrspace(1)] } { i32 7, i64 11,
    [3 x ptr addrspace(1)] [ptr addrspace(1) null, ptr addrspace(1) @rt_name,
                            ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @rt_table, i64 24)] }, align 16

define FUNCTION i64 @choose(i64 %v) noinline {
  %t = load i64, ptr addrspace(1) @rt_true, align 8
  %f = load i64, ptr addrspace(1) @rt_false, align 8
  %odd = trunc i64 %v to i1
  %r = select i1 %odd, i64 %t, i64 %f
  ret i64 %r
}

define KERNEL void @words(ptr addrspace(1) %out) {
  %t = load i64, ptr addrspace(1) @rt_true, align 8
  %again = load i64, ptr addrspace(1) @rt_true, align 8
  %third = load i64, ptr addrspace(1) getelementptr ([16 x i64], ptr addrspace(1) @rt_table, i64 0, i64 3), align 8
  %s = add i64 %t, %third
  store i64 %s, ptr addrspace(1) %out, align 8
  %q = getelementptr i64, ptr addrspace(1) %out, i64 1
  store i64 %again, ptr addrspace(1) %q, align 8
  ret void
}

define KERNEL void @chosen(ptr addrspace(1) %out, i64 %v) {
  %r = call FUNCTION i64 @choose(i64 %v)
  store i64 %r, ptr addrspace(1) %out, align 8
  ret void
}

define KERNEL void @inside(ptr addrspace(1) %out, i64 %i) {
  %p = getelementptr { i32, i64, [3 x ptr addrspace(1)] }, ptr addrspace(1) @header, i64 0, i32 2, i64 %i
  %w = load i64, ptr addrspace(1) %p, align 8
  store i64 %w, ptr addrspace(1) %out, align 8
  ret void
}

define KERNEL void @plain(ptr addrspace(1) %out, i64 %v) {
  store i64 %v, ptr addrspace(1) %out, align 8
  ret void
}
