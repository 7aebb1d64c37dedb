// Pictures of every screen from the stand-in build: `npm run shots [-- name ...]`. They land in `artefacts/` beside `ui/`.
import { mkdirSync, readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { preview } from 'vite'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const out = new URL('../../artefacts/', import.meta.url).pathname
const P1 = '/project/p1'
const click = (id) => (page) => page.click(`[data-testid="${id}"]`)
const press = (...keys) => async (page) => {
  for (const key of keys) await page.keyboard.press(key)
}

const AXE = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/** What is too weak to read in one appearance: which text on which ground, by how much. */
async function weak(page, theme) {
  await page.evaluate((to) => (document.documentElement.dataset.theme = to), theme)
  // Only one rule, on the real pixels' colours; what it cannot judge (behind a veil) is not a fault.
  return page.evaluate(async (of) => {
    const { violations } = await window.axe.run(document, { runOnly: ['color-contrast'] })
    const nodes = violations.flatMap((violation) => violation.nodes)
    return nodes.map((node) => `${of}: ${node.any[0]?.message ?? ''} ${node.html.slice(0, 120)}`)
  }, theme)
}

/** A table of recipients that must be scrolled sideways. */
const sideways = (page) =>
  page.evaluate(() => {
    const grid = document.querySelector('[data-testid="recipients"]')
    return grid && grid.scrollWidth > grid.clientWidth ? [`the table is ${grid.scrollWidth} px wide in ${grid.clientWidth}`] : []
  })

/** Name, scene, place, and what is different about it. */
const PICTURES = [
  ['projects', 'ahead', '/', {}],
  ['projects-busy', 'busy', '/', {}],
  ['projects-interrupted', 'interrupted', '/', {}],
  ['projects-loading', 'loading', '/', {}],
  ['project-ahead', 'ahead', P1, {}],
  ['project-live', 'live', P1, {}],
  ['project-mine', 'mine', P1, {}],
  ['project-throttled', 'throttled', P1, {}],
  ['project-late', 'late', P1, {}],
  ['project-reclaimable', 'reclaimable', P1, {}],
  ['project-interrupted', 'interrupted', P1, {}],
  ['project-offline', 'offline', P1, { wait: '[data-testid="offline"]' }],
  ['project-done', 'done', P1, {}],
  ['project-done-dark', 'done', P1, { theme: 'dark' }],
  ['project-french', 'live', P1, { language: 'fr' }],
  ['project-large-text', 'live', P1, { zoom: 2 }],
  ['project-narrow', 'live', P1, { width: 900 }],
  ['project-branches', 'branches', P1, {}],
  ['project-branches-narrow', 'branches', P1, { width: 900, theme: 'dark' }],
  ['project-details', 'ahead', P1, { act: press('ArrowDown', 'ArrowDown', 'ArrowDown', 'i') }],
  ['projects-selected', 'busy', '/', { act: async (page) => (await click('group-projects')(page), await press('ArrowDown', 'Space', 'ArrowDown', 'Space')(page)) }],
  ['projects-refused', 'busy', '/', { act: press('ArrowDown', 'Control+a', 's') }],
  ['projects-archive', 'ahead', '/', { act: press('ArrowDown', 'ArrowDown', 'a') }],
  ['projects-large-text', 'busy', '/', { zoom: 2 }],
  ['projects-narrow', 'busy', '/', { width: 900 }],
  ['projects-french', 'busy', '/', { language: 'fr' }],
  ['sources-large-text', 'ahead', '/sources', { zoom: 2 }],
  ['settings-large-text', 'ahead', '/settings', { zoom: 2 }],
  ['project-many', 'huge', P1, { wait: '[data-testid="recipient"]' }],
  ['project-selected', 'ahead', P1, { act: press('ArrowDown', 'ArrowDown', 'Space', 'Shift+ArrowDown') }],
  ['project-runs', 'done', P1, { act: (page) => page.click('#tab-runs') }],
  ['project-cancel', 'live', P1, { act: click('cancel') }],
  ['project-import', 'ahead', P1, { act: click('import') }],
  ['project-gone', 'error', P1, {}],
  ['palette', 'ahead', P1, { act: press('Control+k') }],
  ['keys', 'ahead', '/', { act: press('?') }],
  ['sources', 'ahead', '/sources', {}],
  ['leases', 'leases', '/leases', { act: (page) => page.click('#lease-l-old') }],
  ['leases-dark', 'leases', '/leases', { theme: 'dark', act: (page) => page.click('#lease-l-ahead') }],
  ['leases-slow', 'leases', '/leases', { act: (page) => page.click('#lease-l-slow') }],
  ['leases-french', 'leases', '/leases', { language: 'fr', act: (page) => page.click('#lease-l-late') }],
  ['leases-narrow', 'leases', '/leases', { width: 900, act: (page) => page.click('#lease-l-dead') }],
  ['leases-large-text', 'leases', '/leases', { zoom: 2, width: 1600, act: (page) => page.click('#lease-l-late') }],
  ['leases-many', 'leases-many', '/leases', { act: press('ArrowDown') }],
  ['leases-skewed', 'skewed', '/leases', {}],
  ['leases-empty', 'empty', '/leases', {}],
  ['leases-reclaim', 'leases', '/leases', { act: press('ArrowDown', 'r') }],
  ['settings-dark', 'ahead', '/settings', { theme: 'dark' }],
  ['new', 'ahead', '/new', {}],
  ['first', 'first', '/', {}],
  ['empty', 'empty', '/', {}],
  ['error', 'error', '/', {}],
  ['broken', 'broken', '/', {}],
]

mkdirSync(out, { recursive: true })
const server = await preview({ mode: 'fake', build: { outDir: 'dist-fake' }, preview: { port: 4801, strictPort: true } })
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS })
const only = process.argv.slice(2)
let faults = 0
try {
  for (const [name, scene, path, { theme, language, zoom = 1, width = 1280, wait, act }] of PICTURES) {
    if (only.length > 0 && !only.includes(name)) continue
    const context = await browser.newContext({ viewport: { width, height: 800 } })
    const page = await context.newPage()
    page.on('pageerror', (error) => console.error(`${name}: ${error.message}`))
    if (zoom !== 1) {
      // Before the first layout, as a text size set in the system is.
      const style = `<style>html { font-size: ${zoom * 100}% }</style>`
      await page.route('**/?scene=*', async (route) => {
        const answer = await route.fetch()
        await route.fulfill({ response: answer, body: (await answer.text()).replace('</head>', `${style}</head>`) })
      })
    }
    const query = new URLSearchParams({ scene, still: '', ...(theme && { theme }), ...(language && { language }) })
    await page.goto(`http://localhost:4801/?${query}#${path}`)
    await page.waitForFunction(() => document.fonts.status === 'loaded' && document.querySelector('#root')?.children.length > 0)
    await page.waitForLoadState('networkidle')
    if (wait) await page.waitForSelector(wait)
    if (act) await act(page)
    await page.screenshot({ path: `${out}${name}.png` })
    await page.evaluate(AXE)
    const found = [...(await sideways(page)), ...(await weak(page, 'light')), ...(await weak(page, 'dark'))]
    for (const fault of found) console.error(`${name}: ${fault}`)
    faults += found.length
    await context.close()
  }
} finally {
  await browser.close()
  await server.close()
}

if (faults > 0) {
  console.error(`${faults} faults: texts keep 4.5 to 1 in light and dark, and the table of recipients fits`)
  process.exitCode = 1
}
