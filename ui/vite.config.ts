import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { reactCompiler } from './compiler.ts'

export default defineConfig({
  // Relative paths: the window is served from a custom scheme, not from a root.
  base: './',
  plugins: [reactCompiler(), react(), tailwind()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { port: 4800, strictPort: true },
  build: {
    target: ['safari16.4', 'es2022'],
    // One script and one sheet: nothing inline, so that the content security policy holds.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['./src/test/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: false,
    // The files share their modules; what tests change is put back before each (`src/test/page.ts`).
    isolate: false,
    restoreMocks: true,
    testTimeout: 10_000,
  },
})
