import "fake-indexeddb/auto";
import { expect, test } from "vitest";
import { openDatabase, type Database } from "../src/history/database";
import type { ChatMeta, Message } from "../src/history/model";
import { HistoryStore, type StoreState } from "../src/history/store";
import { fromJson, toJson, toMarkdown } from "../src/history/transfer";
import { shownPath, titleOf } from "../src/history/tree";

const meta = (id: string, updated = 1): ChatMeta => ({ id, title: id, created: 1, updated, selected: {} });
const message = (id: string, parent: string | null, content = id, created = 1): Message => ({
  id, chat: "c", parent, role: parent === null ? "user" : "assistant", content, created,
});

let n = 0;
const fresh = (): Promise<Database> => openDatabase(`test-${++n}`);

test("what is saved is there in a new store", async () => {
  const database = await fresh();
  await new HistoryStore(database, () => undefined).save([meta("c")], [message("m", null)]);
  const store = new HistoryStore(database, () => undefined);
  expect((await store.list()).map((chat) => chat.id)).toEqual(["c"]);
  expect((await store.messages("c")).map((one) => one.content)).toEqual(["m"]);
});

test("a full storage loses nothing and is written once there is room", async () => {
  const database = await fresh();
  let full = true;
  const limited: Database = {
    ...database,
    write: (chats, messages) => (full ? Promise.reject(new DOMException("full", "QuotaExceededError")) : database.write(chats, messages)),
  };
  const states: StoreState[] = [];
  const store = new HistoryStore(limited, (state) => states.push(state));
  await store.save([meta("c")], [message("m", null)]);
  expect(await store.messages("c")).toHaveLength(1);
  full = false;
  await store.save([meta("d")]);
  expect(states).toEqual(["full", "ok"]);
  expect((await database.chats()).map((chat) => chat.id)).toEqual(["c", "d"]);
});

test("without a database chats live in memory and the person is told", async () => {
  const states: StoreState[] = [];
  const store = new HistoryStore(null, (state) => states.push(state));
  await store.save([meta("c")], [message("m", null)]);
  expect(await store.messages("c")).toHaveLength(1);
  expect(states).toEqual(["unavailable"]);
});

test("search finds text in messages, ignoring case", async () => {
  const store = new HistoryStore(await fresh(), () => undefined);
  await store.save([meta("c")], [message("m", null, "鸡兔 RABBIT")]);
  expect(await store.search("rabbit", () => false)).toEqual(new Set(["c"]));
  expect(await store.search("fox", () => false)).toEqual(new Set());
});

test("removing takes the messages along", async () => {
  const database = await fresh();
  const store = new HistoryStore(database, () => undefined);
  await store.save([meta("c")], [message("m", null)]);
  await store.remove("c");
  expect(await database.messages("c")).toEqual([]);
});

test("the chosen branch is shown, otherwise the newest", () => {
  const messages = [message("u", null), message("a", "u", "a", 1), message("b", "u", "b", 2), message("aa", "a")];
  expect(shownPath(messages, {}).map((one) => one.message.id)).toEqual(["u", "b"]);
  expect(shownPath(messages, { u: "a" }).map((one) => one.message.id)).toEqual(["u", "a", "aa"]);
});

test("a cycle in an imported chat ends", () => {
  const messages = [{ ...message("u", null), parent: "a" }, message("a", "u"), message("r", null)];
  expect(shownPath(messages, {}).length).toBe(1);
});

test("export and import keep branches and thoughts, with new ids", () => {
  const messages = [message("u", null, "ask"), { ...message("a", "u", "first"), reasoning: "hm" }, message("b", "u", "second", 2)];
  const [chat] = fromJson(toJson([{ meta: { ...meta("c"), selected: { u: "a" } }, messages }]));
  expect(chat).toBeDefined();
  if (!chat) return;
  expect(chat.meta.id).not.toBe("c");
  const shown = shownPath(chat.messages, chat.meta.selected).map((one) => one.message);
  expect(shown.map((one) => one.content)).toEqual(["ask", "first"]);
  expect(shown[1]?.reasoning).toBe("hm");
  expect(toMarkdown(chat, { user: "You", assistant: "R", thought: "Thought" })).toContain("## You\n\nask\n\n## R");
});

test.each(["", "{}", "[1", "null"])("the file %j is refused with a reason", (json) => {
  expect(() => fromJson(json)).toThrow();
});

test("a title is the first line, shortened by characters and not by bytes", () => {
  expect(titleOf("## 你好\nrest")).toBe("你好");
  expect(Array.from(titleOf("😀".repeat(60)))).toHaveLength(48);
});

test("an import keeps how an answer ended and how fast it was, and takes only what has the right type", () => {
  const answer = { ...message("a", "m"), finish: "length", thoughtEnd: "budget", partial: true, timings: { ttft_ms: 5, tokens_per_second: "fast" } };
  const odd = { ...message("o", "m"), finish: 7, partial: "yes", timings: [1] };
  const [chat] = fromJson(JSON.stringify({ chats: [{ ...meta("c"), messages: [message("m", null), answer, odd] }] }));
  expect(chat?.messages[1]).toMatchObject({ finish: "length", thoughtEnd: "budget", partial: true, timings: { ttft_ms: 5 } });
  expect(chat?.messages[1]?.timings).toEqual({ ttft_ms: 5 });
  expect(chat?.messages[2]).not.toHaveProperty("finish");
  expect(chat?.messages[2]).not.toHaveProperty("partial");
  expect(chat?.messages[2]).not.toHaveProperty("timings");
});
