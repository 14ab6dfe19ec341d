// Export and import. JSON keeps everything; Markdown is for reading.
import { newId, type ChatMeta, type Message, type OpenChat } from "./model";
import { shownPath } from "./tree";

const kFormat = "reckon-chats";

export const toJson = (chats: readonly OpenChat[]): string =>
  JSON.stringify({ format: kFormat, version: 1, chats: chats.map(({ meta, messages }) => ({ ...meta, messages })) });

export function toMarkdown({ meta, messages }: OpenChat, names: { user: string; assistant: string; thought: string }): string {
  const parts = [`# ${meta.title}`];
  for (const { message } of shownPath(messages, meta.selected)) {
    parts.push(`## ${message.role === "user" ? names.user : names.assistant}`);
    if (message.reasoning) {
      parts.push(`<details><summary>${names.thought}</summary>\n\n${message.reasoning.trim()}\n\n</details>`);
    }
    if (message.content) parts.push(message.content.trim());
  }
  return `${parts.join("\n\n")}\n`;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const time = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : Date.now());
const record = (value: unknown): Record<string, unknown> | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

// Ids are made anew, so that an import never overwrites a chat that is here. Throws with a reason a person can read.
export function fromJson(json: string): OpenChat[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new Error("not JSON");
  }
  const root = record(parsed);
  const list = Array.isArray(parsed) ? parsed : root?.["chats"];
  if (!Array.isArray(list)) throw new Error(`no "chats" in it`);
  return list.map(readChat).filter((chat) => chat !== null);
}

function readChat(value: unknown): OpenChat | null {
  const source = record(value);
  if (!source || !Array.isArray(source["messages"])) return null;
  const id = newId();
  const ids = new Map<string, string>();
  const messages: Message[] = [];
  let previous: string | null = null;
  for (const item of source["messages"] as unknown[]) {
    const from = record(item);
    const role = from?.["role"];
    if (!from || (role !== "user" && role !== "assistant")) continue;
    const fresh = newId();
    const old = text(from["id"]);
    if (old) ids.set(old, fresh);
    // Other programs write a plain list: each message follows the one before.
    const parent: string | null = "parent" in from ? (ids.get(text(from["parent"])) ?? null) : previous;
    const message: Message = { ...pickExtras(from), id: fresh, chat: id, parent, role, content: text(from["content"]), created: time(from["created"]) };
    const reasoning = text(from["reasoning"]) || text(from["reasoning_content"]);
    if (reasoning) message.reasoning = reasoning;
    messages.push(message);
    previous = fresh;
  }
  const meta: ChatMeta = {
    id,
    title: text(source["title"]) || "…",
    created: time(source["created"]),
    updated: time(source["updated"]),
    selected: readSelected(source["selected"], ids),
  };
  return { meta, messages };
}

function pickExtras(from: Record<string, unknown>): Partial<Message> {
  const extras: Partial<Message> = {};
  if (typeof from["thinkMs"] === "number") extras.thinkMs = from["thinkMs"];
  if (typeof from["thoughtTokens"] === "number") extras.thoughtTokens = from["thoughtTokens"];
  const usage = record(from["usage"]);
  if (usage && typeof usage["prompt_tokens"] === "number" && typeof usage["completion_tokens"] === "number") {
    extras.usage = usage as unknown as NonNullable<Message["usage"]>;
  }
  for (const name of ["finish", "finishDetail", "thoughtEnd"] as const) {
    if (typeof from[name] === "string") extras[name] = from[name];
  }
  if (from["partial"] === true) extras.partial = true;
  const timings = Object.entries(record(from["timings"]) ?? {}).filter(([, value]) => typeof value === "number" && Number.isFinite(value));
  if (timings.length > 0) extras.timings = Object.fromEntries(timings);
  return extras;
}

function readSelected(value: unknown, ids: ReadonlyMap<string, string>): ChatMeta["selected"] {
  const selected: ChatMeta["selected"] = {};
  for (const [parent, child] of Object.entries(record(value) ?? {})) {
    const to = ids.get(text(child));
    const from = parent === "" ? "" : ids.get(parent);
    if (to !== undefined && from !== undefined) selected[from] = to;
  }
  return selected;
}
