import { setBackend } from '..'
import { MARK } from '.'
import { makeScene, SCENES } from './scenes'

/** Puts the stand-in behind the window: `?scene=` names the picture, `&still` stops the time of its runs. */
export function standIn(): void {
  const query = new URLSearchParams(window.location.search)
  const scene = SCENES.find((one) => one === query.get('scene')) ?? 'ahead'
  const fake = makeScene(scene)
  const theme = query.get('theme')
  const language = query.get('language')
  if (theme) fake.world.preferences = { ...fake.world.preferences, theme }
  if (language) fake.world.preferences = { ...fake.world.preferences, language }
  if (!query.has('still')) fake.play(Number(query.get('pace') ?? 900))
  if (scene === 'offline') setTimeout(() => fake.world.setOnline(false), 1_200)
  setBackend(fake.backend)
  Object.assign(window, { [MARK]: fake })
  if (scene === 'loading') {
    const { calls } = fake.backend
    const never = () => new Promise<never>(() => {})
    setBackend({ ...fake.backend, calls: { ...calls, projectList: never, projectGet: never, recipientList: never } })
  }
}
