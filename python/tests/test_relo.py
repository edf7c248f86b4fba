"""The package as users have it."""

import ctypes
import gc
import math
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref
from pathlib import Path
from typing import Optional, Union

import relo

TARGET = f"{os.uname().machine}-linux"

# A session's addresses, and what they mean. The code adds two objects' addresses, and calls a function.
FIRST, SECOND, COS = 0x7F00_0000_1000, 0x7F00_0000_2000, 0x7F00_0000_3000
SOURCE = f"""
define i64 @both() {{
  %a = add i64 {FIRST}, {SECOND + 8}
  ret i64 %a
}}
define double @cosine(double %x) {{
  %y = call double inttoptr (i64 {COS} to ptr)(double %x)
  ret double %y
}}
"""
SESSION: dict[Union[int, str], relo.Referent] = {
    FIRST: relo.Object("host", "first"),
    SECOND + 8: relo.Object("host", "second", 8),
    COS: relo.Symbol("cos", "libm.so.6"),
}


def compiled(**options: object) -> relo.Artifact:
    return relo.compile(SOURCE, target=TARGET, session=SESSION, **options)  # type: ignore[arg-type]


class Thing:
    """Something that a weak reference can be made to."""


class Compile(unittest.TestCase):
    def test_an_artifact_says_what_it_needs(self) -> None:
        artifact = compiled()
        self.assertTrue(artifact.portable)
        self.assertEqual(set(artifact.entries), {"both", "cosine"})
        self.assertEqual(set(artifact.referents), set(SESSION.values()))
        self.assertEqual(artifact.warnings, ())
        for address in (FIRST, SECOND, COS):
            self.assertNotIn(address.to_bytes(8, sys.byteorder), artifact.code)

    def test_options_reach_the_compiler(self) -> None:
        artifact = compiled(entries=["both"], emit="llvm", optimise=0, strategy="defer")
        self.assertEqual(artifact.entries, ("both",))
        self.assertIn(b"!reloc.sites", artifact.code)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "source.ll"
            source.write_text("@rt_true = external global i64\n"
                              "define i64 @f() {\n  %w = load i64, ptr @rt_true\n  ret i64 %w\n}\n")
            artifact = relo.compile(
                source, target=TARGET, packs=["clang"], settings={"clang.words": "^rt_"}, cache=f"{folder}/cache"
            )
            self.assertEqual(artifact.referents, (relo.Word("rt_true"),))
            self.assertTrue(any((Path(folder) / "cache").rglob("*")))

    def test_a_file_holds_what_memory_does(self) -> None:
        artifact = compiled()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "code.so"
            artifact.save(path)
            self.assertEqual(sorted(os.listdir(folder)), ["code.so", "code.so.reloc.json"])
            self.assertEqual(relo.Artifact.open(path), artifact)

    def test_refusals_are_data(self) -> None:
        with self.assertRaises(relo.CompileError) as caught:
            relo.compile("define i64 @f() { ret i32 0 }", target=TARGET)
        error = caught.exception
        self.assertEqual(error.code, "relo::input::llvm")
        (diagnostic,) = error.diagnostics
        self.assertEqual(diagnostic.severity, "error")
        self.assertTrue(diagnostic.labels and diagnostic.help)
        self.assertIn("relo explain relo::input::llvm", str(error))
        self.assertEqual(pickle.loads(pickle.dumps(error)).diagnostics, error.diagnostics)
        with self.assertRaises(relo.CompileError) as caught:
            relo.compile(SOURCE, target="nowhere")
        self.assertEqual(caught.exception.code, "relo::pack::unknown_target")
        with self.assertRaisesRegex(ValueError, "9"):
            relo.compile(SOURCE, target=TARGET, optimise=9)

    def test_the_command_comes_along(self) -> None:
        done = subprocess.run([sys.executable, "-m", "relo", "targets"], capture_output=True, text=True, check=True)
        self.assertIn(TARGET, done.stdout)


