import { t } from "../i18n";
import { connect } from "../state/service";
import { keyNeeded, useKey } from "../state/settings";
import { Panel } from "./panel";

export function KeyForm() {
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    useKey(String(form.get("key") ?? "").trim(), form.get("keep") !== null);
    void connect();
  };
  return (
    <Panel title={t("apiKey")} onClose={() => (keyNeeded.value = false)}>
      <form class="panel-body" onSubmit={onSubmit}>
        <p>{t("apiKeyNeeded")}</p>
        <div class="field is-wide">
          <label for="api-key">{t("apiKey")}</label>
          <input id="api-key" name="key" type="password" autocomplete="off" required />
        </div>
        <label class="check">
          <input type="checkbox" name="keep" /> {t("apiKeyKeep")}
        </label>
        <button type="submit" class="pill is-main">{t("apiKeyUse")}</button>
      </form>
    </Panel>
  );
}
