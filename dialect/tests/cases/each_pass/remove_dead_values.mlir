// pass: builtin.module(remove-dead-values)
// left: 1 reloc.load
// left: 1 reloc.slot
// A word that reaches a result stays; one that reaches nothing goes.
reloc.slot @foo : i64 -> #reloc.object<"rt", "foo">
func.func private @second(%dead: i64, %live: i64) -> i64 {
  return %live : i64
}
func.func @f() -> i64 {
  %a = reloc.load @foo : i64
  %b = reloc.load @foo : i64
  %r = call @second(%b, %a) : (i64, i64) -> i64
  return %r : i64
}
