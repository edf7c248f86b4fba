; report: JuliaGPU/GPUCompiler.jl/issues/460: a second run prints a type of the old process
; right: the address of a cached function of the runtime is a site like any other
; relo: -t x86_64-linux --strategy defer --emit llvm -O2
; session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "julia", "key": "type:Main.Point"}}}
declare void @print_type(ptr)

define linkonce_odr void @gpu_report_exception_name() {
  call void @print_type(ptr inttoptr (i64 139637976731648 to ptr))
  ret void
}

define void @kernel() {
  call void @gpu_report_exception_name()
  ret void
}
