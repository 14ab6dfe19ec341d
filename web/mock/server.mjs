// An imitation of the service for developing and testing the page: same routes, same bodies, no model.
//   PORT (8181; 0 picks one), MOCK_KEY (asks for this key), MOCK_TOKEN_MS (12)
// Words in the last user message choose what happens: slow, busy, broken, cut, toolong, loop, long, queue, hostile, endless, nothing.
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { kAnswer, kAnswerZh, kHostile, kThought, kThoughtZh } from "./answers.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const csp = readFileSync(join(root, "csp.txt"), "utf8").trim();
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".woff2": "font/woff2" };
const tokenMs = Number(process.env.MOCK_TOKEN_MS ?? 12);
const running = new Map(); // id -> {answerNow}
export const requests = [];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const tokensOf = (text) => text.match(/\s*[\p{Script=Han}]|\s*[A-Za-z]{1,6}|\s*\d{1,3}|\s*[^\sA-Za-z\d]|\s+/gu) ?? [];
const fail = (response, status, message, code, headers = {}) => {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify({ error: { message, type: status < 500 ? "invalid_request_error" : "server_error", param: null, code } }));
};
const json = (response, body) => {
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
};

const model = {
  id: "deepseek-r1-distill-qwen-1.5b", object: "model", created: 1, owned_by: "reckon", context_length: 32768, max_model_len: 32768,
  sampling_defaults: { temperature: 0.6000000238418579, top_p: 0.949999988, top_k: 0, min_p: 0, repetition_penalty: 1, origin: "generation_config.json" },
  meta: { name: "DeepSeek R1 Distill Qwen 1.5B", architecture: "qwen2", quantisation: "Q4_K_M", n_ctx: 32768, n_params: 1777088000, thinks: true },
};

function readBody(request) {
  return new Promise((resolve) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => resolve(Buffer.concat(parts).toString("utf8")));
  });
}

function script(prompt, body) {
  const zh = /\p{Script=Han}/u.test(prompt);
  let thought = zh ? kThoughtZh : kThought;
  let answer = zh ? kAnswerZh : kAnswer;
  let thoughtEnd;
  if (prompt.includes("nothing")) answer = "";
  if (prompt.includes("hostile")) answer = kHostile;
  if (prompt.includes("long")) answer = answer.repeat(12);
  if (prompt.includes("endless")) thought = thought.repeat(40);
  if (prompt.includes("loop")) {
    thought = `${thought}${"Wait, let me check again. ".repeat(30)}`;
    thoughtEnd = "loop";
  }
  let thoughtTokens = tokensOf(thought);
  if (body.reasoning_effort === "none") thoughtTokens = [];
  if (body.thinking_budget >= 0 && thoughtTokens.length > body.thinking_budget) {
    thoughtTokens = thoughtTokens.slice(0, body.thinking_budget);
    thoughtEnd = "budget";
  }
  return { thoughtTokens, answerTokens: tokensOf(answer), thoughtEnd };
}

