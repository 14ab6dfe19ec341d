// Line icons on a 20-unit grid; decoration only, the button carries the name.
const kPaths = {
  plus: "M10 4v12M4 10h12",
  send: "M10 16V4M5 9l5-5 5 5",
  stop: "M5.500 5.500h9v9h-9z",
  menu: "M3 6h14M3 10h14M3 14h9",
  sliders: "M3 6h7M14 6h3M3 14h3M10 14h7M12 4v4M8 12v4",
  gear: "M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6M10 2.500v2M10 15.500v2M2.500 10h2M15.500 10h2M4.700 4.700l1.400 1.400M13.900 13.900l1.400 1.400M4.700 15.300l1.400-1.400M13.900 6.100l1.400-1.400",
  close: "M5 5l10 10M15 5L5 15",
  more: "M4.500 10h.01M10 10h.01M15.500 10h.01",
  copy: "M7 7V4h9v9h-3M4 7h9v9H4z",
  edit: "M4 16l1-4 8.500-8.500 3 3L8 15zM12 5l3 3",
  again: "M16 10a6 6 0 1 1-2-4.500M16 3v3.500h-3.500",
  left: "M12 5l-5 5 5 5",
  right: "M8 5l5 5-5 5",
  down: "M5 8l5 5 5-5",
  search: "M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4M13 13l4 4",
  import: "M10 3v9M6 8.500l4 4 4-4M4 16.500h12",
  export: "M10 12.500v-9M6 7l4-4 4 4M4 16.500h12",
  bolt: "M11 3L5 11h4l-1 6 6-8h-4z",
  lock: "M5 9h10v7H5zM7 9V7a3 3 0 0 1 6 0v2",
} as const;

export type IconName = keyof typeof kPaths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d={kPaths[name]} />
  </svg>
);

export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect class="logo-ground" width="32" height="32" rx="8" />
    <path class="logo-rod" d="M8 6v20M16 6v20M24 6v20" />
    <g class="logo-bead">
      <rect x="4.500" y="8" width="7" height="5" rx="2.500" />
      <rect x="12.500" y="18.500" width="7" height="5" rx="2.500" />
      <rect x="20.500" y="12.500" width="7" height="5" rx="2.500" />
    </g>
  </svg>
);
