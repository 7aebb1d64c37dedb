export type Theme = 'system' | 'light' | 'dark'

const dark = () => window.matchMedia?.('(prefers-color-scheme: dark)')

let chosen: Theme = 'system'

function apply() {
  const isDark = chosen === 'dark' || (chosen === 'system' && dark()?.matches === true)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
}

/** Shows the chosen appearance; `system` follows the system from then on. */
export function setTheme(theme: string): void {
  chosen = theme === 'light' || theme === 'dark' ? theme : 'system'
  apply()
}

/** Follows the system's appearance. */
export function watchTheme(): () => void {
  apply()
  const query = dark()
  query?.addEventListener?.('change', apply)
  return () => query?.removeEventListener?.('change', apply)
}