class Load(unittest.TestCase):
    artifact: relo.Artifact

    @classmethod
    def setUpClass(cls) -> None:
        cls.artifact = compiled()

    def test_a_function_of_the_host_resolves(self) -> None:
        asked = []

        def resolver(referent: relo.Referent) -> Optional[int]:
            asked.append(referent)
            match referent:
                case relo.Object("host", "first"):
                    return 1 << 63
                case relo.Object(key="second"):
                    return 20
            return None

        with relo.load(self.artifact, resolver) as image:
            self.assertEqual(set(image.entries), {"both", "cosine"})
            self.assertEqual(image.function("both", ctypes.c_uint64)(), (1 << 63) + 28)
            cosine = image.function("cosine", ctypes.c_double, ctypes.c_double)
            self.assertEqual(cosine(1.0), math.cos(1.0))
            self.assertEqual(cosine.image, image)
        # The addend is relo's business, and what nobody knew the process was asked for.
        self.assertEqual(
            set(asked), {relo.Object("host", "first"), relo.Object("host", "second"), relo.Symbol("cos", "libm.so.6")}
        )
        with self.assertRaisesRegex(ValueError, "unloaded"):
            image.address("both")

    def test_the_first_that_knows_answers(self) -> None:
        first: dict[relo.Referent, int] = {relo.Object("host", "first"): 1}
        second: dict[relo.Referent, int] = {relo.Object("host", "first"): 100, relo.Object("host", "second"): 2}
        image = relo.load(self.artifact, [first.get, second.__getitem__])
        self.assertEqual(image.function("both", ctypes.c_uint64)(), 1 + 2 + 8)

    def test_every_referent_that_fails_is_told(self) -> None:
        def resolver(referent: relo.Referent) -> int:
            raise LookupError(f"no {referent} today")

        with self.assertRaises(relo.UnresolvedError) as caught:
            relo.load(self.artifact, resolver)
        error = caught.exception
        self.assertEqual(error.code, "relo::load::unresolved")
        first, second = sorted(error.unresolved, key=lambda one: str(one.referent))
        self.assertEqual(first.referent, relo.Object("host", "first"))
        self.assertIn("no Object(runtime='host', key='first', addend=0) today", first.reason)
        self.assertEqual(second.referent, relo.Object("host", "second", 8))
        self.assertIn("'second'", str(error))
        self.assertEqual(pickle.loads(pickle.dumps(error)).unresolved, error.unresolved)
        with self.assertRaises(relo.UnresolvedError) as caught:
            relo.load(self.artifact, lambda referent: 0)
        self.assertIn("null", caught.exception.unresolved[0].reason)

    def test_exceptions_pass(self) -> None:
        calls = []

        def resolver(referent: relo.Referent) -> int:
            calls.append(referent)
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            relo.load(self.artifact, resolver)
        self.assertEqual(len(calls), 1)
        for wrong in (-1, 1 << 64, "word"):
            with self.assertRaisesRegex(TypeError, "which is no word"):
                relo.load(self.artifact, lambda referent: wrong)  # type: ignore[arg-type, return-value]

    def test_objects_live_as_long_as_the_code(self) -> None:
        things = [Thing(), Thing()]
        watched = [weakref.ref(thing) for thing in things]
        addresses = sum(map(id, things)) + 8

        def resolver(referent: relo.Referent) -> Optional[relo.Resolved]:
            return relo.Resolved.object(things.pop()) if isinstance(referent, relo.Object) else None

        function = relo.load(self.artifact, resolver).function("both", ctypes.c_uint64)
        gc.collect()
        # Only the function is left, and has the image, which has them.
        self.assertTrue(all(watch() for watch in watched) and not things)
        self.assertEqual(function(), addresses)
        del function
        gc.collect()
        self.assertFalse(any(watch() for watch in watched))

    def test_nothing_is_kept_when_loading_fails(self) -> None:
        thing = Thing()
        watched = weakref.ref(thing)
        answers: list[relo.Resolved] = [relo.Resolved.object(thing)]
        del thing
        with self.assertRaises(relo.UnresolvedError):
            relo.load(self.artifact, lambda referent: answers.pop() if answers else None)
        gc.collect()
        self.assertIsNone(watched())

    def test_libraries_are_opened_only_where_allowed(self) -> None:
        # A part of glibc that nothing loads by itself; how many bytes a character has there is its own matter.
        library = "libBrokenLocale.so.1"
        artifact = relo.compile(
            f"define i64 @f() {{\n  %r = call i64 inttoptr (i64 {FIRST} to ptr)()\n  ret i64 %r\n}}\n",
            target=TARGET,
            session={FIRST: relo.Symbol("__ctype_get_mb_cur_max", library)},
        )
        with self.assertRaisesRegex(relo.UnresolvedError, "does not allow"):
            relo.load(artifact)
        image = relo.load(artifact, allow=[library])
        self.assertGreater(image.function("f", ctypes.c_long)(), 0)

    def test_threads_load_one_artifact_with_words_of_their_own(self) -> None:
        results = {}

        def work(number: int) -> None:
            for time in range(20):
                word = number * 1000 + time
                image = relo.load(self.artifact, lambda referent: word if isinstance(referent, relo.Object) else None)
                results[word] = image.function("both", ctypes.c_uint64)()
                image.unload()

        # Object addresses are never null.
        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {word: 2 * word + 8 for word in results})
        self.assertEqual(len(results), 160)

    def test_a_resolver_may_load(self) -> None:
        words: dict[relo.Referent, int] = {relo.Object("host", "first"): 1, relo.Object("host", "second"): 2}

        def resolver(referent: relo.Referent) -> Optional[int]:
            with relo.load(self.artifact, words.get) as inner:
                sum = inner.function("both", ctypes.c_uint64)()
            return int(sum) if isinstance(referent, relo.Object) else None

        image = relo.load(self.artifact, resolver)
        self.assertEqual(image.function("both", ctypes.c_uint64)(), 11 + 11 + 8)

    def test_what_was_altered_is_refused(self) -> None:
        code = bytearray(self.artifact.code)
        code[-1] ^= 1
        with self.assertRaises(relo.LoadError) as caught:
            relo.load(relo.Artifact(bytes(code), self.artifact.manifest_json), lambda referent: 1)
        self.assertEqual(caught.exception.code, "relo::load::hash")
        json = self.artifact.manifest_json.replace('"width": 64', '"width": 63')
        with self.assertRaises(relo.ManifestError) as refused:
            relo.load(relo.Artifact(self.artifact.code, json), lambda referent: 1)
        self.assertEqual(refused.exception.code, "relo::manifest::inconsistent")
        self.assertIn("width", refused.exception.problems[0])
        with self.assertRaises(relo.ManifestError) as refused:
            relo.load(relo.Artifact(self.artifact.code, "{"), lambda referent: 1)
        self.assertEqual(refused.exception.code, "relo::manifest::format")
        with self.assertRaisesRegex(relo.LoadError, "can't read"):
            relo.load("/nowhere/code.so")

    def test_code_of_one_session_is_only_loaded_on_demand(self) -> None:
        # Words are baked as they are in the compiling process, where the C library is the same file.
        artifact = relo.compile(
            f"define i64 @f() {{\n  ret i64 {FIRST}\n}}\n",
            target=TARGET,
            session={FIRST: relo.Symbol("getpid")},
            strategy="bake",
        )
        self.assertFalse(artifact.portable)
        with self.assertRaisesRegex(relo.LoadError, "not portable"):
            relo.load(artifact)
        self.assertTrue(relo.load(artifact, bound=True).function("f", ctypes.c_uint64)())

    def test_names_that_are_not_there(self) -> None:
        image = relo.load(self.artifact, lambda referent: 1)
        with self.assertRaisesRegex(relo.LoadError, "it offers: both, cosine"):
            image.address("neither")


class Readme(unittest.TestCase):
    def test_its_example_runs(self) -> None:
        text = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
        code = text.split("```python\n")[1].split("```")[0].replace("x86_64-linux", TARGET)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
