#!/usr/bin/env python3
"""Checks docs/openapi/openapi.json: every field that the code reads from a request of OpenAI's API is in its schema."""
import json
import re
import sys

from tree import ROOT, finish

SHARED = ["generation_fields.cc"]
READERS = {"ChatRequest": [*SHARED, "chat_request.cc", "reasoning_fields.cc", "tool_fields.cc"],
           "CompletionRequest": [*SHARED, "completion_request.cc"], "EmbeddingRequest": ["embeddings.cc"]}
READ = re.compile(r'\bin\.(?:whole|boolean|string|number|any|object|array)\(\s*"(\w+)"|read_\w+\(in, "(\w+)"')
ACCEPT = re.compile(r"\bin\.accept\(\{([^}]*)\}")
# Of a tool, not of the request; and what is only named to be refused.
OTHERS = {"tool_fields.cc": {"type", "function"}, "chat_request.cc": {"chat_template"}}


def main():
    schemas = json.loads((ROOT / "docs/openapi/openapi.json").read_text())["components"]["schemas"]
    problems = []
    n_fields = 0
    for schema, files in READERS.items():
        for file in files:
            text = (ROOT / "src/server/openai" / file).read_text()
            names = {a or b for a, b in READ.findall(text)}
            for group in ACCEPT.findall(text):
                names |= set(re.findall(r'"(\w+)"', group))
            for name in sorted(names - OTHERS.get(file, set())):
                n_fields += 1
                if name not in schemas[schema]["properties"]:
                    problems.append(f"docs/openapi/openapi.json: {schema} lacks {name}, which src/server/openai/{file} reads")
    return finish(problems, f"{n_fields} fields of requests are in the OpenAPI document")


if __name__ == "__main__":
    sys.exit(main())
