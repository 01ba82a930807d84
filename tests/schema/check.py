"""Validates answers against their JSON Schemas: every scenario of a folder, and every command of `ballpark help questions`.

    check.py PROGRAM FOLDER

Schemas are those of `ballpark schema` and `ballpark schema QUESTION`, checked against JSON Schema 2020-12 themselves.
The last line sums up.
"""
import json
import pathlib
import shlex
import subprocess
import sys

import jsonschema

program, root = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*words):
    done = subprocess.run([program, *words], capture_output=True, text=True, cwd=root, timeout=300)
    return done.returncode, done.stdout


def validator(*words):
    schema = json.loads(run("schema", *words)[1])
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def commands():
    """Command lines of the page of questions that ask one."""
    page = (root / "lua/ballpark/manual/questions.md").read_text()
    for line in page.replace("\\\n", " ").splitlines():
        for part in line.split("`")[1::2]:
            if part.startswith("ballpark ") and "|" not in part and "<" not in part:
                yield shlex.split(part)[1:]


def main():
    passed, failed, report = 0, 0, validator()
    cases = [["run", str(path.relative_to(root))] for path in sorted((root / "scenarios").glob("**/*.lua"))
             if "rules" not in path.name and "teams" not in path.parts]
    cases += [words for words in commands() if not {"-f", "--emit", "-o", "--format", "--store"} & set(words)]
    for words in cases:
        code, text = run(*words, "-f", "json")
        if code not in (0, 1) or not text.startswith("{"):
            print("not asked:", *words, f"(exit code {code})")
            continue
        faults = [error.message for error in report.iter_errors(json.loads(text))]
        passed, failed = passed + (not faults), failed + bool(faults)
        for fault in faults[:3]:
            print("--- failed:", *words, ":", fault)
    for name in ("estimate", "search"):
        words = ["run", "scenarios/quickstart.lua"] if name == "search" else ["run", "scenarios/worked/b2-step-time.lua"]
        faults = list(validator(name).iter_errors(json.loads(run(*words, "-f", "json")[1])))
        passed, failed = passed + (not faults), failed + bool(faults)
        for fault in faults[:3]:
            print("--- failed:", name, ":", fault.message)
    measured = validator("validate")
    for words in (["training", "training_moe.csv"], ["training", "training_moe.csv", "--where"],
                  ["training", "training_moe.csv", "--choice"], ["training", "training_memory.csv"],
                  ["training", "training_moe.csv", "--search"], ["finetuning", "finetuning.csv"], ["serving", "serving.csv"],
                  ["throughput", "throughput.csv"], ["memory", "memory.csv"], ["inference", "inference.csv"],
                  ["local", "local.csv"]):
        path = str(root / "tests/validate" / words[1])
        faults = list(measured.iter_errors(json.loads(run("validate", words[0], path, *words[2:], "-f", "json")[1])))
        passed, failed = passed + (not faults), failed + bool(faults)
        for fault in faults[:3]:
            print("--- failed: validate", *words, ":", fault.message)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
