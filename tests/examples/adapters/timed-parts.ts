import { Dependency, openStorage, provide, type Store } from 'portcullis'

const timed = (store: Store): Store => ({
  ...store,
  commit: (change) => async () => {
    const startedAt = performance.now()
    const committed = await store.commit(change)()
    process.stderr.write(`A commit took ${Math.round(performance.now() - startedAt)} ms.\n`)
    return committed
  },
})

export const modules = provide(
  Dependency.storage,
  { settings: Dependency.settings, clock: Dependency.clock },
  async ({ settings, clock }) => {
    const storage = await openStorage(settings, { clock })
    return { ...storage, store: timed(storage.store) }
  },
)
