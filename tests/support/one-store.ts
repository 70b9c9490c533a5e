import { Dependency, type Module, provide } from '../../adapters/index.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from './events.ts'
import { lastingStorage } from './lasting-store.ts'
import { memory } from './memory-kind.ts'
import { sqliteFiles } from './sqlite-files.ts'
import type { Contents, Place, StoreKind } from './store-kind.ts'
import { type Workplace, workplace } from './workplace.ts'

/** The kind of store. */
export type StoreSettings = Readonly<{ DATABASE_URL: string }>

/** A store that outlives the services on it. */
export type Lasting = Readonly<{
  /** The settings of every service on it. */
  environment: StoreSettings
  modules: ReadonlyArray<Module>
  /** Another connection to it, beside the services and after their end. Closing it does nothing. */
  store: Store
  outbox: Outbox
}>

/** Stores of the kind of a `describe`. Each is removed after the test that made it, or after the `describe`. */
export type FreshStores = Readonly<{
  kind: StoreKind
  /** The settings of a fresh, empty store. */
  fresh: () => Promise<StoreSettings>
  /** The settings of a copy of an unused store. */
  copyOf: (settings: StoreSettings) => Promise<StoreSettings>
  /** A fresh, empty store for several services, concurrent or consecutive. `front` wraps the store of each service. */
  lasting: (front?: (store: Store) => Store) => Promise<Lasting>
  /** Wraps a fresh, empty store. Failures are counted without the wrapper. */
  behind: (front: (store: Store) => Store) => Promise<ReadonlyArray<Module>>
  /** A new machine whose commands share one fresh store. */
  workplace: () => SharedWorkplace
  /** The number of runs of a property that hardly depends on the store: all in memory, a tenth on other stores. */
  runs: (count: number) => number
}>

/** The subject, actor and data of a log entry. */
type Said = Pick<LogEntry, 'subject' | 'actor'> & Readonly<{ data: Readonly<Record<string, unknown>> }>

/** A machine and the contents of its store, read without the command line, which has its own tests. */
export type SharedWorkplace = Workplace &
  Readonly<{
    /** The DATABASE_URL of the machine, available once the tests run. */
    url: () => string
    contents: () => Promise<Contents>
    withStore: <A>(look: (store: Store) => Promise<A>) => Promise<A>
    /** The log entries of one type. */
    entries: (type: EventType) => Promise<ReadonlyArray<Said>>
  }>

export type Body = (this: Mocha.Suite, stores: FreshStores) => void

/**
 * A `describe` on the memory store, for what no store decides: the suites of the port `Store` prove that all stores act alike.
 */
export const onMemory = (title: string, body: Body): void => {
  describe(title, suiteOn(memory, body))
}

/** The same on SQLite, for tests that need several processes, or a store that outlives one. */
export const onSqlite = (title: string, body: Body): void => {
  describe(title, suiteOn(sqliteFiles, body))
}

/** A `describe` on one kind of store. */
export const suiteOn = (kind: StoreKind, body: Body) =>
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
    const modulesBehind = (front: (store: Store) => Store, url: string): ReadonlyArray<Module> => [
      provide(Dependency.storage, async () => {
        const { store, outbox, protocolState } = await kind.openCopyable(url)
        return { store: front(store), outbox, protocolState }
      }),
      provide(Dependency.failureCounts, { clock: Dependency.clock }, ({ clock }) =>
        kind.openFailureCounts(url, clock),
      ),
    ]

    beforeEach(() => {
      ofTest = []
    })
    body.call(this, {
      kind,
      fresh: async () => ({ DATABASE_URL: (await layOut()).url }),
      copyOf: async ({ DATABASE_URL }) => ({ DATABASE_URL: keep(await kind.copy(DATABASE_URL)).url }),
      lasting: async (front) => {
        const { url } = await layOut()
        const environment = { DATABASE_URL: url }
        if (!kind.isShared) {
          const { store, ...beside } = lastingStorage()
          const served = front === undefined ? store : front(store)
          const modules = [provide(Dependency.storage, () => ({ store: served, ...beside }))]
          return { environment, modules, store, outbox: beside.outbox }
        }
        const { store: opened, outbox } = await kind.openCopyable(url)
        later(opened.close)
        const modules = front === undefined ? [] : modulesBehind(front, url)
        return { environment, modules, store: { ...opened, close: async () => undefined }, outbox }
      },
      behind: async (front) => modulesBehind(front, (await layOut()).url),
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
      runs: (count) => (kind === memory ? count : Math.ceil(count / 10)),
    })
    // After the hooks of the body, which stop the services on the stores.
    afterEach(async () => {
      const removals = ofTest ?? []
      ofTest = undefined
      for (const remove of removals) await remove()
    })
    after(async () => {
      for (const remove of ofAll) await remove()
    })
  }
