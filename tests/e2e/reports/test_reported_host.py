"""What goes wrong elsewhere with machines. See docs/REPORTS.md."""
import os
import subprocess


def run(binary, model, *flags, **environment):
    """Standard output and the peak of the resident set, in bytes."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("RECKON_")} | environment
    command = [str(binary), "run", "-m", str(model), "--quiet", "--temp", "0", *map(str, flags), "Say hello."]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=env)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return text, usage.ru_maxrss * 1024


def test_weights_are_in_memory_once(binary, model):
    _, peak = run(binary, model, "--ctx", 256, "--max-tokens", 2)
    assert peak < 1.15 * model.stat().st_size + (80 << 20)  # the vocabulary, a step's buffers and the program


def test_the_table_without_any_extension_answers_the_same(binary, model):
    plain, _ = run(binary, model, "--max-tokens", 8, RECKON_ISA="scalar")
    picked, _ = run(binary, model, "--max-tokens", 8)
    assert plain == picked and plain.strip()
