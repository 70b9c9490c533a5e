import { isLeft } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { currentAccountPages, openAccountPages } from '../../application/pages/account-pages.ts'
import { pagesOriginOf } from '../config/settings.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** The application that the sessions of the pages belong to. The start makes it. */
export const accountPages: Module = provide(
  Dependency.accountPages,
  { ...needs('settings', 'store'), record: Dependency.recorder },
  async ({ settings, store, record }) => {
    if (settings.pages === undefined) return none
    const pagesOrigin = pagesOriginOf(settings)
    const opened = await openAccountPages({ store, record, settings: { ...settings, pagesOrigin } })()
    if (isLeft(opened)) {
      await store.close() // an open connection would keep the process alive
      throw new Error('The application of the account pages can neither be read nor made. Try again.')
    }
    return some(currentAccountPages({ store }))
  },
)
