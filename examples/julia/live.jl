# Functions that an earlier Julia compiled, in this one: julia live.jl FOLDER
#
# FOLDER has an artifact per function of RelocCorpus. Each is loaded, called, and has to do what Julia's own compilation of
# the function does, with garbage collections in between.
include(joinpath(@__DIR__, "Relo.jl"))
include(joinpath(@__DIR__, "../corpus/julia/RelocCorpus.jl"))
using .RelocCorpus: RelocCorpus

const Corpus = RelocCorpus
const FOLDER = ARGS[1]

# Julia's calling convention: the function, its arguments, and how many.
function call(code, f, arguments...)
    boxed = Any[arguments...]
    GC.@preserve boxed ccall(code, Any, (Any, Ptr{Any}, UInt32), f, pointer(boxed), length(boxed))
end

# What Julia calls a function by, where it knows nothing of the arguments' types.
entry_of(image) = first(filter(entry -> occursin(r"^jfptr_|^japi1_", entry), Relo.entries(image)))

attempt(work) = try work() catch problem; problem end

same(a, b) = typeof(a) == typeof(b) &&
    (a isa Exception ? sprint(showerror, a) == sprint(showerror, b) : a === b || isequal(a, b))

# What can be seen of a call: its result, and its arguments afterwards.
seen(result, arguments) = (result isa Corpus.Box ? (typeof(result.x), length(result.x)) : result, arguments)

const CALLS = [
    (Corpus.f01_is_foo, [(:foo,), (:bar,), (1,)]),
    (Corpus.f02_pick_sym, [(true,), (false,)]),
    (Corpus.f03_box_f64, [(true, 2.5), (false, 2.5)]),
    (Corpus.f04_maybe, [(3,), (-3,)]),
    (Corpus.f05_isa_f32, [(1.0f0,), (Corpus.Pt(1, 2),), (:s,), ("x",)]),
    (Corpus.f06_store_bool, [(Any[0], 3), (Any[0], -3)]),
    (Corpus.f07_greet, [()]),
    (Corpus.f08_table, [(1,), (4,), (9,)]),
    (Corpus.f09_alloc, [(5,), (0,)]),
    (Corpus.f10_libm, [(0.5,), (-2.0,)]),
    (Corpus.f11_dyn, [(1, 2.5), (0x1, 2), ("a", 1)]),
    (Corpus.f12_throw, [(7,), (-1,), (0,)]),
    (Corpus.f13_singleton, [(true,), (false,)]),
]

function compare()
    calls = 0
    for (f, many) in CALLS
        name = string(nameof(f))
        image = Relo.load(joinpath(FOLDER, "$name.so"))
        code = Relo.address(image, entry_of(image))
        for arguments in many
            wanted = attempt(() -> f(arguments...)), deepcopy(arguments)
            got = attempt(() -> call(code, f, arguments...)), arguments
            wanted, got = seen(wanted...), seen(got...)
            all(map(same, wanted, got)) || error("$name$arguments gives $(got[1]), and Julia's own $(wanted[1])")
            calls += 1
        end
        GC.gc()
        again = attempt(() -> call(code, f, many[1]...))
        same(seen(again, ())[1], seen(attempt(() -> f(many[1]...)), ())[1]) || error("$name differs after a collection")
        Relo.unload(image)
    end
    isempty(Relo.ROOTS) || error("roots are left: $(keys(Relo.ROOTS))")
    calls
end

# What Julia compiles elsewhere has to be linked: without it, nothing is loaded.
function refuse()
    said = attempt(() -> Relo.load(joinpath(FOLDER, "f14_dict.so")))
    said isa ErrorException && occursin("undefined symbol: j1_Dict", said.msg) || error("f14_dict lacks its callee: $said")
    said = attempt(() -> Relo.load(joinpath(FOLDER, "f01_is_foo.so"), object = key -> error("$key is lost")))
    said isa ErrorException && occursin("sym:foo is lost", said.msg) || error("nobody misses foo: $said")
    isempty(Relo.ROOTS) || error("roots are left: $(keys(Relo.ROOTS))")
end

# The words are what the code goes by: with another symbol's, it takes that one for `foo`.
function mislead()
    image = Relo.load(joinpath(FOLDER, "f01_is_foo.so"), object = key -> key == "sym:foo" ? :bar : Relo.object(key))
    code = Relo.address(image, entry_of(image))
    call(code, Corpus.f01_is_foo, :bar) === true && call(code, Corpus.f01_is_foo, :foo) === false ||
        error("the code does not go by its words")
    Relo.unload(image)
end

calls = compare()
refuse()
mislead()
println("$calls calls of $(length(CALLS)) functions agree")
