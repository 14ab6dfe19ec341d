// Cuts growing Markdown into blocks that can be rendered alone. A block that was cut off never changes again while text
// is appended, so that a long answer costs only its last block per frame.

const kFence = /^ {0,3}(`{3,}|~{3,})/;
const kListItem = /^ {0,3}([-*+]|\d{1,9}[.)])( |$)/;
const kIndented = /^( {2,}|\t)/;

export class BlockSplitter {
  private finished: string[] = [];
  private settled = 0; // characters of the text in `finished`
  private text = "";

  // All of the text so far. Text that does not continue the one before starts anew.
  update(text: string): readonly string[] {
    if (!text.startsWith(this.text.slice(0, this.settled)) || text.length < this.settled) {
      this.finished = [];
      this.settled = 0;
    }
    this.text = text;
    const tail = text.slice(this.settled);
    const blocks = splitBlocks(tail);
    // The last block may grow, and the one before it may turn out to continue (a list after a blank line).
    const keep = Math.max(0, blocks.length - 2);
    let length = 0;
    for (let i = 0; i < keep; ++i) {
      const block = blocks[i] ?? "";
      this.finished.push(block);
      length += block.length;
    }
    this.settled += length;
    return [...this.finished, ...blocks.slice(keep)];
  }
}

// The blocks joined are the text, byte for byte.
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let start = 0;
  let fence = ""; // the marker that closes it
  let math = "";
  let list = false;
  let blank = false;
  let at = 0;
  const cut = (): void => {
    if (at > start) blocks.push(text.slice(start, at));
    start = at;
    list = false;
  };
  while (at < text.length) {
    const newline = text.indexOf("\n", at);
    const next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, next).trimEnd();
    if (fence !== "") {
      if (closesFence(line, fence)) fence = "";
    } else if (math !== "") {
      if (line.includes(math)) math = "";
    } else if (line.trim() === "") {
      blank = true;
    } else {
      const item = kListItem.test(line);
      const continues = list && (item || kIndented.test(line));
      if (blank && !continues) cut();
      blank = false;
      if (item && at === start) list = true;
      const open = kFence.exec(line);
      if (open?.[1]) fence = open[1];
      else math = opensMath(line);
    }
    at = next;
  }
  cut();
  return blocks;
}

function closesFence(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text.startsWith(fence) && text.replaceAll(fence[0] ?? "`", "") === "";
}

// The marker that ends a formula which this line opens and does not close.
function opensMath(line: string): string {
  const text = line.trimStart();
  if (text.startsWith("$$")) return text.indexOf("$$", 2) < 0 ? "$$" : "";
  if (text.startsWith("\\[")) return text.includes("\\]") ? "" : "\\]";
  return "";
}
