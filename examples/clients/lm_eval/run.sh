#!/usr/bin/env bash
# run.sh TOKENIZER [OUTPUT]: both tasks of this folder against the service at RECKON_URL.
set -euo pipefail
url=${RECKON_URL:-http://127.0.0.1:8080}
tokenizer=${1:?the name or folder of the tokenizer that the model was made with}
[ ! -d "$tokenizer" ] || tokenizer=$(realpath "$tokenizer")
output=$(realpath -m "${2:-lm-eval-results}")
cd "$(dirname "$0")"
export OPENAI_API_KEY=none

lm_eval run --model local-completions --include_path . --tasks reckon_capitals --output_path "$output" \
  --model_args "model=reckon,base_url=$url/v1/completions,tokenizer=$tokenizer,tokenizer_backend=huggingface,num_concurrent=2"

lm_eval run --model local-chat-completions --include_path . --tasks reckon_sums --output_path "$output" --apply_chat_template \
  --model_args "model=reckon,base_url=$url/v1/chat/completions,num_concurrent=2"
