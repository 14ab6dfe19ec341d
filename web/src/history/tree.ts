// Walks the tree of a chat.
import type { ChatMeta, Message } from "./model";

export interface Shown {
  message: Message;
  index: number; // among its siblings, from 0
  siblings: readonly string[];
}

export function childrenOf(messages: readonly Message[]): Map<string, Message[]> {
  const children = new Map<string, Message[]>();
  for (const message of messages) {
    const parent = message.parent ?? "";
    const list = children.get(parent);
    if (list) list.push(message);
    else children.set(parent, [message]);
  }
  for (const list of children.values()) list.sort((a, b) => a.created - b.created);
  return children;
}

// The messages on screen, root first. Without a choice the newest sibling is shown.
export function shownPath(messages: readonly Message[], selected: ChatMeta["selected"]): Shown[] {
  const children = childrenOf(messages);
  const path: Shown[] = [];
  const seen = new Set<string>(); // an imported file may hold a cycle
  let parent = "";
  for (;;) {
    const siblings = children.get(parent);
    if (!siblings || siblings.length === 0) return path;
    const chosen = siblings.findIndex((message) => message.id === selected[parent]);
    const index = chosen < 0 ? siblings.length - 1 : chosen;
    const message = siblings[index];
    if (!message || seen.has(message.id)) return path;
    seen.add(message.id);
    path.push({ message, index, siblings: siblings.map((sibling) => sibling.id) });
    parent = message.id;
  }
}

export function titleOf(text: string): string {
  const line = text.trim().split("\n")[0]?.replace(/^#+\s*/, "") ?? "";
  const characters = Array.from(line);
  return characters.length > 48 ? `${characters.slice(0, 47).join("")}…` : line;
}
