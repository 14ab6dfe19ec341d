// The chats of this browser: the list, the open one, and every change to them. All changes go through here, so that
// what is on screen and what is stored cannot differ.
import { computed, signal } from "@preact/signals";
import { openDatabase } from "../history/database";
import { newId, type ChatMeta, type Message, type OpenChat } from "../history/model";
import { HistoryStore, type StoreState } from "../history/store";
import { fromJson } from "../history/transfer";
import { shownPath } from "../history/tree";

export const chats = signal<readonly ChatMeta[]>([]);
export const storage = signal<StoreState>("ok");
export const currentId = signal<string | null>(null);
const loaded = signal<ReadonlyMap<string, OpenChat>>(new Map());

export const current = computed<OpenChat | null>(() => loaded.value.get(currentId.value ?? "") ?? null);
export const path = computed(() => (current.value ? shownPath(current.value.messages, current.value.meta.selected) : []));

const kRescue = "reckon.rescue";
let store: HistoryStore = new HistoryStore(null, () => undefined);

export async function openHistory(): Promise<void> {
  const database = await openDatabase().catch(() => null);
  store = new HistoryStore(database, (state) => (storage.value = state));
  storage.value = store.state;
  await rescue();
  chats.value = await store.list();
}

// The last words of an answer, written while the page was being closed: IndexedDB has no time for them then.
export function keepForRescue(message: Message): void {
  try {
    localStorage.setItem(kRescue, JSON.stringify(message));
  } catch {
    // Then the version of the last second counts.
  }
}

async function rescue(): Promise<void> {
  try {
    const text = localStorage.getItem(kRescue);
    if (!text) return;
    await store.save([], [JSON.parse(text) as Message]);
    localStorage.removeItem(kRescue);
  } catch {
    // Nothing to rescue.
  }
}

const hold = (chat: OpenChat): void => {
  loaded.value = new Map(loaded.value).set(chat.meta.id, chat);
};

export async function openChat(id: string | null): Promise<void> {
  if (id !== null && !loaded.value.has(id)) {
    const meta = chats.value.find((chat) => chat.id === id);
    if (!meta) return;
    hold({ meta, messages: await store.messages(id) });
  }
  currentId.value = id;
}

export function startChat(title: string): ChatMeta {
  const now = Date.now();
  const meta: ChatMeta = { id: newId(), title, created: now, updated: now, selected: {} };
  hold({ meta, messages: [] });
  chats.value = [meta, ...chats.value];
  currentId.value = meta.id;
  void store.save([meta]);
  return meta;
}

export function changeMeta(id: string, part: Partial<ChatMeta>): void {
  const old = chats.value.find((chat) => chat.id === id);
  if (!old) return;
  const meta = { ...old, ...part };
  const rest = chats.value.map((chat) => (chat.id === id ? meta : chat));
  chats.value = part.updated ? rest.sort((a, b) => b.updated - a.updated) : rest;
  const open = loaded.value.get(id);
  if (open) hold({ ...open, meta });
  void store.save([meta]);
}

// Adds the message or replaces the one with its id, and shows it. Resolves when it has been saved.
export function putMessage(message: Message, select: boolean): Promise<void> {
  const open = loaded.value.get(message.chat);
  if (!open) return store.save([], [message]);
  const known = open.messages.some((other) => other.id === message.id);
  const messages = known ? open.messages.map((m) => (m.id === message.id ? message : m)) : [...open.messages, message];
  hold({ ...open, messages });
  const saved = store.save([], [message]);
  if (select) {
    const selected = { ...open.meta.selected, [message.parent ?? ""]: message.id };
    changeMeta(message.chat, { selected, updated: Date.now() });
  }
  return saved;
}

// Only to the disk: while an answer streams the screen draws it from the generation.
export const saveQuietly = (message: Message): void => void store.save([], [message]);

export const selectSibling = (chat: ChatMeta, parent: string | null, id: string): void =>
  changeMeta(chat.id, { selected: { ...chat.selected, [parent ?? ""]: id } });

// Hidden at once, deleted once the time for second thoughts is over.
export function hideChat(id: string): { restore: () => void; commit: () => void } {
  const before = chats.value;
  const meta = before.find((chat) => chat.id === id);
  const wasOpen = currentId.value === id;
  chats.value = before.filter((chat) => chat.id !== id);
  if (wasOpen) currentId.value = null;
  let restored = false;
  return {
    restore: () => {
      restored = true;
      if (meta) chats.value = [...chats.value, meta].sort((a, b) => b.updated - a.updated);
      if (wasOpen && currentId.value === null) currentId.value = id;
    },
    commit: () => {
      if (!restored) void store.remove(id);
    },
  };
}

export async function importJson(json: string): Promise<number> {
  const incoming = fromJson(json);
  for (const chat of incoming) hold(chat);
  await store.save(
    incoming.map((chat) => chat.meta),
    incoming.flatMap((chat) => chat.messages),
  );
  // What is stored need not stay in memory; what is not stored the store keeps.
  const rest = new Map(loaded.value);
  for (const chat of incoming) rest.delete(chat.meta.id);
  loaded.value = rest;
  chats.value = await store.list();
  return incoming.length;
}

export async function collect(ids: readonly string[]): Promise<OpenChat[]> {
  const all: OpenChat[] = [];
  for (const meta of chats.value) {
    if (!ids.includes(meta.id)) continue;
    all.push({ meta, messages: loaded.value.get(meta.id)?.messages ?? (await store.messages(meta.id)) });
  }
  return all;
}

export const searchMessages = (text: string, isStale: () => boolean): Promise<Set<string>> => store.search(text, isStale);
