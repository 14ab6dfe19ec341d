// The calls of the page. Every failure is an ApiError that carries the words of the service unchanged.
import { SseParser } from "./sse";
import type { ChatRequest, Chunk, ErrorBody, Model, Sampling, WireMessage } from "./types";

export class ApiError extends Error {
  constructor(
    readonly status: number, // 0: no answer at all
    message: string,
    readonly code = "",
    readonly retryAfter = 0, // seconds
  ) {
    super(message);
    this.name = "ApiError";
  }
}

let key = "";
export const setKey = (value: string): void => {
  key = value;
};

function headers(json: boolean): HeadersInit {
  const all: Record<string, string> = {};
  if (json) all["Content-Type"] = "application/json";
  if (key !== "") all["Authorization"] = `Bearer ${key}`;
  return all;
}

export function errorOf(status: number, body: unknown, retryAfter = 0): ApiError {
  const error = (body as { error?: ErrorBody | string } | null)?.error;
  if (typeof error === "string") return new ApiError(status, error, "", retryAfter);
  if (error?.message) return new ApiError(status, error.message, error.code ?? error.type ?? "", retryAfter);
  return new ApiError(status, `HTTP ${status}`, "", retryAfter);
}

async function call(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ApiError(0, cause instanceof Error ? cause.message : String(cause), "unreachable");
  }
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  throw errorOf(response.status, body, Number(response.headers.get("Retry-After") ?? 0) || 0);
}

const post = (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
  call(path, { method: "POST", headers: headers(true), body: JSON.stringify(body), signal: signal ?? null });

type WireModel = Record<string, unknown> & { id: string; meta?: Record<string, unknown>; sampling_defaults?: Sampling };

export function modelOf(wire: WireModel): Model {
  const meta = wire.meta ?? {};
  return {
    id: wire.id,
    name: String(meta["name"] || wire.id),
    contextLength: Number(wire["context_length"] ?? wire["max_model_len"] ?? meta["n_ctx"] ?? 0),
    quantization: String(wire["quantization"] ?? meta["quantization"] ?? meta["quantisation"] ?? ""),
    parameters: Number(meta["n_params"] ?? 0),
    reasoning: Boolean(wire["reasoning"] ?? meta["thinks"] ?? false),
    defaults: wire.sampling_defaults ?? (wire["defaults"] as Sampling | undefined) ?? {},
  };
}

export async function fetchModel(): Promise<Model | null> {
  const response = await call("/v1/models", { headers: headers(false) });
  const body = (await response.json()) as { data?: WireModel[] };
  const first = body.data?.[0];
  return first ? modelOf(first) : null;
}

export async function countTokens(
  what: { content: string } | { messages: WireMessage[] },
  signal?: AbortSignal,
): Promise<number> {
  const response = await post("/tokenize", what, signal);
  const body = (await response.json()) as { count?: number; n_tokens?: number; tokens?: unknown[] | number };
  if (typeof body.tokens === "number") return body.tokens;
  return body.count ?? body.n_tokens ?? body.tokens?.length ?? 0;
}

export async function answerNow(id: string): Promise<void> {
  await post(`/v1/chat/completions/${encodeURIComponent(id)}/answer-now`, {});
}

// Yields the chunks as they come; ends at [DONE]. A stream that breaks off without it throws.
export async function* streamChat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<Chunk> {
  const body = { ...request, stream: true, stream_options: { include_usage: true }, return_progress: true };
  const response = await post("/v1/chat/completions", body, signal);
  if (!response.body) throw new ApiError(0, "the answer has no body", "unreachable");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new SseParser();
  let done = false;
  try {
    while (!done) {
      const piece = await reader.read().catch((cause: unknown) => {
        if (signal.aborted) throw cause;
        throw new ApiError(0, "the connection to the service was lost", "connection_lost");
      });
      if (piece.done) break;
      for (const event of parser.feed(piece.value)) {
        if (event.data === "[DONE]") {
          done = true;
          break;
        }
        const chunk = parseChunk(event.data);
        if (chunk.error) throw errorOf(response.status === 200 ? 500 : response.status, chunk);
        yield chunk;
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
  if (!done) throw new ApiError(0, "the stream ended before the answer was complete", "connection_lost");
}

function parseChunk(data: string): Chunk {
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    throw new ApiError(0, "the service sent a chunk that is not JSON", "bad_chunk");
  }
}
