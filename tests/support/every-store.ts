import { type Body, suiteOn } from './one-store.ts'
import { SHARED_STORES, STORES } from './stores.ts'

/** A `describe` that runs on every kind of store, for what a store decides: order, atomicity, outages, loss. */
export const onEveryStore = (title: string, body: Body): void => {
  describe(title, () => {
    for (const kind of STORES) describe(`on ${kind.name}`, suiteOn(kind, body))
  })
}

/** The same for tests that need several processes, or a store that outlives one. */
export const onEverySharedStore = (title: string, body: Body): void => {
  describe(title, () => {
    for (const kind of SHARED_STORES) describe(`on ${kind.name}`, suiteOn(kind, body))
  })
}
