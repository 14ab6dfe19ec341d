// The history as the page sees it: the database, and over it what the database did not take. When storage is full or
// missing, nothing is dropped and nothing is deleted to make room: it stays in memory, the person is told, and every
// later write tries again.
import type { Database } from "./database";
import type { ChatMeta, Message } from "./model";

export type StoreState = "ok" | "full" | "unavailable";

export class HistoryStore {
  private unsavedChats = new Map<string, ChatMeta>();
  private unsavedMessages = new Map<string, Message>();
  private removed = new Set<string>();
  private queue: Promise<void> = Promise.resolve();
  state: StoreState = "ok";

  constructor(
    private readonly database: Database | null,
    private readonly onState: (state: StoreState) => void,
  ) {
    if (!database) this.setState("unavailable");
  }

  async list(): Promise<ChatMeta[]> {
    const stored = (await this.database?.chats().catch(() => [])) ?? [];
    const all = new Map(stored.map((chat) => [chat.id, chat]));
    for (const [id, chat] of this.unsavedChats) all.set(id, chat);
    return [...all.values()].filter((chat) => !this.removed.has(chat.id)).sort((a, b) => b.updated - a.updated);
  }

  async messages(chat: string): Promise<Message[]> {
    const stored = (await this.database?.messages(chat).catch(() => [])) ?? [];
    const all = new Map(stored.map((message) => [message.id, message]));
    for (const [id, message] of this.unsavedMessages) if (message.chat === chat) all.set(id, message);
    return [...all.values()].sort((a, b) => a.created - b.created);
  }

  // Resolves when it is tried; the state says how it went.
  save(chats: readonly ChatMeta[], messages: readonly Message[] = []): Promise<void> {
    for (const chat of chats) this.unsavedChats.set(chat.id, chat);
    for (const message of messages) this.unsavedMessages.set(message.id, message);
    this.queue = this.queue.then(() => this.flush());
    return this.queue;
  }

  async remove(chat: string): Promise<void> {
    this.removed.add(chat);
    this.unsavedChats.delete(chat);
    for (const [id, message] of this.unsavedMessages) if (message.chat === chat) this.unsavedMessages.delete(id);
    this.queue = this.queue.then(async () => {
      await this.database?.remove(chat).catch(() => undefined);
      await this.flush(); // there may be room now
    });
    await this.queue;
  }

  // Ids of chats with a message that contains the text, ignoring case.
  async search(text: string, isStale: () => boolean): Promise<Set<string>> {
    const wanted = text.toLowerCase();
    const found = new Set<string>();
    const look = (message: Message): boolean => {
      if (!found.has(message.chat) && message.content.toLowerCase().includes(wanted)) found.add(message.chat);
      return !isStale();
    };
    for (const message of this.unsavedMessages.values()) look(message);
    await this.database?.eachMessage(look).catch(() => undefined);
    return found;
  }

  private async flush(): Promise<void> {
    if (!this.database || (this.unsavedChats.size === 0 && this.unsavedMessages.size === 0)) return;
    const chats = [...this.unsavedChats.values()];
    const messages = [...this.unsavedMessages.values()];
    try {
      await this.database.write(chats, messages);
    } catch (error) {
      const name = (error as { name?: string } | null)?.name ?? "";
      this.setState(name === "QuotaExceededError" ? "full" : "unavailable");
      return;
    }
    // Only what was written: a newer version may have come in meanwhile.
    for (const chat of chats) if (this.unsavedChats.get(chat.id) === chat) this.unsavedChats.delete(chat.id);
    for (const m of messages) if (this.unsavedMessages.get(m.id) === m) this.unsavedMessages.delete(m.id);
    this.setState("ok");
  }

  private setState(state: StoreState): void {
    if (this.state === state) return;
    this.state = state;
    this.onState(state);
  }
}
