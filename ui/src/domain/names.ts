/** The repository without its owner. */
export function repoName(full: string): string {
  return full.slice(full.indexOf('/') + 1)
}

export function ownerOf(full: string): string {
  const slash = full.indexOf('/')
  return slash < 0 ? '' : full.slice(0, slash)
}

/** Folds case and accents, so that a search for "zoe" finds "Zoé". */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Whether every word of the search occurs somewhere. */
export function matches(search: string, ...texts: readonly string[]): boolean {
  const words = fold(search).split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const all = fold(texts.join('\u0000'))
  return words.every((word) => all.includes(word))
}

/** "owner/name", trimmed; null when it has not that form. */
export function repoRef(text: string): string | null {
  const trimmed = text.trim().replace(/^https?:\/\/[^/]+\//, '').replace(/\.git$/, '')
  return /^[\w.-]+\/[\w.-]+$/.test(trimmed) ? trimmed : null
}
