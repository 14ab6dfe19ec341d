// Writes the built page as one C++ source: node embed.mjs DIST CSP OUT.cc
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";

const [dist, cspFile, out] = process.argv.slice(2);
const kTypes = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  .sort();

// Octal with three digits always: a shorter escape would swallow a digit that follows.
function literal(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 64) {
    let line = "";
    for (const byte of bytes.subarray(at, at + 64)) {
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
      line += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
    }
    lines.push(`"${line}"`);
  }
  return lines.length > 0 ? lines.join("\n") : `""`;
}

const data = [];
const rows = [];
const view = (name, bytes) => (bytes.length > 0 ? `{${name}, ${bytes.length}}` : "{}");
files.forEach((file, i) => {
  const path = `/${relative(dist, file).replaceAll("\\", "/")}`;
  const type = kTypes[extname(file)];
  if (!type) throw new Error(`${path}: no content type is known for ${extname(file)}; add it to embed.mjs`);
  const bytes = readFileSync(file);
  const packed = gzipSync(bytes, { level: 9 });
  const gzip = packed.length < bytes.length * 0.9 ? packed : Buffer.alloc(0); // fonts are packed already
  if (bytes.length > 0) data.push(`constexpr char kBytes${i}[] =\n${literal(bytes)};`);
  if (gzip.length > 0) data.push(`constexpr char kGzip${i}[] =\n${literal(gzip)};`);
  const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const immutable = path.startsWith("/assets/"); // the name holds a hash of the content
  const names = path === "/index.html" ? ["/", path] : [path];
  for (const name of names) {
    rows.push(`    {"${name}", "${type}", ${view(`kBytes${i}`, bytes)}, ${view(`kGzip${i}`, gzip)}, "\\"${etag}\\"", ${immutable}},`);
  }
});

const csp = readFileSync(cspFile, "utf8").trim();
writeFileSync(
  out,
  `// Written by web/scripts/embed.mjs.
#include "server/web_assets.h"

namespace reckon::server {
namespace {

${data.join("\n")}

constexpr WebAsset kAssets[] = {
${rows.join("\n")}
};

}  // namespace

std::span<const WebAsset> web_assets() { return kAssets; }
std::string_view web_content_security_policy() { return "${csp}"; }

}  // namespace reckon::server
`,
);
