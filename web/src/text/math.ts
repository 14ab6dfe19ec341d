// Where TeX begins and ends in text that a model wrote: $..$, $$..$$, \(..\), \[..\] and a bare \boxed{..}.

export interface MathSpan {
  end: number; // first character after it
  tex: string;
  display: boolean;
}

const kMaxTex = 20_000; // longer is not a formula, and searching for its end would be quadratic

export function mathAt(text: string, at: number): MathSpan | null {
  const first = text[at];
  if (first === "\\") {
    if (text.startsWith("\\(", at)) return delimited(text, at, 2, "\\)", false);
    if (text.startsWith("\\[", at)) return delimited(text, at, 2, "\\]", true);
    if (text.startsWith("\\boxed{", at)) return boxed(text, at);
    return null;
  }
  if (first !== "$") return null;
  if (text.startsWith("$$", at)) return delimited(text, at, 2, "$$", true);
  return dollar(text, at);
}

function delimited(text: string, at: number, open: number, close: string, display: boolean): MathSpan | null {
  const end = text.indexOf(close, at + open);
  if (end < 0 || end - at > kMaxTex) return null;
  const tex = text.slice(at + open, end).trim();
  return tex === "" ? null : { end: end + close.length, tex, display };
}

// Pandoc's rule keeps prices apart from formulas: no space inside the dollars, no digit after the closing one.
function dollar(text: string, at: number): MathSpan | null {
  if (/\s|^$/.test(text[at + 1] ?? "")) return null;
  const limit = Math.min(text.length, at + 2000);
  for (let i = at + 1; i < limit; ++i) {
    const c = text[i];
    if (c === "\\") ++i;
    else if (c === "\n" && text[i + 1] === "\n") return null;
    else if (c === "$") {
      if (/\s/.test(text[i - 1] ?? "") || /\d/.test(text[i + 1] ?? "")) return null;
      return { end: i + 1, tex: text.slice(at + 1, i), display: false };
    }
  }
  return null;
}

function boxed(text: string, at: number): MathSpan | null {
  let depth = 0;
  const limit = Math.min(text.length, at + 2000);
  for (let i = at + 6; i < limit; ++i) {
    const c = text[i];
    if (c === "\\") ++i;
    else if (c === "{") ++depth;
    else if (c === "}" && --depth === 0) return { end: i + 1, tex: text.slice(at, i + 1), display: false };
  }
  return null;
}
