#!/usr/bin/env bash
set -euo pipefail
url=${RECKON_URL:-http://127.0.0.1:8080}
json='Content-Type: application/json'

# What is served, and is it ready?
curl --fail --silent --show-error "$url/ready"
curl --fail --silent --show-error "$url/v1/models"

# One answer.
curl --fail --silent --show-error "$url/v1/chat/completions" -H "$json" -d '{
  "messages": [{"role": "user", "content": "Why is the sky blue?"}],
  "max_tokens": 64
}'

# The same as a stream; -N shows each piece when it comes.
curl --fail --silent --show-error -N "$url/v1/chat/completions" -H "$json" -d '{
  "messages": [{"role": "user", "content": "Why is the sky blue?"}],
  "max_tokens": 64, "stream": true, "stream_options": {"include_usage": true}
}'

# How many tokens is a text?
curl --fail --silent --show-error "$url/tokenize" -H "$json" -d '{"content": "Why is the sky blue?"}'
