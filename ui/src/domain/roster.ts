import Papa from 'papaparse'

/** What a pasted or chosen CSV roster holds, as far as the window can tell before the core reads it. */
export interface RosterGlance {
  rows: number
  /** First problems, by line (1-based, the header is line 1). */
  problems: { line: number; kind: 'no_header' | 'no_slash' | 'twice'; value: string }[]
}

const MOST_PROBLEMS = 5

/** Counts the rows and finds what would be refused; the core still has the last word. */
export function glance(text: string): RosterGlance {
  const lines = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: false }).data
  const isBlank = (cells: string[]) => cells.every((cell) => cell.trim() === '')
  const first = lines.findIndex((cells) => !isBlank(cells))
  const header = lines[first]
  if (!header) return { rows: 0, problems: [] }
  const column = header.findIndex((name) => name.trim().toLowerCase() === 'repository')
  if (column < 0) return { rows: 0, problems: [{ line: first + 1, kind: 'no_header', value: header.join(',') }] }
  const seen = new Set<string>()
  const problems: RosterGlance['problems'] = []
  let rows = 0
  lines.forEach((cells, at) => {
    if (at <= first || isBlank(cells)) return
    const repository = (cells[column] ?? '').trim()
    const known = repository.toLowerCase()
    if (!/^[^/\s]+\/[^/\s]+$/.test(repository)) problems.push({ line: at + 1, kind: 'no_slash', value: repository })
    else if (seen.has(known)) problems.push({ line: at + 1, kind: 'twice', value: repository })
    else {
      seen.add(known)
      rows += 1
    }
  })
  return { rows, problems: problems.slice(0, MOST_PROBLEMS) }
}
