"""reckon chat on a real (pseudo) terminal: Chinese editing, Ctrl-C, Ctrl-D, the terminal left as it was found."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import pytest


class Terminal:
    def __init__(self, command, folder):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.found = termios.tcgetattr(slave)
        env = {k: v for k, v in os.environ.items() if not k.startswith("RECKON_") and k != "NO_COLOR"}
        env.update({"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "RECKON_HISTORY": str(folder / "history")})
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=env, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.slave = slave
        self.seen = ""

    def read_until(self, text, timeout=60):
        """Everything up to `text`, which must come behind what was read before."""
        deadline = time.monotonic() + timeout
        while text not in self.seen:
            left = deadline - time.monotonic()
            assert left > 0 and select.select([self.master], [], [], left)[0], f"no {text!r} in {self.seen!r}"
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        end = self.seen.index(text) + len(text)
        before, self.seen = self.seen[:end], self.seen[end:]
        return before

    def type(self, text):
        os.write(self.master, text.encode())

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def chat(binary, model, tmp_path):
    terminal = Terminal([str(binary), "chat", "-m", str(model), "--temp", "0", "--ignore-eos", "--no-loop-guard", "-n", "400"], tmp_path)
    terminal.folder = tmp_path
    yield terminal
    terminal.close()


PROMPT = "\x1b[1m> \x1b[0m"


def test_chinese_is_edited_by_whole_characters(chat):
    chat.read_until(PROMPT)
    chat.type("你好吗\x7f\x7f")
    chat.read_until("你\r\x1b[4C")  # one wide character behind the prompt: column 4
    chat.type("\x1b[D们\r")  # left, then insert
    chat.read_until("们你")
    chat.read_until("tokens", timeout=120)
    assert (chat.folder / "history").read_text() == "们你\n"
    assert (chat.folder / "history").stat().st_mode & 0o777 == 0o600


def test_ctrl_c_stops_the_answer_only(chat):
    chat.read_until(PROMPT)
    chat.type("Tell a very long story.\r")
    chat.read_until("story.\r")
    time.sleep(1.5)
    chat.type("\x03")
    chat.read_until("stopped", timeout=20)
    chat.read_until(PROMPT)
    chat.type("/set\r")
    chat.read_until("top_p")
    chat.read_until(PROMPT)
    chat.type("\x03")
    chat.read_until("Ctrl-D or /exit leaves")
    chat.type("\x04")
    assert chat.process.wait(timeout=20) == 0
    assert termios.tcgetattr(chat.slave)[:4] == chat.found[:4]


def test_a_signal_leaves_the_terminal_as_it_was(chat):
    chat.read_until(PROMPT)
    chat.process.send_signal(signal.SIGTERM)
    assert chat.process.wait(timeout=20) == 143
    assert termios.tcgetattr(chat.slave)[:4] == chat.found[:4]


def test_a_paste_is_one_message(chat):
    chat.read_until("\x1b[?2004h")
    chat.type("\x1b[200~one\ntwo\x1b[201~")
    chat.read_until("two")
    chat.type("\x15\x04")
    chat.type("\x03\x04")
    assert chat.process.wait(timeout=20) == 0
