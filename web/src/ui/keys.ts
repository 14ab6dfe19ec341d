// Enter of an input method confirms a word and must never send. Safari ends the composition before the key arrives,
// then only the old key code 229 tells.
export const isPlainEnter = (event: KeyboardEvent): boolean =>
  event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
