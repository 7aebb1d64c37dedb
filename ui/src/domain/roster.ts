/** What a pasted or chosen CSV roster holds, as far as the window can tell before the core reads it. */
export interface RosterGlance {
  rows: number
  /** First problems, by line (1-based, the header is line 1). */
  problems: { line: number; kind: 'no_header' | 'no_slash' | 'twice'; value: string }[]
}

function cells(line: string): string[] {
  const out: string[] = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at]
    if (quoted && char === '"' && line[at + 1] === '"') {
      cell += '"'
      at += 1
    } else if (char === '"') quoted = !quoted
    else if ((char === ',' || char === ';' || char === '\t') && !quoted) {
      out.push(cell.trim())
      cell = ''
    } else cell += char
  }
  return [...out, cell.trim()]
}

/** Counts the rows and finds what would be refused; the core still has the last word. */
export function glance(text: string): RosterGlance {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const first = lines.findIndex((line) => line.trim() !== '')
  if (first < 0) return { rows: 0, problems: [] }
  const header = cells(lines[first] ?? '').map((name) => name.toLowerCase())
  const column = header.indexOf('repository')
  if (column < 0) return { rows: 0, problems: [{ line: first + 1, kind: 'no_header', value: lines[first] ?? '' }] }
  const seen = new Set<string>()
  const problems: RosterGlance['problems'] = []
  let rows = 0
  lines.forEach((line, at) => {
    if (at <= first || line.trim() === '') return
    const repository = cells(line)[column] ?? ''
    if (!/^[^/\s]+\/[^/\s]+$/.test(repository)) problems.push({ line: at + 1, kind: 'no_slash', value: repository })
    else if (seen.has(repository.toLowerCase())) problems.push({ line: at + 1, kind: 'twice', value: repository })
    else {
      seen.add(repository.toLowerCase())
      rows += 1
    }
  })
  return { rows, problems: problems.slice(0, 5) }
}
