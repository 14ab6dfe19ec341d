// What the service sends and takes, as far as the page uses it.

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number };
}

export interface Timings {
  queue_ms?: number;
  prefill_ms?: number;
  decode_ms?: number;
  total_ms?: number;
  ttft_ms?: number;
  thinking_ms?: number;
  first_answer_ms?: number;
  tokens_per_second?: number;
  prefill_tokens_per_second?: number;
}

export interface ErrorBody {
  message: string;
  type?: string;
  param?: string | null;
  code?: string | null;
}

export interface Chunk {
  id?: string;
  choices?: {
    delta?: { content?: string | null; reasoning_content?: string | null };
    finish_reason?: string | null;
    finish_detail?: string;
    thought_end?: string;
  }[];
  usage?: Usage | null;
  timings?: Timings;
  warnings?: string[];
  prompt_progress?: { processed: number; total: number; cache?: number };
  queue?: { place: number }; // so many requests come first: 0 is next
  error?: ErrorBody;
}

export interface Sampling {
  temperature?: number;
  top_p?: number;
  top_k?: number;
  min_p?: number;
  repetition_penalty?: number;
  origin?: string;
}

export interface Model {
  id: string;
  name: string;
  contextLength: number;
  quantization: string;
  parameters: number;
  reasoning: boolean;
  defaults: Sampling;
}

export interface WireMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

export type ChatRequest = {
  model?: string;
  messages: WireMessage[];
  thinking_budget?: number;
  reasoning_effort?: string;
  temperature?: number;
  top_p?: number;
  top_k?: number;
  min_p?: number;
  repetition_penalty?: number;
  max_tokens?: number;
  seed?: number;
};
