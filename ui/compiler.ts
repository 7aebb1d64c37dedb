import { transformAsync } from '@babel/core'
import type { Plugin } from 'vite'

/**
 * The React Compiler as a step before Vite's own transform. `@rolldown/plugin-babel` would do the same but wants a newer
 * Node than the one this project builds with. Babel only parses and compiles components: types and JSX stay for Vite.
 */
export function reactCompiler(): Plugin {
  return {
    name: 'lockstep:react-compiler',
    enforce: 'pre',
    async transform(code, id) {
      const file = id.split('?')[0] ?? id
      if (!file.endsWith('.tsx') || file.includes('node_modules') || file.endsWith('.test.tsx')) return null
      const out = await transformAsync(code, {
        filename: file,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        parserOpts: { plugins: ['typescript', 'jsx'] },
        plugins: [['babel-plugin-react-compiler', { target: '19' }]],
      })
      return out?.code ? { code: out.code, map: out.map ?? null } : null
    },
  }
}
