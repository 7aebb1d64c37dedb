import type { en } from '../en'
import { common } from './common'
import { errors } from './errors'
import { leases } from './leases'
import { outcomes } from './outcomes'
import { project } from './project'
import { projects } from './projects'
import { recipients } from './recipients'
import { settings } from './settings'
import { sources } from './sources'
import { start } from './start'

export const fr: Record<keyof typeof en, string> = {
  ...common,
  ...errors,
  ...leases,
  ...outcomes,
  ...project,
  ...projects,
  ...recipients,
  ...settings,
  ...sources,
  ...start,
}
