import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type RouterHistory,
  useNavigate,
  useSearch,
} from '@tanstack/react-router'
import { Frame } from '@/features/frame/Frame'
import { Leases } from '@/features/leases'
import { NewProject } from '@/features/newproject'
import { ProjectsTable } from '@/features/projects'
import { Settings } from '@/features/settings'
import { Sources } from '@/features/sources'
import { useT } from '@/messages'
import { ProjectScreen } from '@/screens/ProjectScreen'
import { Button } from '@/ui/Button'
import { Empty } from '@/ui/Empty'

function Lost() {
  const t = useT()
  const navigate = useNavigate()
  return (
    <Empty title={t('screen.lost')} action={<Button onClick={() => void navigate({ to: '/' })}>{t('screen.to_projects')}</Button>}>
      {t('screen.lost_hint')}
    </Empty>
  )
}

const root = createRootRoute({ component: Frame, notFoundComponent: Lost })

const projects = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: function Projects() {
    const navigate = useNavigate()
    const open = (id: string) => void navigate({ to: '/project/$id', params: { id } })
    return <ProjectsTable onOpen={open} onNew={() => void navigate({ to: '/new' })} />
  },
})

const project = createRoute({
  getParentRoute: () => root,
  path: '/project/$id',
  component: function Project() {
    const { id } = project.useParams()
    return <ProjectScreen id={id} />
  },
})

const fresh = createRoute({
  getParentRoute: () => root,
  path: '/new',
  validateSearch: (search: Record<string, unknown>): { source?: string } =>
    typeof search['source'] === 'string' ? { source: search['source'] } : {},
  component: function New() {
    const navigate = useNavigate()
    const { source } = useSearch({ from: '/new' })
    return (
      <div className="max-w-3xl px-6 py-5">
        <NewProject
          {...(source ? { source } : {})}
          onCreated={(id) => void navigate({ to: '/project/$id', params: { id } })}
          onCancel={() => void navigate({ to: '/' })}
        />
      </div>
    )
  },
})

const sources = createRoute({
  getParentRoute: () => root,
  path: '/sources',
  component: function SourcesScreen() {
    const navigate = useNavigate()
    return (
      <Sources
        onOpenProject={(id) => void navigate({ to: '/project/$id', params: { id } })}
        onNewProject={(source) => void navigate({ to: '/new', search: { source } })}
      />
    )
  },
})

const leases = createRoute({
  getParentRoute: () => root,
  path: '/leases',
  component: function LeasesScreen() {
    const navigate = useNavigate()
    return <Leases onOpen={(id) => void navigate({ to: '/project/$id', params: { id } })} />
  },
})

const settings = createRoute({ getParentRoute: () => root, path: '/settings', component: Settings })

/** The window's places. The shell serves one file, so the address lives behind `#`; tests keep it in memory. */
export function makeRouter(history: RouterHistory = createHashHistory()) {
  return createRouter({ routeTree: root.addChildren([projects, project, fresh, sources, leases, settings]), history })
}

export type WindowRouter = ReturnType<typeof makeRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: WindowRouter
  }
}
