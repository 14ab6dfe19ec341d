// A chat is a tree: editing or regenerating adds a sibling, nothing is overwritten. `selected` says which child of a
// message is shown.
import type { Timings, Usage } from "../api/types";

export type Role = "user" | "assistant";

export interface Failure {
  status: number;
  message: string;
  code: string;
  retryAfter: number;
}

export interface Message {
  id: string;
  chat: string;
  parent: string | null;
  role: Role;
  content: string;
  created: number; // ms
  reasoning?: string;
  thinkMs?: number;
  thoughtTokens?: number;
  usage?: Usage;
  timings?: Timings;
  finish?: string; // stop, length, stopped (by the person)
  finishDetail?: string; // repetition
  thoughtEnd?: string; // budget, loop, asked
  partial?: boolean; // still being written, or the page closed meanwhile
  error?: Failure;
  warnings?: string[];
}

export interface ChatMeta {
  id: string;
  title: string;
  created: number;
  updated: number;
  selected: Record<string, string>; // parent id, or "" for the root -> child id
}

export interface OpenChat {
  meta: ChatMeta;
  messages: readonly Message[];
}

// Not crypto.randomUUID: that is missing where the page is served over plain http to another machine.
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
