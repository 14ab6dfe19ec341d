import { defineConfig, type Plugin } from "vite";

// KaTeX names each font in three formats; every browser that runs this page reads woff2. Fraktur, script, sans serif
// and typewriter alphabets fall back to the text font: they are rare in answers and would be a third of the page.
const kRareFonts = /KaTeX_(Fraktur|Script|SansSerif|Typewriter|Caligraphic-Bold|Main-BoldItalic|Math-BoldItalic)/;

function fewerFonts(): Plugin {
  return {
    name: "fewer-fonts",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("katex.min.css")) return null;
      const faces = code.replace(/@font-face\{[^}]*\}/g, (face) => {
        if (kRareFonts.test(face)) return "";
        return face.replace(/,url\([^)]*\.(woff|ttf)\) format\("[^"]*"\)/g, "");
      });
      return { code: faces, map: null };
    },
  };
}

// Few files, nothing inline: the page runs under the policy in csp.txt.
export default defineConfig({
  base: "./",
  plugins: [fewerFonts()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    rollupOptions: { output: { codeSplitting: false } },
  },
  server: { proxy: Object.fromEntries(["/v1", "/tokenize", "/health", "/ready"].map((path) => [path, "http://127.0.0.1:8181"])) },
});
