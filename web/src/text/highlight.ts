// Colours for the languages that models write most; the rest stays plain.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const kLanguages = { bash, cpp, css, go, java, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(kLanguages)) hljs.registerLanguage(name, language);
hljs.registerAliases(["js", "jsx", "javascript"], { languageName: "typescript" });
hljs.registerAliases("c", { languageName: "cpp" });

const kMaxChars = 30_000; // colouring more than this would be felt

// HTML text, or null where the language is not known.
export function highlight(code: string, language: string): string | null {
  if (language === "" || code.length > kMaxChars || !hljs.getLanguage(language)) return null;
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
