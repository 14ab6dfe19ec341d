// The chat page in a real browser before a real service with a real model (service.mjs). Nothing here depends on what
// the model says, only on that it says something.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { kAnswer } from "../../web/mock/answers.mjs";
import { answered, ask, axe, launch, openPage } from "./browser.mjs";
import { startService } from "./service.mjs";

let browser;
let service;

before(async () => {
  service = await startService();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

const kRiddle = "Chickens and rabbits share a cage: 35 heads and 94 feet. How many of each?";
const kRiddleZh = "鸡兔同笼，上有三十五头，下有九十四足，问鸡兔各几何？";
// Without a seed, or the second answer would come from the cache of results.
const kShort = { budget: 16, max_tokens: 48, temperature: 0.7 };
const kLong = { budget: 16, max_tokens: 1500, temperature: 0.7, repetition_penalty: 1.2 };

const chosen = (parameters) => `if (!localStorage.getItem("reckon.settings")) localStorage.setItem("reckon.settings", ${JSON.stringify(JSON.stringify({ language: "auto", theme: "auto", parameters }))})`;
// A small model may have nothing to say: here it must go on until max_tokens or somebody stops it.
async function open(parameters, options = {}) {
  const opened = await openPage(browser, service.url, { init: { content: chosen(parameters) }, ...options });
  await opened.page.route("**/v1/chat/completions", (route) =>
    route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), ignore_eos: true }) }));
  return opened;
}
// Opens a page, runs, closes it; close() fails where the policy was violated or a script threw.
const withPage = (parameters, options, run) => async () => {
  const opened = await open(parameters, options);
  try {
    await run(opened.page, opened);
  } finally {
    await opened.close();
  }
};
const stopButton = "button[aria-label=Stop], button[aria-label=停止]";
const modelText = (page) => page.evaluate(() => document.querySelector(".from-model:last-of-type")?.textContent ?? "");
const answering = (page) => page.waitForSelector(".from-model:last-of-type > .prose");

test("the page comes with its policy and names the model", withPage({}, {}, async (page, { shot }) => {
  const response = await page.request.get(service.url);
  const policy = readFileSync(new URL("../../web/csp.txt", import.meta.url), "utf8").trim();
  assert.equal(response.headers()["content-security-policy"], policy);
  const { data } = await (await page.request.get(`${service.url}v1/models`)).json();
  await page.waitForSelector(".model-line strong");
  assert.equal(await page.textContent(".model-line strong"), data[0].id);
  await shot("service-empty");
  assert.deepEqual(await axe(page), []);
}));

test("a question is thought about, then answered, both as a stream", withPage({ ...kShort, budget: 64, max_tokens: 120 }, {}, async (page, { shot }) => {
  await ask(page, kRiddle);
  await page.waitForSelector(".thought.is-live");
  const early = (await page.textContent(".thought-body")).length;
  await page.waitForFunction((n) => document.querySelector(".thought-body")?.textContent.length > n, early);
  await shot("service-thinking");
  assert.deepEqual(await axe(page), []);
  await answering(page);
  assert.equal(await page.getAttribute(".thought-toggle", "aria-expanded"), "false");
  await answered(page);
  assert.match(await page.textContent(".thought-label"), /Thought for \d/);
  assert.match(await page.textContent(".from-model .facts"), /tokens\/s.*first token.*\d+ prompt/);
  assert.match(await page.textContent("[data-testid=gauge]"), /\d+ \/ \d,\d{3}/);
  await page.click(".thought-toggle");
  assert.match(await page.textContent(".thought"), /reached its budget/);
  assert.deepEqual(await axe(page), []);
  await shot("service-answer");
}));

test("answer now ends the thought", withPage({ max_tokens: 400, temperature: 0.7 }, {}, async (page) => {
  await ask(page, "Think for as long as you can about the number seven.");
  await page.click("text=Answer now");
  await answering(page);
  await page.keyboard.press("Escape");
  await answered(page);
}));

