// Server-sent events from arbitrary pieces of text: a piece may end inside a line, or between CR and LF.

export interface SseEvent {
  event: string;
  data: string;
}

export class SseParser {
  private rest = "";
  private data: string[] = [];
  private event = "message";

  feed(piece: string): SseEvent[] {
    const events: SseEvent[] = [];
    let text = this.rest + piece;
    // A CR at the very end may be the first half of CRLF: wait for the next piece.
    let held = "";
    if (text.endsWith("\r")) {
      held = "\r";
      text = text.slice(0, -1);
    }
    const lines = text.split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? "") + held;
    for (const line of lines) this.line(line, events);
    return events;
  }

  private line(line: string, events: SseEvent[]): void {
    if (line === "") {
      if (this.data.length > 0) events.push({ event: this.event, data: this.data.join("\n") });
      this.data = [];
      this.event = "message";
      return;
    }
    if (line.startsWith(":")) return; // a comment: the heartbeat
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") this.data.push(value);
    else if (field === "event") this.event = value;
  }
}
