// A real `reckon serve` for the tests of the page: one that RECKON_WEB_URL names, else one that is started here.
//   RECKON_BIN (the program), RECKON_TEST_MODEL (any small ChatML model)
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const kTemplate = fileURLToPath(new URL("think.jinja", import.meta.url));

function need(name) {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}, or RECKON_WEB_URL to a running service`);
  return value;
}

// One answer at a time, so that the second waits in the queue. stop() waits until the process has ended.
export async function startService() {
  const given = process.env.RECKON_WEB_URL;
  if (given) return { url: given.endsWith("/") ? given : `${given}/`, stop: async () => undefined };
  const args = ["serve", "-m", need("RECKON_TEST_MODEL"), "--port", "0", "--parallel", "1", "--drain", "0", "--chat-template", kTemplate];
  const child = spawn(need("RECKON_BIN"), args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let said = "";
  const address = new Promise((resolve, reject) => {
    const listen = (piece) => {
      said += piece;
      const found = /served at (http:\/\/\S+)/.exec(said);
      if (found) resolve(`${found[1]}/`);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("error", reject);
    void ended.then((code) => reject(new Error(`reckon serve ended with ${code}:\n${said}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { url: await address, stop };
}
