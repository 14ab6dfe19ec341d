// One answer on its way: from the request to the stored message. Several chats may run at the same time.
import { signal, type Signal } from "@preact/signals";
import { answerNow, ApiError, streamChat } from "../api/client";
import type { ChatRequest, Chunk, Usage, Timings, WireMessage } from "../api/types";
import { newId, type Message } from "../history/model";
import { shownPath, titleOf } from "../history/tree";
import { t } from "../i18n";
import { chats, collect, current, keepForRescue, putMessage, saveQuietly, startChat } from "./chats";
import { announce } from "./notices";
import { connect, model } from "./service";
import { keyNeeded, settings } from "./settings";

export type Phase = "waiting" | "queued" | "prefill" | "thinking" | "writing";

export interface Progress {
  phase: Phase;
  queuePlace: number; // people count from 1; the service tells how many come first
  done: number; // of the prompt, in tokens
  total: number;
  rate: number; // tokens a second, measured here until the service tells
  nThought: number;
  nAnswer: number;
  thinkMs: number;
}

export interface Generation {
  message: Message; // as it was at the start
  reasoning: Signal<string>;
  content: Signal<string>;
  progress: Signal<Progress>;
  askAnswer: () => void;
  asked: Signal<boolean>;
  stop: () => void;
}

export const running = signal<ReadonlyMap<string, Generation>>(new Map()); // by chat

const kDrawMs = 100;
const kHiddenMs = 1000;

const setRunning = (chat: string, generation: Generation | null): void => {
  const map = new Map(running.value);
  if (generation) map.set(chat, generation);
  else map.delete(chat);
  running.value = map;
};

// `parent`: the message it follows; null: the first of its chat. `chat` null: a new one.
export function send(text: string, chat: string | null, parent: string | null): void {
  const id = chat ?? startChat(titleOf(text)).id;
  const message: Message = { id: newId(), chat: id, parent, role: "user", content: text, created: Date.now() };
  void putMessage(message, true);
  void generate(id, message.id);
}

// Answers the user message `parent` anew.
export async function generate(chat: string, parent: string): Promise<void> {
  if (running.value.has(chat)) return;
  const messages = wireMessages(chat, parent);
  const message: Message = { id: newId(), chat, parent, role: "assistant", content: "", created: Date.now(), partial: true };
  void putMessage(message, true);
  const job = new Job(message, buildRequest(await messages));
  setRunning(chat, job);
  try {
    await job.run();
  } finally {
    setRunning(chat, null);
  }
}

async function wireMessages(chat: string, last: string): Promise<WireMessage[]> {
  const [open] = await collect([chat]);
  if (!open) return [];
  const byId = new Map(open.messages.map((message) => [message.id, message]));
  const list: WireMessage[] = [];
  // Upwards from the message that is answered; old thoughts are not sent again.
  for (let at = byId.get(last); at; at = at.parent === null ? undefined : byId.get(at.parent)) {
    if (at.content !== "") list.unshift({ role: at.role, content: at.content });
    if (list.length > open.messages.length) break;
  }
  const system = settings.value.parameters.system;
  if (system) list.unshift({ role: "system", content: system });
  return list;
}

function buildRequest(messages: WireMessage[]): ChatRequest {
  const { system: _, budget, ...sampling } = settings.value.parameters;
  const request: ChatRequest = { messages, ...sampling };
  if (model.value) request.model = model.value.id;
  if (budget === 0) request.reasoning_effort = "none";
  else if (budget !== undefined) request.thinking_budget = budget;
  return request;
}

class Job implements Generation {
  readonly reasoning = signal("");
  readonly content = signal("");
  readonly asked = signal(false);
  readonly progress = signal<Progress>({
    phase: "waiting", queuePlace: 0, done: 0, total: 0, rate: 0, nThought: 0, nAnswer: 0, thinkMs: 0,
  });
  private readonly abort = new AbortController();
  private state: Progress = this.progress.value;
  private newReasoning = "";
  private newContent = "";
  private requestId = "";
  private timer = 0;
  private savedAt = Date.now();
  private firstToken = 0;
  private usage: Usage | undefined;
  private timings: Timings | undefined;
  private finish: Partial<Message> = {};

  constructor(
    readonly message: Message,
    private readonly request: ChatRequest,
  ) {}

  stop = (): void => this.abort.abort();

  askAnswer = (): void => {
    this.asked.value = true;
    void answerNow(this.requestId).catch(() => (this.asked.value = false));
  };

