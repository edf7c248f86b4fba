"""Modules that relo compiles: every input and output of the action is declared, so that it may run in a sandbox, on another
machine, or not at all when its result is known."""

def _relo_module(ctx):
    artifact = ctx.actions.declare_file(ctx.label.name + ".so")
    manifest = ctx.actions.declare_file(artifact.basename + ".reloc.json")
    inputs = [ctx.file.src] + ctx.files.rules
    arguments = ctx.actions.args()
    arguments.add("compile")
    arguments.add(ctx.file.src)
    arguments.add("--target", ctx.attr.target)
    if ctx.file.session:
        arguments.add("--session", ctx.file.session)
        inputs.append(ctx.file.session)
    folders = depset([file.dirname for file in ctx.files.rules])
    arguments.add_all(folders, before_each = "--rules")
    arguments.add_all(ctx.attr.packs, before_each = "--use")
    arguments.add("-o", artifact)
    ctx.actions.run(
        arguments = [arguments],
        executable = ctx.executable.relo,
        execution_requirements = {"block-network": "1"},
        inputs = inputs,
        mnemonic = "Relo",
        outputs = [artifact, manifest],
        progress_message = "relo %s" % ctx.label,
    )
    return [DefaultInfo(files = depset([artifact, manifest]))]

relo_module = rule(
    implementation = _relo_module,
    attrs = {
        "packs": attr.string_list(doc = "The front ends' packs to use."),
        "relo": attr.label(
            allow_single_file = True,
            cfg = "exec",
            doc = "The command.",
            executable = True,
            mandatory = True,
        ),
        "rules": attr.label_list(allow_files = [".relo", ".yaml"], doc = "The files of packs that do not come with relo."),
        "session": attr.label(allow_single_file = [".json"], doc = "What the front end says about the input."),
        "src": attr.label(allow_single_file = [".ll", ".bc", ".mlir"], doc = "The input.", mandatory = True),
        "target": attr.string(doc = "What to compile for.", mandatory = True),
    },
)
