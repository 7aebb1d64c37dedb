// Pictures of every screen from the stand-in build: `npm run shots [-- name ...]`. They land in `artefacts/` beside `ui/`.
import { mkdirSync } from 'node:fs'
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
  ['project-many', 'huge', P1, { wait: '[data-testid="recipient"]' }],
  ['project-selected', 'ahead', P1, { act: press('ArrowDown', 'ArrowDown', 'Space', 'Shift+ArrowDown') }],
  ['project-runs', 'done', P1, { act: (page) => page.click('#tab-runs') }],
  ['project-cancel', 'live', P1, { act: click('cancel') }],
  ['project-import', 'ahead', P1, { act: click('import') }],
  ['project-gone', 'error', P1, {}],
  ['palette', 'ahead', P1, { act: press('Control+k') }],
  ['keys', 'ahead', '/', { act: press('?') }],
  ['sources', 'ahead', '/sources', {}],
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
    await context.close()
  }
} finally {
  await browser.close()
  await server.close()
}
