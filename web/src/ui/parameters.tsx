// Every parameter with what it does, the model's own value, and the way back to it.
import { t, type Key } from "../i18n";
import { model } from "../state/service";
import { change, changeParameters, settings, type Parameters } from "../state/settings";

interface Row {
  name: "temperature" | "top_p" | "top_k" | "min_p" | "repetition_penalty" | "max_tokens" | "seed";
  label: Key;
  why: Key;
  min: number;
  max: number;
  step: number;
}

const kRows: Row[] = [
  { name: "temperature", label: "pTemperature", why: "wTemperature", min: 0, max: 2, step: 0.05 },
  { name: "top_p", label: "pTopP", why: "wTopP", min: 0, max: 1, step: 0.01 },
  { name: "top_k", label: "pTopK", why: "wTopK", min: 0, max: 1000, step: 1 },
  { name: "min_p", label: "pMinP", why: "wMinP", min: 0, max: 1, step: 0.01 },
  { name: "repetition_penalty", label: "pRepetition", why: "wRepetition", min: 0.5, max: 2, step: 0.05 },
  { name: "max_tokens", label: "pMaxTokens", why: "wMaxTokens", min: 1, max: 131072, step: 1 },
  { name: "seed", label: "pSeed", why: "wSeed", min: 0, max: 2147483647, step: 1 },
];

// float32 values of the service, without their tail
const short = (value: number): string => String(Number(value.toPrecision(4)));

function Field({ row }: { row: Row }) {
  const value = settings.value.parameters[row.name];
  const own = row.name === "max_tokens" || row.name === "seed" ? undefined : model.value?.defaults[row.name];
  const id = `p-${row.name}`;
  const set = (text: string): void => {
    const n = Number(text);
    const ok = text.trim() !== "" && Number.isFinite(n);
    changeParameters({ [row.name]: ok ? Math.min(row.max, Math.max(row.min, n)) : undefined } as Partial<Parameters>);
  };
  return (
    <div class={`field${value === undefined ? "" : " is-set"}`}>
      <label for={id}>{t(row.label)}</label>
      <input id={id} type="number" inputMode="decimal" min={row.min} max={row.max} step={row.step} value={value ?? ""} aria-describedby={`${id}-why`}
        placeholder={own === undefined ? "–" : short(own)} onChange={(event) => set(event.currentTarget.value)} />
      <p class="why" id={`${id}-why`}>
        {t(row.why)}{" "}
        {own === undefined ? null : <span class="own">{t("modelDefault", { value: short(own) })}</span>}
      </p>
      {value === undefined ? null : (
        <button type="button" class="link" aria-label={`${t("reset")}: ${t(row.label)}`} onClick={() => changeParameters({ [row.name]: undefined } as Partial<Parameters>)}>
          {t("reset")}
        </button>
      )}
    </div>
  );
}

export function ParametersForm() {
  const { system } = settings.value.parameters;
  const origin = model.value?.defaults.origin;
  return (
    <div class="panel-body">
      {origin ? <p class="soft">{t("origin", { origin })}</p> : null}
      {kRows.map((row) => (
        <Field key={row.name} row={row} />
      ))}
      <div class="field is-wide">
        <label for="p-system">{t("pSystem")}</label>
        <textarea id="p-system" rows={3} value={system ?? ""} aria-describedby="p-system-why" onChange={(event) => changeParameters({ system: event.currentTarget.value.trim() })} />
        <p class="why" id="p-system-why">{t("wSystem")}</p>
      </div>
      <button type="button" class="pill" disabled={Object.keys(settings.value.parameters).length === 0} onClick={() => change({ parameters: {} })}>
        {t("resetAll")}
      </button>
    </div>
  );
}
