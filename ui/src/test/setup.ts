export {}

// Tests that need no page run without one.
if (typeof window !== 'undefined') (await import('./page')).prepare()
