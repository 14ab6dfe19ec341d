#!/usr/bin/env python3
"""Writes tests/data/template_golden.json: small templates and what jinja2, set up as Hugging Face does, makes of them.

    python3 tools/golden/make_template_golden.py

A text of null means that Python refuses the template or its use; the engine must refuse it as well.
"""

import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e" / "chat"))

import reference  # noqa: E402
from template_snippets import CONTEXT, EXPRESSIONS, STATEMENTS  # noqa: E402

NOW = 1750000000  # 2025-06-15 15:06:40 UTC

# Where we differ on purpose: whole numbers beyond 64 bits are refused.
SKIPPED = {"{{ 99999999999999999999 if no else 1 }}"}


def main():
    os.environ["TZ"] = "UTC"
    time.tzset()
    cases = []
    for source in [f"{{{{ {expression} }}}}" for expression in EXPRESSIONS] + STATEMENTS:
        if source in SKIPPED:
            continue
        text = reference.Template(source, NOW).render(CONTEXT)
        cases.append({"template": source, "text": None if isinstance(text, Exception) else text})
    golden = {"now": NOW, "context": CONTEXT, "cases": cases}
    path = ROOT / "tests" / "data" / "template_golden.json"
    path.write_text(json.dumps(golden, ensure_ascii=True, indent=0) + "\n", encoding="utf-8")
    print(f"{path}: {len(cases)} templates, {sum(c['text'] is None for c in cases)} refused")


if __name__ == "__main__":
    main()
