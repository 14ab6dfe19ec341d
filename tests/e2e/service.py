"""`reckon serve` as a test sees it: started on a free port, ready when the program says so, stopped like any service."""
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading
import urllib.error
import urllib.request


class Service:
    """One running service. `url` has no path; `openai_url` is what OpenAI's clients want."""

    def __init__(self, binary, model, log_path, *flags):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("RECKON_")}
        self.log_path = log_path
        self.log = open(log_path, "wb")
        command = [str(binary), "serve", "-m", str(model), "--port", "0", *map(str, flags)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, env=environment, text=True)
        try:
            self.url = self._greeting(timeout=120)
        except BaseException:
            self.stop()
            raise
        self.openai_url = self.url + "/v1"
        self.port = int(self.url.rsplit(":", 1)[1])

    def _greeting(self, timeout):
        """The address from the line that the program prints once it has warmed up."""
        lines = queue.Queue()

        def read():
            for line in self.process.stdout:
                lines.put(line)
            lines.put("")

        threading.Thread(target=read, daemon=True).start()
        while True:
            try:
                line = lines.get(timeout=timeout)
            except queue.Empty:
                raise AssertionError(f"reckon serve was not ready within {timeout} s") from None
            assert line, "reckon serve ended: " + pathlib.Path(self.log_path).read_text(errors="replace")
            found = re.search(r"served at (https?://\S+)", line)
            if found:
                return found.group(1).rstrip(",")

    def stop(self):
        """SIGTERM ends the service with code 0; whatever does not end is killed, so that no test leaves a process."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        return self.process.returncode

    def get(self, path):
        """Status and body of a plain GET; the body as JSON where it is JSON."""
        return self._open(urllib.request.Request(self.url + path))

    def post(self, path, body):
        data = json.dumps(body).encode()
        return self._open(urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}))

    @staticmethod
    def _open(request):
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                status, body = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, body = error.code, error.read()
        try:
            return status, json.loads(body)
        except ValueError:
            return status, body.decode(errors="replace")
