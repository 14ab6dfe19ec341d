"""What every refusal looks like."""


def one_error_line(process, exit_code):
    """A refusal: the right exit code, one line on standard error, nothing on standard output."""
    assert process.returncode == exit_code, (process.returncode, process.stderr)
    lines = process.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("reckon: error: "), process.stderr
    assert process.stdout == ""
    return lines[0]
