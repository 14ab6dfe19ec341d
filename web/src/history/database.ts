// IndexedDB as promises: chats and their messages, one record each, so that a growing answer writes only itself.
import type { ChatMeta, Message } from "./model";

export interface Database {
  chats(): Promise<ChatMeta[]>;
  messages(chat: string): Promise<Message[]>;
  eachMessage(visit: (message: Message) => boolean): Promise<void>; // false: enough
  write(chats: readonly ChatMeta[], messages: readonly Message[]): Promise<void>;
  remove(chat: string): Promise<void>;
}

const settle = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("IndexedDB"));
  });

const complete = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error ?? new Error("IndexedDB"));
    transaction.onabort = () => reject(transaction.error ?? new Error("IndexedDB aborted"));
  });

export async function openDatabase(name = "reckon"): Promise<Database> {
  const open = indexedDB.open(name, 1);
  open.onupgradeneeded = () => {
    open.result.createObjectStore("chats", { keyPath: "id" });
    open.result.createObjectStore("messages", { keyPath: "id" }).createIndex("chat", "chat");
  };
  const db = await settle(open);
  db.onversionchange = () => db.close(); // never block a newer page in another tab
  return {
    chats: () => settle(db.transaction("chats").objectStore("chats").getAll() as IDBRequest<ChatMeta[]>),
    messages: (chat) =>
      settle(db.transaction("messages").objectStore("messages").index("chat").getAll(chat) as IDBRequest<Message[]>),
    eachMessage: (visit) => eachMessage(db, visit),
    async write(chats, messages) {
      const transaction = db.transaction(["chats", "messages"], "readwrite");
      const done = complete(transaction);
      for (const chat of chats) transaction.objectStore("chats").put(chat);
      for (const message of messages) transaction.objectStore("messages").put(message);
      await done;
    },
    async remove(chat) {
      const transaction = db.transaction(["chats", "messages"], "readwrite");
      const done = complete(transaction);
      transaction.objectStore("chats").delete(chat);
      const store = transaction.objectStore("messages");
      const keys = store.index("chat").getAllKeys(chat);
      keys.onsuccess = () => keys.result.forEach((key) => store.delete(key));
      await done;
    },
  };
}

function eachMessage(db: IDBDatabase, visit: (message: Message) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const cursor = db.transaction("messages").objectStore("messages").openCursor();
    cursor.onerror = () => reject(cursor.error ?? new Error("IndexedDB"));
    cursor.onsuccess = () => {
      const at = cursor.result;
      if (!at || !visit(at.value as Message)) resolve();
      else at.continue();
    };
  });
}
