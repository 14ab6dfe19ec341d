// Markdown that costs little: finished blocks are drawn once, blocks far from the screen stay plain text until they
// come near it, and only the last block of a growing text is drawn again.
import { memo } from "preact/compat";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../i18n";
import { BlockSplitter } from "../text/blocks";
import { renderBlock } from "../text/render";
import { copyText } from "./clipboard";

const waiting = new WeakMap<Element, () => void>();
const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      observer.unobserve(entry.target);
      waiting.get(entry.target)?.();
      waiting.delete(entry.target);
    }
  },
  { rootMargin: "1200px 0px" },
);

function onCopy(text: string, button: HTMLElement): void {
  void copyText(text).then((done) => {
    if (!done) return;
    button.textContent = t("copied");
    setTimeout(() => (button.textContent = t("copy")), 1500);
  });
}

const Block = memo(function Block({ source, growing }: { source: string; growing: boolean }) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef(false);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    const draw = (): void => {
      drawn.current = true;
      target.classList.remove("plain");
      target.replaceChildren(renderBlock(source, { final: !growing, copyLabel: t("copy"), onCopy }));
    };
    if (growing || drawn.current) return draw();
    target.classList.add("plain");
    target.textContent = source.trim();
    waiting.set(target, draw);
    observer.observe(target);
    return () => observer.unobserve(target);
  }, [source, growing]);
  return <div class="block" ref={element} />;
});

export function MarkdownView({ text, growing = false }: { text: string; growing?: boolean }) {
  const splitter = useRef<BlockSplitter>(null);
  splitter.current ??= new BlockSplitter();
  const blocks = useMemo(() => splitter.current?.update(text) ?? [], [text]);
  return (
    <div class="prose">
      {blocks.map((source, i) => (
        <Block key={i} source={source} growing={growing && i >= blocks.length - 1} />
      ))}
    </div>
  );
}
