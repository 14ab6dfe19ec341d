import { expect, test } from "vitest";
import { SseParser } from "../src/api/sse";

const data = (pieces: string[]): string[] => {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.feed(piece).map((event) => event.data));
};

test("an event may come in any pieces", () => {
  const stream = 'data: {"a":1}\r\n\r\n: ping\n\ndata: 二\ndata: x\n\ndata: [DONE]\n\n';
  const whole = ['{"a":1}', "二\nx", "[DONE]"];
  expect(data([stream])).toEqual(whole);
  expect(data([...stream])).toEqual(whole);
});

test("a comment is not an event and an unfinished event is not told", () => {
  expect(data([": ping\n\n", "data: half"])).toEqual([]);
});

test("the name of an event holds for that event only", () => {
  expect(new SseParser().feed("event: error\ndata: 1\n\ndata: 2\n\n")).toEqual([
    { event: "error", data: "1" },
    { event: "message", data: "2" },
  ]);
});
