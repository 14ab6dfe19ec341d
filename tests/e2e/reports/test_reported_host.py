"""What goes wrong elsewhere with machines. See docs/REPORTS.md."""
import os
import pathlib
import re
import subprocess


def test_weights_are_in_memory_once(start, model):
    service = start("--ctx", 256)
    status = pathlib.Path(f"/proc/{service.process.pid}/status").read_text()
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024
    assert peak < 1.15 * model.stat().st_size + (80 << 20)  # the vocabulary, a step's buffers and the program


def test_the_table_without_any_extension_answers_the_same(binary, model):
    def answer(**environment):
        env = {k: v for k, v in os.environ.items() if not k.startswith("RECKON_")} | environment
        command = [str(binary), "run", "-m", str(model), "--quiet", "--temp", "0", "--max-tokens", "4", "Say hello."]
        return subprocess.run(command, capture_output=True, env=env, check=True).stdout

    assert answer(RECKON_ISA="scalar") == answer() != b""
