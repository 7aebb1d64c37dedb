import { formatDuration } from '@/domain/format'
import type { Press } from '@/domain/press'
import type { Translate } from '@/messages'

/** What the primary button says: what it will do, in numbers. */
export function pressWords(t: Translate, press: Press): string {
  switch (press.kind) {
    case 'sync': {
      const repositories = t('press.repositories', { count: press.recipients })
      const time = formatDuration(press.seconds * 1_000)
      return press.commits
        ? t('press.sync', { commits: t('press.commits', { count: press.commits }), repositories, time })
        : t('press.sync_unknown', { repositories, time })
    }
    case 'owed':
      return t('press.owed', { count: press.recipients })
    case 'again':
      return t('press.again', { count: press.requests })
    case 'watch':
      if (press.mine) {
        return press.planned > 0
          ? t('press.watch_mine', { done: press.done, planned: press.planned })
          : t('press.watch_mine_start')
      }
      return press.planned > 0
        ? t('press.watch', { person: press.person, done: press.done, planned: press.planned })
        : t('press.watch_start', { person: press.person })
    case 'resume':
      return press.left !== null && press.left > 0 ? t('press.resume_left', { n: press.left }) : t('press.resume')
    case 'none':
      return t('press.none')
  }
}
