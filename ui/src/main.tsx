import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { queryClient } from '@/api/queries'
import { makeRouter } from '@/routes/router'
import { StartUp } from '@/screens/StartUp'
import './styles/index.css'

async function begin(): Promise<void> {
  // The stand-in for the core is part of the pages built for looking at the window, and of nothing that is shipped.
  if (import.meta.env.MODE === 'fake') (await import('@/ipc/fake/page')).standIn()
  const root = document.getElementById('root')
  if (!root) return
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <StartUp router={makeRouter()} />
    </QueryClientProvider>,
  )
}

void begin()
