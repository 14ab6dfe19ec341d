import { expect, test } from "vitest";
import { mathAt } from "../src/text/math";
import { toHtml } from "../src/text/markdown";

test.each([
  ["$x+1$ and", "x+1", false],
  ["$$\nx\n$$", "x", true],
  ["\\(a\\)", "a", false],
  ["\\[a\\\\b\\]", "a\\\\b", true],
  ["\\boxed{\\frac{1}{2}} so", "\\boxed{\\frac{1}{2}}", false],
])("%j is a formula", (text, tex, display) => {
  expect(mathAt(text, 0)).toMatchObject({ tex, display });
});

test.each(["$5 or $6", "$ x$", "$100", "$a $5", "\\boxed{", "\\(open", "$$", "$\n\n$"])("%j is not", (text) => {
  expect(mathAt(text, 0)).toBeNull();
});

test("formulas in code stay code", () => {
  expect(toHtml("`$x$` and $y$")).toBe('<p><code>$x$</code> and <span class="math">y</span></p>\n');
});

test("lines of a display formula are not read as Markdown", () => {
  expect(toHtml("text\n\\[\na\n- b\n= c\n\\]\nmore")).toContain('<div class="math math-display">a\n- b\n= c</div>');
});

test("raw HTML is text and an image is a link", () => {
  const html = toHtml("<b>x</b> ![alt](https://a.example/i.png)");
  expect(html).toContain("&lt;b&gt;");
  expect(html).not.toContain("<img");
  expect(html).toContain('<a href="https://a.example/i.png">alt</a>');
});
