// @vitest-environment node
import { build, loadConfigFromFile, type PluginOption, type Rolldown } from 'vite'
import { expect, it } from 'vitest'
import { MARK } from '@/ipc/fake'

/** The compiler of components changes how they render, not what is bundled; without it this takes a second. */
function isQuick(plugin: PluginOption): boolean {
  return !(plugin && 'name' in plugin && plugin.name === 'lockstep:react-compiler')
}

it('What is shipped holds nothing of the stand-in', { timeout: 60_000 }, async () => {
  const env = { command: 'build', mode: 'production' } as const
  const loaded = await loadConfigFromFile(env)
  expect(loaded).not.toBeNull()
  const built = (await build({
    ...loaded?.config,
    configFile: false,
    mode: env.mode,
    logLevel: 'silent',
    plugins: loaded?.config.plugins?.filter(isQuick) ?? [],
    build: { ...loaded?.config.build, write: false, minify: false },
  })) as Rolldown.RolldownOutput
  const texts = built.output.flatMap((file) => (file.type === 'chunk' ? [file.code, ...Object.keys(file.modules)] : []))
  expect(texts.length).toBeGreaterThan(1)
  expect(texts.filter((text) => text.includes(MARK) || /ipc\/fake\//.test(text))).toEqual([])
})
