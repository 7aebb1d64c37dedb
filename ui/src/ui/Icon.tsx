/** Small line icons, drawn for this window on a 16 × 16 grid. Always beside a word, so hidden from assistive tools. */
const PATHS = {
  check: 'M3.5 8.5 6.5 11.5 12.5 4.5',
  cross: 'M4.5 4.5 11.5 11.5 M11.5 4.5 4.5 11.5',
  refresh: 'M13 8a5 5 0 1 1-1.6-3.7 M13 2.5v2.6h-2.6',
  equal: 'M4 6.25h8 M4 9.75h8',
  skip: 'M3 10.5c1-4 6-5.5 9-2 M12.6 4.9v3.8H8.8',
  clock: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11Z M8 5.2V8l2 1.6',
  up: 'M8 12.5v-9 M4.5 7 8 3.5 11.5 7',
  down: 'M8 3.5v9 M4.5 9 8 12.5 11.5 9',
  warn: 'M8 2.8 14 13H2Z M8 6.6v3 M8 11.4v.1',
  info: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11Z M8 7.4v3.4 M8 5.2v.1',
  heart: 'M8 13C3.5 9.8 2.5 7.8 2.5 6.1a2.8 2.8 0 0 1 5.5-.8 2.8 2.8 0 0 1 5.5.8C13.5 7.8 12.5 9.8 8 13Z',
  lock: 'M4 7.500h8v5.500H4Z M5.5 7.500V5.300a2.5 2.5 0 0 1 5 0v2.2',
  unlock: 'M4 7.500h8v5.500H4Z M5.5 7.500V5.300a2.5 2.5 0 0 1 4.8-1',
  pull: 'M4.5 5.500v5 M4.5 5.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z M4.5 13.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z M11.5 13.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z M11.5 10.500V6.500a2 2 0 0 0-2-2H8',
  merge: 'M4.5 5.500v5 M4.5 5.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z M4.5 13.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z M11.5 9.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z M4.5 5.500c.3 1.6 2 2.5 5.5 2.5',
  projects: 'M3 3.500h10 M3 8h10 M3 12.500h6',
  sources: 'M5 10.500v-5 M5 5.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z M5 13.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z M11 6.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z M11 6.500c0 2.5-6 1.5-6 4',
  settings: 'M2.5 5h6 M11.5 5h2 M10 3.500v3 M2.5 11h2 M7.5 11h6 M6 9.500v3',
  search: 'M7 2.500a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Z M10.3 10.3 13.5 13.5',
  plus: 'M8 3.500v9 M3.5 8h9',
  chevron: 'M4.5 6.5 8 10l3.5-3.5',
  chevronUp: 'M4.5 9.5 8 6l3.5 3.5',
  chevronRight: 'M6.5 4.5 10 8l-3.5 3.5',
  arrowRight: 'M3 8h10 M9.5 4.5 13 8l-3.5 3.5',
  play: 'M5 3.5 12 8l-7 4.500Z',
  eye: 'M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8Z M8 6.200a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.600Z',
  external: 'M6.5 4H4v8h8V9.5 M9 3.500h3.500V7 M12.2 3.8 7.5 8.5',
  person: 'M8 7.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z M3 13.500c.4-2.6 2.4-4 5-4s4.6 1.4 5 4',
  database: 'M3 4.200C3 3.2 5.2 2.5 8 2.500s5 .7 5 1.7-2.2 1.7-5 1.7-5-.7-5-1.700Z M3 4.200v7.600c0 1 2.2 1.7 5 1.700s5-.7 5-1.700V4.2 M3 8c0 1 2.2 1.7 5 1.700S13 9 13 8',
  inbox: 'M2.5 9.5 4.5 3.500h7l2 6v3h-11Z M2.5 9.500H6c0 1.2.8 2 2 2s2-.8 2-2h3.5',
  dots: 'M3.5 8v.01 M8 8v.01 M12.5 8v.01',
  dot: 'M8 8v.01',
  dashed: 'M8 2.500a5.5 5.5 0 0 1 3.9 1.6 M13.5 8a5.5 5.5 0 0 1-1.6 3.9 M8 13.500a5.5 5.5 0 0 1-3.9-1.6 M2.5 8a5.5 5.5 0 0 1 1.6-3.9',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 14, className }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      className={className}
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'dot' ? 5 : name === 'dots' ? 2.2 : 1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The mark of the product: two posts in step. */
export function Mark({ size = 18 }: { size?: number }) {
  return (
    <svg aria-hidden="true" width={`${size / 16}rem`} height={`${size / 16}rem`} viewBox="0 0 18 18" fill="none">
      <g stroke="var(--accent)" strokeLinecap="round" strokeWidth="2.4">
        <path d="M4 2v14M14 2v14" />
        <path d="M4 6h10M4 12h10" opacity=".45" />
      </g>
    </svg>
  )
}
