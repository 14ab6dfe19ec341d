// What a new chat shows: what can be asked, what runs here, and that it stays here.
import { number, t, type Key } from "../i18n";
import { model, service } from "../state/service";
import { fillComposer } from "./composer";
import { Icon } from "./icons";

const kExamples: [Key, Key][] = [
  ["ex1", "ex1p"],
  ["ex2", "ex2p"],
  ["ex3", "ex3p"],
];

const isHere = (): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

function ModelLine() {
  const state = service.value;
  if (state === "offline") {
    return (
      <p class="model-line is-off" role="status">
        {t("offline")}. {t("offlineHow")}
      </p>
    );
  }
  const m = model.value;
  if (state === "loading") return <p class="model-line" role="status">{t("loading")}</p>;
  if (!m) return <p class="model-line" />;
  // The name of a file often says its quantization.
  const quantization = m.id.toLowerCase().includes(m.quantization.toLowerCase()) ? "" : m.quantization;
  const facts = [quantization, m.contextLength ? t("context", { n: number(m.contextLength) }) : ""].filter(Boolean);
  return (
    <p class="model-line">
      <strong>{m.id}</strong>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}

export function Empty() {
  return (
    <div class="empty">
      <h1>{t("emptyTitle")}</h1>
      <ModelLine />
      <ul class="examples">
        {kExamples.map(([title, prompt]) => (
          <li key={title}>
            <button type="button" onClick={() => fillComposer(t(prompt))}>
              <strong>{t(title)}</strong>
              <span>{t(prompt)}</span>
            </button>
          </li>
        ))}
      </ul>
      <p class="private">
        <Icon name="lock" />
        {isHere() ? t("emptyPrivate") : t("emptyRemote", { host: location.hostname })}
      </p>
    </div>
  );
}
