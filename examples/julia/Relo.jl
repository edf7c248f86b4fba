"""
Loads what `relo compile` wrote into this Julia, with this session's objects where the code refers to another's.

Julia is the host: it resolves keys to its own objects, and keeps them alive as long as an image uses them.
"""
module Relo

export load, address, unload

const LIBRARY = get(ENV, "RELO_LIBRARY", "librelo.so")

# As in relo.h.
struct Referent
    kind::Cint
    runtime::Cstring
    key::Cstring
    symbol::Cstring
    library::Cstring
    offset::UInt64
end

struct Resolved
    word::UInt64
    root::Ptr{Cvoid}
    reason::Ptr{UInt8}
end

struct Host
    size::Csize_t
    user::Ptr{Cvoid}
    resolve::Ptr{Cvoid}
    retain::Ptr{Cvoid}
    release::Ptr{Cvoid}
    finish::Ptr{Cvoid}
end

# What images keep alive: each object with the number of its uses. What was just resolved has none until relo says so.
const ROOTS = Dict{Ptr{Cvoid},Tuple{Any,Int}}()
# Why the last object was not found: relo copies the text.
const REASON = Ref("")

pointer_to(object) = ccall(:jl_value_ptr, Ptr{Cvoid}, (Any,), object)
value(text) = Core.eval(Main, Meta.parse(text))

"""The object that a key means here. Keys say how, up to the first colon."""
function object(key)
    how, what = split(key, ':', limit = 2)
    how == "sym" && return Symbol(what)
    how == "bool" && return what == "true"
    how == "str" && return String(what)
    how in ("type", "const") && return value(what)
    how == "instance" && return value(what).instance
    how == "mi" && return method_instance(value(what))
    error("nobody knows what `$how:` means")
end

"""The specialisation of the method that a call of this signature runs."""
function method_instance(signature)
    type, parameters, method = Base._methods_by_ftype(signature, -1, typemax(UInt))[1]
    ccall(:jl_specializations_get_linfo, Ref{Core.MethodInstance}, (Any, Any, Any), method, type, parameters)
end

function resolve(user::Ptr{Cvoid}, asked::Ptr{Referent}, answer::Ptr{Resolved})::Bool
    referent = unsafe_load(asked)
    # Objects are kind 0; symbols and words are what the process has.
    (referent.kind == 0 && unsafe_string(referent.runtime) == "julia") || return false
    try
        meaning = unsafe_pointer_to_objref(user)::Ref{Function}
        found = meaning[](unsafe_string(referent.key))
        root = pointer_to(found)
        haskey(ROOTS, root) || (ROOTS[root] = (found, 0))
        unsafe_store!(answer, Resolved(UInt64(root), root, C_NULL))
        return true
    catch problem
        REASON[] = sprint(showerror, problem)
        unsafe_store!(answer, Resolved(0, C_NULL, pointer(REASON[])))
        return false
    end
end

function retain(user::Ptr{Cvoid}, root::Ptr{Cvoid})::Cvoid
    object, uses = ROOTS[root]
    ROOTS[root] = (object, uses + 1)
    return
end

function release(user::Ptr{Cvoid}, root::Ptr{Cvoid})::Cvoid
    object, uses = ROOTS[root]
    uses > 1 ? (ROOTS[root] = (object, uses - 1)) : delete!(ROOTS, root)
    return
end

"""Throws what relo says is wrong."""
function check(problem::Ptr{Cvoid})
    problem == C_NULL && return
    text(pointer) = pointer == C_NULL ? "" : unsafe_string(pointer)
    said = [text(ccall((:relo_error_message, LIBRARY), Ptr{UInt8}, (Ptr{Cvoid},), problem))]
    for index in 1:ccall((:relo_error_count, LIBRARY), Csize_t, (Ptr{Cvoid},), problem)
        push!(said, text(ccall((:relo_error_detail, LIBRARY), Ptr{UInt8}, (Ptr{Cvoid}, Csize_t), problem, index - 1)))
    end
    ccall((:relo_error_free, LIBRARY), Cvoid, (Ptr{Cvoid},), problem)
    error(join(said, "\n  "))
end

"""A resolver that asks a function for objects, and the process for symbols, of these libraries too."""
function resolver(meaning, libraries)
    new = ccall((:relo_resolver_new, LIBRARY), Ptr{Cvoid}, ())
    host = Host(
        sizeof(Host), pointer_from_objref(meaning),
        @cfunction(resolve, Bool, (Ptr{Cvoid}, Ptr{Referent}, Ptr{Resolved})),
        @cfunction(retain, Cvoid, (Ptr{Cvoid}, Ptr{Cvoid})),
        @cfunction(release, Cvoid, (Ptr{Cvoid}, Ptr{Cvoid})),
        C_NULL,
    )
    check(ccall((:relo_resolver_add_host, LIBRARY), Ptr{Cvoid}, (Ptr{Cvoid}, Ref{Host}), new, host))
    check(ccall(
        (:relo_resolver_add_process, LIBRARY), Ptr{Cvoid}, (Ptr{Cvoid}, Ptr{Cstring}, Csize_t),
        new, Base.cconvert(Ptr{Cstring}, [Base.unsafe_convert(Cstring, library) for library in libraries]),
        length(libraries),
    ))
    new
end

"""The image of an artifact, whose manifest lies beside it."""
function load(artifact; object = object, libraries = ["libm.so.6", "libjulia.so.1"])
    meaning = Ref{Function}(object)
    image = Ref{Ptr{Cvoid}}(C_NULL)
    # Objects are asked for while it loads, not afterwards.
    GC.@preserve meaning libraries begin
        asked = resolver(meaning, libraries)
        try
            check(ccall(
                (:relo_load_file, LIBRARY), Ptr{Cvoid}, (Cstring, Ptr{Cvoid}, Ptr{Cvoid}, UInt32, Ref{Ptr{Cvoid}}),
                artifact, C_NULL, asked, 0, image,
            ))
        finally
            ccall((:relo_resolver_free, LIBRARY), Cvoid, (Ptr{Cvoid},), asked)
        end
    end
    image[]
end

"""Where a function of an image is."""
function address(image, name)
    found = Ref{Ptr{Cvoid}}(C_NULL)
    check(ccall(
        (:relo_image_address, LIBRARY), Ptr{Cvoid}, (Ptr{Cvoid}, Cstring, Ref{Ptr{Cvoid}}), image, name, found,
    ))
    found[]
end

"""The functions that an image offers."""
function entries(image)
    count = ccall((:relo_image_count, LIBRARY), Csize_t, (Ptr{Cvoid},), image)
    [unsafe_string(ccall((:relo_image_entry, LIBRARY), Ptr{UInt8}, (Ptr{Cvoid}, Csize_t), image, index - 1))
     for index in 1:count]
end

"""Ends an image; what it kept alive may go."""
unload(image) = ccall((:relo_image_unload, LIBRARY), Cvoid, (Ptr{Cvoid},), image)

end
