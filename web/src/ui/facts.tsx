// Where the time goes: while it runs in words and a bar, afterwards as one quiet line.
import type { Message } from "../history/model";
import { decimal, duration, number, t } from "../i18n";
import type { Progress } from "../state/generation";

export function LiveFacts({ progress }: { progress: Progress }) {
  const { phase, done, total } = progress;
  if (phase === "waiting") return <p class="facts is-waiting">{t("waiting")}</p>;
  if (phase === "queued") return <p class="facts is-waiting">{t("queued", { n: progress.queuePlace })}</p>;
  if (phase === "prefill") {
    return (
      <div class="facts">
        <span>{t("readingOf", { done: number(done), total: number(total) })}</span>
        <progress class="bar" value={done} max={Math.max(1, total)} aria-label={t("reading")} />
      </div>
    );
  }
  const rate = progress.rate > 0 ? t("rate", { n: decimal(progress.rate) }) : "";
  return (
    <p class="facts">
      <span>{rate}</span>
      {phase === "writing" ? <span>{t("tokens", { n: number(progress.nThought + progress.nAnswer) })}</span> : null}
    </p>
  );
}

export function Facts({ message }: { message: Message }) {
  const { timings, usage } = message;
  const facts: string[] = [];
  if (timings?.tokens_per_second) facts.push(t("rate", { n: decimal(timings.tokens_per_second) }));
  if (timings?.ttft_ms) facts.push(t("ttft", { time: duration(timings.ttft_ms) }));
  if (usage) {
    facts.push(t("tokens", { n: number(usage.completion_tokens) }));
    const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
    const n = number(usage.prompt_tokens);
    facts.push(cached > 0 ? t("promptCached", { n, cached: number(cached) }) : t("promptTokens", { n }));
  }
  if (facts.length === 0) return null;
  return (
    <p class="facts">
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}
