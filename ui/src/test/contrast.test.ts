import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync('src/styles/tokens.css', 'utf8')
const [lightText = '', darkText = ''] = css.split(":root[data-theme='dark']")

function read(text: string): Map<string, string> {
  return new Map([...text.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value.trim()]))
}

const light = read(lightText)
const dark = new Map([...light, ...read(darkText)])

function resolve(tokens: Map<string, string>, name: string): string {
  const value = tokens.get(name) ?? ''
  const link = /^var\(--([\w-]+)\)$/.exec(value)
  return link?.[1] ? resolve(tokens, link[1]) : value
}

function luminance(hex: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  const [r = 0, g = 0, b = 0] = channels.map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

const GROUNDS = ['ground', 'surface', 'sunken', 'hover', 'accent-ground']
const PAIRS: [string, string[]][] = [
  ['text', [...GROUNDS, 'warn-ground', 'bad-ground']],
  ['muted', [...GROUNDS, 'warn-ground', 'bad-ground', 'idle-ground']],
  ['faint', ['ground', 'surface', 'sunken', 'hover']],
  ['accent', ['ground', 'surface', 'accent-ground']],
  ['on-accent', ['accent', 'accent-strong']],
  ...['ok', 'info', 'warn', 'bad', 'idle'].map((tone): [string, string[]] => [tone, ['ground', 'surface', 'sunken', 'hover', 'accent-ground', `${tone}-ground`]]),
]

describe.each([
  ['light', light],
  ['dark', dark],
] as const)('In %s', (_, tokens) => {
  it('every text keeps 4.5 to 1 on every ground it stands on', () => {
    const weak = PAIRS.flatMap(([text, grounds]) =>
      grounds.flatMap((ground) => {
        const ratio = contrast(resolve(tokens, text), resolve(tokens, ground))
        return ratio < 4.5 ? [`${text} on ${ground}: ${ratio.toFixed(2)}`] : []
      }),
    )
    expect(weak).toEqual([])
  })

  it('bars and the focus ring keep 3 to 1 on the surface where they tell states apart', () => {
    const weak = ['ok-solid', 'bad-solid', 'info-solid', 'focus', 'accent'].filter(
      (name) => contrast(resolve(tokens, name), resolve(tokens, 'surface')) < 3,
    )
    expect(weak).toEqual([])
  })
})
