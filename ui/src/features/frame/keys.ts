import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useKeys } from '@/platform/keys'

/** Keys that work on every screen. */
export function useFrameKeys({ onPalette, onHelp }: { onPalette: () => void; onHelp: () => void }): void {
  const navigate = useNavigate()
  useKeys({
    '?': onHelp,
    1: () => void navigate({ to: '/' }),
    2: () => void navigate({ to: '/sources' }),
    3: () => void navigate({ to: '/leases' }),
    4: () => void navigate({ to: '/settings' }),
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        onPalette()
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [onPalette])
}