  async run(): Promise<void> {
    let ended: Message | null = null; // and not yet on the disk
    const rescue = (): void => keepForRescue(ended ?? this.snapshot());
    addEventListener("pagehide", rescue);
    try {
      for await (const chunk of streamChat(this.request, this.abort.signal)) this.take(chunk);
      announce(t("announceDone"));
    } catch (error) {
      this.fail(error);
    } finally {
      clearTimeout(this.timer);
      this.flush();
      ended = this.final();
      void putMessage(ended, false).finally(() => removeEventListener("pagehide", rescue));
    }
  }

  private take(chunk: Chunk): void {
    if (chunk.id) this.requestId = chunk.id;
    const next = { ...this.state };
    if (chunk.queue) Object.assign(next, { phase: "queued", queuePlace: chunk.queue.place + 1 });
    if (chunk.prompt_progress) {
      Object.assign(next, { phase: "prefill", done: chunk.prompt_progress.processed, total: chunk.prompt_progress.total });
    }
    if (chunk.warnings?.length) this.finish.warnings = chunk.warnings;
    const choice = chunk.choices?.[0];
    const thought = choice?.delta?.reasoning_content ?? "";
    const text = choice?.delta?.content ?? "";
    const now = performance.now();
    if (thought || text) this.firstToken ||= now;
    if (thought) {
      this.newReasoning += thought;
      next.phase = "thinking";
      ++next.nThought;
      next.thinkMs = now - this.firstToken;
    }
    if (text) {
      this.newContent += text;
      next.phase = "writing";
      ++next.nAnswer;
    }
    const n = next.nThought + next.nAnswer;
    if (n > 1) next.rate = ((n - 1) / (now - this.firstToken)) * 1000;
    if (choice?.finish_reason) this.finish.finish = choice.finish_reason;
    if (choice?.finish_detail) this.finish.finishDetail = choice.finish_detail;
    if (choice?.thought_end) this.finish.thoughtEnd = choice.thought_end;
    if (chunk.usage) this.usage = chunk.usage;
    if (chunk.timings) this.timings = chunk.timings;
    this.state = next;
    this.schedule();
  }

  // Drawing takes its time from the same processor that computes the tokens: ten times a second reads as smoothly.
  private schedule(): void {
    if (this.timer !== 0) return;
    this.timer = window.setTimeout(
      () => {
        this.timer = 0;
        this.flush();
      },
      document.hidden ? kHiddenMs : kDrawMs,
    );
  }

  private flush(): void {
    this.reasoning.value = this.newReasoning;
    this.content.value = this.newContent;
    this.progress.value = this.state;
    const { phase, nThought, nAnswer } = this.state;
    if (phase === "thinking") announce(t("announceThinking", { n: nThought }), false);
    if (phase === "writing") announce(t("announceWriting", { n: nAnswer }), false);
    if (Date.now() - this.savedAt > 1000) {
      this.savedAt = Date.now();
      saveQuietly(this.snapshot());
    }
  }

  private snapshot(): Message {
    const message: Message = { ...this.message, ...this.finish, content: this.newContent };
    if (this.newReasoning) {
      message.reasoning = this.newReasoning;
      message.thinkMs = this.timings?.thinking_ms || this.state.thinkMs;
      message.thoughtTokens = this.usage?.completion_tokens_details?.reasoning_tokens ?? this.state.nThought;
    }
    return message;
  }

  private final(): Message {
    const message = this.snapshot();
    delete message.partial;
    if (this.usage) message.usage = this.usage;
    const timings = { ...this.timings };
    if (!timings.tokens_per_second && this.state.rate > 0) timings.tokens_per_second = this.state.rate;
    message.timings = timings;
    return message;
  }

  private fail(error: unknown): void {
    if (this.abort.signal.aborted) {
      this.finish.finish = "stopped";
      return;
    }
    const failure = error instanceof ApiError ? error : new ApiError(0, String(error), "page_error");
    const { status, message, code, retryAfter } = failure;
    this.finish.error = { status, message, code, retryAfter };
    announce(t("announceError", { why: message }));
    if (status === 401) keyNeeded.value = true;
    if (status === 0 || status === 503) void connect();
  }
}

export function regenerate(message: Message): void {
  if (message.role === "assistant" && message.parent !== null) void generate(message.chat, message.parent);
}

export function lastUserMessage(): Message | null {
  const open = current.value;
  if (!open) return null;
  const shown = shownPath(open.messages, open.meta.selected);
  return shown.findLast((one) => one.message.role === "user")?.message ?? null;
}

export const stopCurrent = (): boolean => {
  const generation = running.value.get(current.value?.meta.id ?? "");
  generation?.stop();
  return generation !== undefined;
};

export const chatExists = (id: string): boolean => chats.value.some((chat) => chat.id === id);
