// Pictures of every screen from the stand-in build: `npm run shots`. They land in `artefacts/` beside `ui/`.
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
const PICTURES = [
  ['projects', 'ahead', '/', {}],
  ['project-ahead', 'ahead', '/project/p1', {}],
  ['project-live', 'live', '/project/p1', {}],
  ['project-mine', 'mine', '/project/p1', {}],
  ['project-throttled', 'throttled', '/project/p1', {}],
  ['project-reclaimable', 'reclaimable', '/project/p1', {}],
  ['project-done', 'done', '/project/p1', {}],
  ['project-done-dark', 'done', '/project/p1', { theme: 'dark' }],
  ['project-large-text', 'live', '/project/p1', { zoom: 2 }],
  ['project-narrow', 'live', '/project/p1', { width: 900 }],
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
  for (const [name, scene, path, { theme, zoom = 1, width = 1280 }] of PICTURES) {
    if (only.length > 0 && !only.includes(name)) continue
    const page = await browser.newPage({ viewport: { width, height: 800 } })
    page.on('pageerror', (error) => console.error(`${name}: ${error.message}`))
    await page.goto(`http://localhost:4801/?scene=${scene}&still${theme ? `&theme=${theme}` : ''}#${path}`)
    if (zoom !== 1) await page.addStyleTag({ content: `html { font-size: ${zoom * 100}% }` })
    await page.waitForFunction(() => document.fonts.status === 'loaded' && document.querySelector('#root')?.children.length > 0)
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: `${out}${name}.png` })
    await page.close()
  }
} finally {
  await browser.close()
  await server.close()
}