test("stop keeps what came, also over a reload, and frees the service", withPage(kLong, {}, async (page) => {
  await ask(page, "Tell a very long story.");
  await answering(page);
  await page.click(stopButton);
  await answered(page);
  const text = (await page.textContent(".from-model > .prose")).trim();
  assert.match(await modelText(page), /Stopped/);
  await page.reload();
  await page.click(".row-title");
  // Drawn at first as it stands, and as Markdown with the next frame.
  await page.waitForFunction((same) => document.querySelector(".from-model > .prose")?.textContent.trim() === same, text);
  await page.click(".from-model [aria-label=Regenerate]"); // would wait behind the first for a minute
  await answering(page);
  await page.keyboard.press("Escape");
  await answered(page);
}));

test("regenerating and editing make branches that can be visited", withPage(kShort, {}, async (page) => {
  await ask(page, "Name a colour.");
  await answered(page);
  await page.click(".from-model [aria-label=Regenerate]");
  await answered(page);
  assert.match(await page.textContent(".from-model .versions"), /2\/2/);
  await page.click(".from-model [aria-label='Previous version']");
  assert.match(await page.textContent(".from-model .versions"), /1\/2/);
  await page.hover(".from-user");
  await page.click(".from-user [aria-label=Edit]");
  await page.fill(".editor textarea", "Name an animal.");
  await page.press(".editor textarea", "Enter");
  await page.waitForSelector("text=Name an animal. >> visible=true");
  await answered(page);
  assert.equal(await page.textContent(".bubble"), "Name an animal.");
  assert.match(await page.textContent(".from-user .versions"), /2\/2/);
  await page.click(".from-user [aria-label='Previous version']");
  assert.equal(await page.textContent(".bubble"), "Name a colour.");
  assert.match(await page.textContent(".from-model .versions"), /1\/2/);
}));

test("what is exported can be imported by another browser", withPage(kShort, {}, async (page) => {
  await ask(page, "Name a river.");
  await answered(page);
  await ask(page, "And a mountain.");
  await answered(page);
  const before = await page.textContent(".column");
  const saved = page.waitForEvent("download");
  await page.click("[aria-label='Export all']");
  const file = await (await saved).path();
  const other = await open(kShort);
  try {
    await other.page.setInputFiles("input[type=file]", { name: "chats.json", mimeType: "application/json", buffer: readFileSync(file) });
    await other.page.waitForSelector("text=1 chats imported");
    await other.page.click(".row-title");
    await other.page.waitForSelector(".message");
    assert.equal(await other.page.textContent(".column"), before);
  } finally {
    await other.close();
  }
}));

test("parameters reach the service", withPage({ budget: 0 }, {}, async (page) => {
  await page.click("[aria-label=Parameters]");
  await page.fill("#p-max_tokens", "5");
  await page.press("#p-max_tokens", "Tab");
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await ask(page, "Count to a hundred.");
  await answered(page);
  assert.equal(await page.locator(".thought").count(), 0); // thinking is off
  assert.match(await modelText(page), /length limit/);
  assert.match(await page.textContent(".from-model .facts"), /(?<!\d)5 tokens/);
}));

test("Enter that confirms a word of an input method does not send", withPage(kShort, { locale: "zh-CN" }, async (page) => {
  await page.focus("#composer");
  const client = await page.context().newCDPSession(page);
  await client.send("Input.imeSetComposition", { text: "ni hao", selectionStart: 6, selectionEnd: 6 });
  await client.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Process", code: "Enter", windowsVirtualKeyCode: 229 });
  assert.equal(await page.locator(".message").count(), 0);
  await client.send("Input.insertText", { text: "你好" });
  assert.equal(await page.inputValue("#composer"), "你好");
  await page.press("#composer", "Enter");
  await answered(page);
  assert.equal(await page.textContent(".bubble"), "你好");
  assert.match(await page.textContent(".from-model .facts"), /词元\/秒/);
}));

