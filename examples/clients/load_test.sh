#!/usr/bin/env bash
# load_test.sh TOKENIZER [STREAMS] [REQUESTS]: prompts of 128 tokens, answers of 64, so many streams at a time.
set -euo pipefail
url=${RECKON_URL:-http://127.0.0.1:8080}
tokenizer=${1:?the name or folder of the tokenizer that the model was made with}

guidellm run \
  --backend "kind=openai_http,target=$url,model=reckon" \
  --tokenizer "kind=hf_auto,model=$tokenizer" \
  --data kind=synthetic_text,prompt_tokens=128,output_tokens=64 \
  --profile "kind=concurrent,streams=${2:-4}" \
  --constraint "kind=max_requests,count=${3:-32}" \
  --output kind=console --disable-progress
