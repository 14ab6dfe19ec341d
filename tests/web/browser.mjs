// Chromium on the page, whatever serves it.
//   RECKON_CHROMIUM (/usr/bin/chromium), RECKON_SCREENSHOTS (folder; none: no pictures)
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const shots = process.env.RECKON_SCREENSHOTS ?? "";
if (shots) mkdirSync(shots, { recursive: true });

export const launch = () =>
  chromium.launch({
    executablePath: process.env.RECKON_CHROMIUM ?? "/usr/bin/chromium",
    args: "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(" "),
  });

// A page with a clean profile. Requests to other hosts, violations of the policy and script errors are collected in
// `trouble`; close() fails the test where there are any.
export async function openPage(browser, url, options = {}) {
  const { expectTrouble = false, init, ...contextOptions } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 832 }, locale: "en-US", colorScheme: "light", ...contextOptions });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // a machine that compiles beside the tests is slow
  const trouble = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(blob|data):/.test(request.url())) trouble.push(`request to ${request.url()}`);
  });
  page.on("pageerror", (error) => trouble.push(`script error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource|net::ERR/.test(message.text())) trouble.push(message.text());
  });
  if (init) await page.addInitScript(init);
  await page.goto(url, { waitUntil: "domcontentloaded" });
  await page.waitForSelector("#composer");
  return {
    page,
    trouble,
    shot: async (name) => {
      if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
    },
    close: async () => {
      await context.close();
      if (trouble.length > 0 && !expectTrouble) throw new Error(trouble.join("\n"));
    },
  };
}

// Violations of weight serious or critical. axe is evaluated by the debugger, which the policy of the page does not bind.
export async function axe(page) {
  await page.evaluate(axeSource);
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return result.violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ") + " " + (node.any[0]?.message ?? "")).slice(0, 3).join("; ")}`);
}

export async function ask(page, text) {
  await page.fill("#composer", text);
  await page.press("#composer", "Enter");
}

export const answered = (page, timeout = 90_000) =>
  page.waitForFunction(() => !document.querySelector(".round[aria-label='Stop'], .round[aria-label='停止']"), null, { timeout });