test("dark, in Chinese", withPage(kShort, { colorScheme: "dark", locale: "zh-CN" }, async (page, { shot }) => {
  assert.ok(await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).every((part) => part < 60)));
  await ask(page, kRiddleZh);
  await answering(page);
  assert.deepEqual(await axe(page), []);
  await answered(page);
  assert.deepEqual(await axe(page), []);
  await shot("service-dark");
}));

test("a phone of 390 px has no sideways scrolling", withPage(kShort, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: "zh-CN" }, async (page, { shot }) => {
  await ask(page, kRiddleZh);
  await answered(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await shot("service-phone");
  await page.click("button[aria-label=对话列表]");
  await page.waitForSelector(".row-title >> visible=true");
  assert.deepEqual(await axe(page), []);
}));

test("those who wait are told their place, and move up", async () => {
  const all = [];
  const start = async (options) => {
    const opened = await open(kLong, options);
    all.push(opened);
    await ask(opened.page, "Tell a very long story about the sea.");
    return opened.page;
  };
  try {
    const first = await start({});
    await first.waitForSelector(".from-model .thought");
    const second = await start({});
    await second.waitForSelector("text=Waiting, place 1 in the queue");
    const third = await start({ locale: "zh-CN" });
    await third.waitForSelector("text=排队中，第 2 位");
    await all[2].shot("service-queue");
    await first.click(stopButton);
    await second.waitForSelector(".from-model .thought");
    await third.waitForSelector("text=排队中，第 1 位");
    await second.click(stopButton);
    await third.waitForSelector(".from-model .thought");
    await third.click(stopButton);
    await answered(third);
  } finally {
    for (const one of all) await one.close();
  }
});

// A chat of 50 000 tokens: kAnswer has about 450.
const longChat = () => {
  const messages = Array.from({ length: 80 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: i % 2 ? kAnswer.repeat(3) : `question ${i}` }));
  return JSON.stringify({ chats: [{ title: "a long chat", created: Date.now(), updated: Date.now(), messages }] });
};
const kKeys = 200;

test("typing in a chat of 50 000 tokens draws no message again while another answer streams", withPage(kLong, {}, async (page) => {
  await page.setInputFiles("input[type=file]", { name: "chats.json", mimeType: "application/json", buffer: Buffer.from(longChat()) });
  await page.waitForSelector("text=1 chats imported");
  await ask(page, "Tell a very long story about the mountains.");
  await answering(page);
  await page.click(".row-title >> text=a long chat");
  await page.waitForSelector(".message .katex");
  await page.waitForFunction(() => Number((document.querySelector("[data-testid=gauge]")?.textContent ?? "").split(" ")[0].replace(",", "")) > 50_000);
  await page.waitForTimeout(1000); // blocks near the end are drawn
  await page.evaluate(() => {
    window.drawn = 0;
    window.lags = [];
    new MutationObserver((all) => (window.drawn += all.length)).observe(document.querySelector(".column"), { childList: true, characterData: true, subtree: true });
    document.getElementById("composer").addEventListener("keydown", (event) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.lags.push(performance.now() - event.timeStamp);
      requestAnimationFrame(() => port2.postMessage(0)); // after the paint of this frame
    });
  });
  const text = "Why is the sky blue, not violet? ".repeat(7).slice(0, kKeys);
  await page.locator("#composer").pressSequentially(text, { delay: 30 });
  assert.equal(await page.locator(".busy-dot").count(), 1, "the other answer still streams");
  await page.waitForFunction((n) => window.lags.length === n, kKeys);
  const lags = (await page.evaluate(() => window.lags)).sort((a, b) => a - b);
  const part = (share) => lags[Math.floor(kKeys * share)].toFixed(0);
  console.log(`# key to paint over ${kKeys} keys: median ${part(0.5)} ms, p95 ${part(0.95)} ms, longest ${part(0.999)} ms`);
  assert.equal(await page.inputValue("#composer"), text);
  assert.equal(await page.evaluate(() => window.drawn), 0);
  await page.click(".row-title >> text=Tell a very long story");
  await page.keyboard.press("Escape");
  await answered(page);
}));
