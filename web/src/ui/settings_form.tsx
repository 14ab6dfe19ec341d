import { t, type Key } from "../i18n";
import { change, keyNeeded, settings, type Settings } from "../state/settings";

function Choice<T extends string>(props: { legend: string; name: string; value: T; options: [T, string][]; onChange: (value: T) => void }) {
  return (
    <fieldset class="choice">
      <legend>{props.legend}</legend>
      <div class="choice-row">
        {props.options.map(([value, label]) => (
          <label key={value}>
            <input type="radio" name={props.name} checked={props.value === value} onChange={() => props.onChange(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const kShortcuts: [string, Key][] = [
  ["Enter", "scSend"],
  ["Shift Enter", "scNewline"],
  ["Esc", "scStop"],
  ["↑", "scEdit"],
  ["/", "scFocus"],
  ["Ctrl K", "scSearch"],
  ["Ctrl Shift O", "scNew"],
];

export function SettingsForm() {
  const { language, theme } = settings.value;
  return (
    <div class="panel-body">
      <Choice<Settings["language"]> legend={t("language")} name="language" value={language} onChange={(value) => change({ language: value })}
        options={[["auto", t("auto")], ["zh", "中文"], ["en", "English"]]} />
      <Choice<Settings["theme"]> legend={t("appearance")} name="theme" value={theme} onChange={(value) => change({ theme: value })}
        options={[["auto", t("auto")], ["light", t("light")], ["dark", t("dark")]]} />
      <section class="shortcuts">
        <h3>{t("shortcuts")}</h3>
        <dl>
          {kShortcuts.map(([keys, label]) => (
            <div key={label}>
              <dt>{keys.split(" ").map((one) => <kbd key={one}>{one}</kbd>)}</dt>
              <dd>{t(label)}</dd>
            </div>
          ))}
        </dl>
      </section>
      <button type="button" class="pill" onClick={() => (keyNeeded.value = true)}>{t("apiKey")}</button>
    </div>
  );
}
