import type { Environment } from '../../adapters/config/settings.ts'
import { compose } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from '../support/events.ts'
import type { FreshStores } from '../support/one-store.ts'
import { START, timed } from '../support/second-factor-service.ts'
import { type EnrolledUser, enrolUser } from '../support/second-factors.ts'
import { settings } from '../support/settings.ts'
import { type BrowserDesk, browserDesk } from './browser-desk.ts'
import {
  type PageAnswer,
  type PageClient,
  type PagesService,
  pageClient,
  startPages,
} from './pages-service.ts'

type Instance = 'one' | 'other'
type Form = Readonly<Record<string, string>>

/** Two instances with pages on one store, and a browser whose requests go to one of them. */
export type TwoPages = Readonly<{
  pages: PagesService
  store: Store
  time: { now: number }
  browser: BrowserDesk
  /** Sends the next requests of the browser there. */
  turnTo: (instance: Instance) => void
  /** Sends a form to the one instance, and again to the other one or to `second`, as a browser does after two clicks. */
  twice: (way: Way, path: string, form: Form, second?: Instance) => Promise<readonly [PageAnswer, PageAnswer]>
  enrol: () => Promise<EnrolledUser>
  data: (type: EventType) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  stop: () => Promise<void>
}>

/** When the second click comes, and whether the browser has the cookies of the first answer by then. */
export const WAYS = [
  'after the first answer',
  'after the first change, without its answer',
  'at once',
] as const
export type Way = (typeof WAYS)[number]

export const startTwoPages = async (
  stores: FreshStores,
  front?: (store: Store) => Store,
  environment: Environment = {},
): Promise<TwoPages> => {
  const time = { now: START }
  const { store, ...lasting } = await stores.lasting(front)
  const both = { ...lasting.environment, ACCOUNT_PAGES: 'on', ...environment }
  const modules = [...lasting.modules, ...timed(time)]
  // They start together.
  const [pages, service] = await Promise.all([
    startPages(both, ...modules),
    compose(settings(both), ...modules),
  ])
  const other = pageClient(`http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`)
  let current: Pick<PageClient, 'get' | 'post'> = pages
  const browser = browserDesk({
    ada: pages.ada,
    get: (...request) => current.get(...request),
    post: (...request) => current.post(...request),
  })
  const turnTo: TwoPages['turnTo'] = (instance) => {
    current = instance === 'one' ? pages : other
  }
  return {
    pages,
    store,
    time,
    browser,
    turnTo,
    twice: async (way, path, form, second = 'other') => {
      const before = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const early = { cookie: before }
      const click = (instance: Instance, headers: Form = early) => {
        turnTo(instance)
        return browser.post(path, form, headers)
      }
      if (way === 'at once') return Promise.all([click('one'), click(second)])
      const first = await click('one')
      return [first, await click(second, way === 'after the first answer' ? {} : early)]
    },
    enrol: () => enrolUser(store, pages.ada.id),
    data: async (type) => (await eventsOf(store, type)).map(({ data }) => ({ ...data })),
    stop: async () => {
      await other.close()
      await service.stop()
      await pages.stop()
    },
  }
}
