import { Dependency, type Module, provide } from '../../adapters/index.ts'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from './events.ts'
import { lastingStore } from './lasting-store.ts'
import { type Contents, type Place, SHARED_STORES, STORES, type StoreKind } from './stores.ts'
import { type Workplace, workplace } from './workplace.ts'

/** Which store it is. */
export type StoreSettings = Readonly<{ DATABASE_URL: string }>

/** A store that outlives the services on it. */
export type Lasting = Readonly<{
  /** What every service on it is started with. */
  environment: StoreSettings
  modules: ReadonlyArray<Module>
  /** Another hand on it, beside the services and when they are gone; closing it does nothing. */
  store: Store
}>

/** Stores of the kind that a `describe` is about. Each is removed with the test that it was made in, or else with the `describe`. */
export type FreshStores = Readonly<{
  kind: StoreKind
  /** The settings of a fresh, empty one. */
  fresh: () => Promise<StoreSettings>
  /** The settings of a copy of one that nobody is on. */
  copyOf: (settings: StoreSettings) => Promise<StoreSettings>
  /** A fresh, empty one for several services, at once or one after the other. */
  lasting: () => Promise<Lasting>
  /** Puts something before a fresh, empty one, where failures are counted as without it. */
  behind: (front: (store: Store) => Store) => Promise<ReadonlyArray<Module>>
  /** A new machine whose commands are all on one fresh store. */
  workplace: () => SharedWorkplace
  /** How many runs a property gets that the store has little to do with: all on the first store, a tenth on the others. */
  runs: (count: number) => number
}>

/** Whom an entry of the log is about, who did it, and what it says. */
type Said = Pick<LogEntry, 'subject' | 'actor'> & Readonly<{ data: Readonly<Record<string, unknown>> }>

/** A machine, and what stands in the store there, read past the command line, which has tests of its own. */
export type SharedWorkplace = Workplace &
  Readonly<{
    /** What DATABASE_URL says there, once the tests run. */
    url: () => string
    contents: () => Promise<Contents>
    withStore: <A>(look: (store: Store) => Promise<A>) => Promise<A>
    /** What the log says of one type of event. */
    entries: (type: EventType) => Promise<ReadonlyArray<Said>>
  }>

type Body = (this: Mocha.Suite, stores: FreshStores) => void

/** Stands for `describe` where what is described is to be so on every store there is. */
export const onEveryStore = (title: string, body: Body): void => {
  describe(title, () => {
    for (const kind of STORES) describe(`on ${kind.name}`, suiteOn(kind, body))
  })
}

/** The same for what takes several processes, or a store that outlives one. */
export const onEverySharedStore = (title: string, body: Body): void => {
  describe(title, () => {
    for (const kind of SHARED_STORES) describe(`on ${kind.name}`, suiteOn(kind, body))
  })
}

const suiteOn = (kind: StoreKind, body: Body) =>
  function (this: Mocha.Suite): void {
    type Removal = () => Promise<void>
    const ofAll: Array<Removal> = []
    let ofTest: Array<Removal> | undefined
    const later = (removal: Removal): void => void (ofTest ?? ofAll).unshift(removal)
    const keep = (place: Place): Place => {
      later(place.remove)
      return place
    }
    const layOut = async (): Promise<Place> => keep(await kind.layOut())

    beforeEach(() => {
      ofTest = []
    })
    body.call(this, {
      kind,
      fresh: async () => ({ DATABASE_URL: (await layOut()).url }),
      copyOf: async ({ DATABASE_URL }) => ({ DATABASE_URL: keep(await kind.copy(DATABASE_URL)).url }),
      lasting: async () => {
        const { url } = await layOut()
        const environment = { DATABASE_URL: url }
        if (!kind.isShared) {
          const store = lastingStore()
          return { environment, modules: [provide(Dependency.storage, () => ({ store: store }))], store }
        }
        const opened = await kind.openStore(url)
        later(opened.close)
        return { environment, modules: [], store: { ...opened, close: async () => undefined } }
      },
      behind: async (front) => {
        const { url } = await layOut()
        return [
          provide(Dependency.storage, async () => ({ store: front(await kind.openStore(url)) })),
          provide(Dependency.failureCounts, { clock: Dependency.clock }, ({ clock }) =>
            kind.openFailureCounts(url, clock),
          ),
        ]
      },
      workplace: () => {
        let url = ''
        before(async () => {
          url = (await layOut()).url
        })
        const withStore: SharedWorkplace['withStore'] = async (look) => {
          const store = await kind.openStore(url)
          try {
            return await look(store)
          } finally {
            await store.close()
          }
        }
        return {
          ...workplace(() => ({ DATABASE_URL: url })),
          url: () => url,
          contents: () => kind.contents(url),
          withStore,
          entries: async (type) =>
            (await withStore((store) => eventsOf(store, type))).map(({ subject, actor, data }) => ({
              subject,
              actor,
              data,
            })),
        }
      },
      runs: (count) => (kind === STORES[0] ? count : Math.ceil(count / 10)),
    })
    // Behind the hooks of the body, which stop the services that are on the stores.
    afterEach(async () => {
      const removals = ofTest ?? []
      ofTest = undefined
      for (const remove of removals) await remove()
    })
    after(async () => {
      for (const remove of ofAll) await remove()
    })
  }
