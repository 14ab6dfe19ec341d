import { expect, test } from "vitest";
import { BlockSplitter, splitBlocks } from "../src/text/blocks";
import { kAnswer } from "../mock/answers.mjs";

test.each<[string, string[]]>([
  ["a\n\nb", ["a\n\n", "b"]],
  ["```\na\n\nb\n```\n\nc", ["```\na\n\nb\n```\n\n", "c"]],
  ["````\n```\n\n```\n````\n\nx", ["````\n```\n\n```\n````\n\n", "x"]],
  ["1. a\n\n2. b\n\n   c\n\nd", ["1. a\n\n2. b\n\n   c\n\n", "d"]],
  ["$$\na\n\nb\n$$\n\nc", ["$$\na\n\nb\n$$\n\n", "c"]],
  ["\\[ a \\]\n\nb", ["\\[ a \\]\n\n", "b"]],
  ["", []],
])("%j", (text, blocks) => {
  expect(splitBlocks(text)).toEqual(blocks);
});

test("blocks joined are the text", () => {
  expect(splitBlocks(kAnswer).join("")).toBe(kAnswer);
});

test("growing text gives at its end what the whole text gives", () => {
  const splitter = new BlockSplitter();
  for (let n = 0; n < kAnswer.length; n += 7) splitter.update(kAnswer.slice(0, n));
  expect(splitter.update(kAnswer)).toEqual(splitBlocks(kAnswer));
});

test("text that does not continue the old one starts anew", () => {
  const splitter = new BlockSplitter();
  splitter.update("a\n\nb\n\nc\n\nd");
  expect(splitter.update("x\n\ny")).toEqual(["x\n\n", "y"]);
});