async function chat(request, response) {
  const body = JSON.parse(await readBody(request));
  requests.push(body);
  const prompt = body.messages.findLast((one) => one.role === "user")?.content ?? "";
  if (prompt.includes("busy")) return fail(response, 429, "the queue is full: 8 requests wait already", "queue_full", { "Retry-After": "2" });
  if (prompt.includes("toolong")) return fail(response, 400, "the prompt has 40123 tokens, the context holds 32768; shorten it or start with --ctx 65536", "context_length_exceeded");
  const id = `chatcmpl-${Math.random().toString(36).slice(2)}`;
  const state = { answerNow: false, gone: false };
  running.set(id, state);
  response.on("close", () => (state.gone = true));
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  const chunk = (fields) => response.write(`data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 1, model: model.id, ...fields })}\n\n`);
  const delta = (fields) => chunk({ choices: [{ index: 0, delta: fields, logprobs: null, finish_reason: null }], usage: null });
  const begin = Date.now();
  chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] });
  if (prompt.includes("queue")) {
    for (const place of [2, 1, 0]) {
      chunk({ choices: [], queue: { place } });
      await sleep(500);
    }
  }
  const nPrompt = body.messages.reduce((n, one) => n + tokensOf(one.content).length + 4, 0);
  const steps = prompt.includes("slow") ? 25 : 2;
  for (let i = 1; i <= steps && !state.gone; ++i) {
    if (body.return_progress) chunk({ choices: [], prompt_progress: { processed: Math.round((nPrompt * i) / steps), total: nPrompt, cache: 0 } });
    response.write(": ping\n\n");
    await sleep(prompt.includes("slow") ? 100 : 20);
  }
  if (prompt.includes("broken")) {
    response.write(`data: ${JSON.stringify({ error: { message: "the engine ran out of memory", type: "server_error", code: "out_of_memory" } })}\n\n`);
    return response.end("data: [DONE]\n\n");
  }
  const firstToken = Date.now();
  const plan = script(prompt, body);
  let nThought = 0;
  for (const token of plan.thoughtTokens) {
    if (state.gone) return;
    if (state.answerNow) {
      plan.thoughtEnd = "asked";
      break;
    }
    delta({ reasoning_content: token });
    ++nThought;
    await sleep(tokenMs);
  }
  const answerAt = Date.now();
  let nAnswer = 0;
  for (const token of plan.answerTokens) {
    if (state.gone) return;
    if (prompt.includes("cut") && nAnswer > 20) return response.destroy();
    delta({ content: token });
    ++nAnswer;
    await sleep(tokenMs);
  }
  const decodeMs = Date.now() - firstToken;
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop", ...(plan.thoughtEnd ? { thought_end: plan.thoughtEnd } : {}) }] });
  chunk({
    choices: [],
    usage: { prompt_tokens: nPrompt, completion_tokens: nThought + nAnswer, total_tokens: nPrompt + nThought + nAnswer,
      prompt_tokens_details: { cached_tokens: body.messages.length > 1 ? Math.round(nPrompt / 2) : 0 }, completion_tokens_details: { reasoning_tokens: nThought } },
    timings: { queue_ms: 0, prefill_ms: firstToken - begin, decode_ms: decodeMs, ttft_ms: firstToken - begin, thinking_ms: nThought ? answerAt - firstToken : 0,
      tokens_per_second: ((nThought + nAnswer - 1) / decodeMs) * 1000 },
  });
  response.end("data: [DONE]\n\n");
  running.delete(id);
}

async function tokenize(request, response) {
  const body = JSON.parse(await readBody(request));
  requests.push(body);
  const text = body.content ?? body.messages.map((one) => one.content).join("\n");
  const count = tokensOf(text).length;
  json(response, { tokens: Array.from({ length: Math.min(count, 100_000) }, (_, i) => i), count, max_model_len: model.context_length });
}

function serveFile(path, response) {
  const file = join(root, "dist", normalize(path === "/" ? "/index.html" : path));
  if (!existsSync(file)) return fail(response, 404, "there is nothing here", "not_found");
  response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream", "Content-Security-Policy": csp, "X-Content-Type-Options": "nosniff" });
  createReadStream(file).pipe(response);
}

export function start(port = Number(process.env.PORT ?? 8181), key = process.env.MOCK_KEY ?? "") {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const api = path.startsWith("/v1") || path === "/tokenize";
    if (api && key && request.headers.authorization !== `Bearer ${key}`) return fail(response, 401, "this service needs a key", "invalid_api_key");
    const now = /^\/v1\/chat\/completions\/([^/]+)\/answer-now$/.exec(path);
    if (now) {
      const state = running.get(decodeURIComponent(now[1]));
      if (!state) return fail(response, 404, "no answer with this id is on its way", "not_found");
      state.answerNow = true;
      return json(response, { id: now[1], status: "ok" });
    }
    if (path === "/v1/chat/completions") return void chat(request, response);
    if (path === "/tokenize") return void tokenize(request, response);
    if (path === "/v1/models") return json(response, { object: "list", data: [model] });
    if (path === "/health" || path === "/ready") return json(response, { status: "ok" });
    serveFile(path, response);
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close(() => undefined) })));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) start().then(({ url }) => console.log(`mock service at ${url}`));
