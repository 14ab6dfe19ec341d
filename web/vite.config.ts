import { defineConfig } from "vite";

// Few files, nothing inline: the page runs under the policy in csp.txt.
export default defineConfig({
  base: "./",
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
