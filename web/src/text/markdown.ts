// Markdown to HTML text. Raw HTML is shown as text, images as links: nothing of another host is ever loaded.
import MarkdownIt from "markdown-it";
import { mathAt } from "./math";

const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true, typographer: false });

const escapeHtml = markdown.utils.escapeHtml;

function mathHtml(tex: string, display: boolean): string {
  const tag = display ? "div" : "span";
  return `<${tag} class="math${display ? " math-display" : ""}">${escapeHtml(tex)}</${tag}>`;
}

markdown.inline.ruler.before("escape", "math", (state, silent) => {
  const span = mathAt(state.src, state.pos);
  if (!span || span.end > state.posMax) return false;
  if (!silent) {
    const token = state.push("math", "", 0);
    token.content = span.tex;
    token.meta = { display: span.display };
  }
  state.pos = span.end;
  return true;
});

// A display formula on lines of its own: its lines must not be read as headings, lists or rules.
markdown.block.ruler.before(
  "fence",
  "math_block",
  (state, startLine, endLine, silent) => {
    const begin = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
    if (!state.src.startsWith("$$", begin) && !state.src.startsWith("\\[", begin)) return false;
    const span = mathAt(state.src, begin);
    if (!span?.display) return false;
    let line = startLine;
    while (line < endLine && (state.eMarks[line] ?? 0) < span.end) ++line;
    if (line >= endLine || state.src.slice(span.end, state.eMarks[line]).trim() !== "") return false;
    if (silent) return true;
    const token = state.push("math", "", 0);
    token.block = true;
    token.content = span.tex;
    token.meta = { display: true };
    state.line = line + 1;
    return true;
  },
  { alt: ["paragraph", "reference", "blockquote", "list"] },
);

markdown.renderer.rules["math"] = (tokens, i) => {
  const token = tokens[i];
  return token ? mathHtml(token.content, Boolean((token.meta as { display?: boolean } | null)?.display)) : "";
};

markdown.renderer.rules.image = (tokens, i) => {
  const token = tokens[i];
  if (!token) return "";
  const source = String(token.attrGet("src") ?? "");
  return `<a href="${escapeHtml(source)}">${escapeHtml(token.content || source)}</a>`;
};

markdown.renderer.rules.fence = (tokens, i) => {
  const token = tokens[i];
  if (!token) return "";
  const language = token.info.trim().split(/\s+/)[0] ?? "";
  return `<pre><code class="language-${escapeHtml(language)}">${escapeHtml(token.content)}</code></pre>`;
};

export const toHtml = (source: string): string => markdown.render(source);
