// An error in the words of the service, and what the person can do about it.
import type { Failure } from "../history/model";
import { t } from "../i18n";
import { keyNeeded } from "../state/settings";

function remedy({ status, code, retryAfter }: Failure): string {
  if (code === "connection_lost") return t("rLost");
  if (status === 0) return t("rUnreachable");
  if (status === 401 || status === 403) return t("rKey");
  if (status === 429 || status === 503) return t("rBusy", { n: Math.max(1, retryAfter) });
  if (code === "context_length_exceeded") return t("rContext");
  return t("rOther");
}

export function FailureNote({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  const retry = (): void => {
    if (failure.status === 401) keyNeeded.value = true;
    else onRetry();
  };
  return (
    <div class="failure" role="alert">
      <p class="failure-what">{failure.message}</p>
      <p>{remedy(failure)}</p>
      <button type="button" class="pill" onClick={retry}>
        {failure.status === 401 ? t("apiKey") : t("tryAgain")}
      </button>
    </div>
  );
}
