import type { Store } from '../../application/ports/store.ts'
import { atomicityCases } from './store/atomicity.ts'
import { closingCases } from './store/closing.ts'
import { emailCases } from './store/emails.ts'
import { eventCases } from './store/events.ts'
import { listingCases } from './store/listing.ts'
import { positionCases } from './store/positions.ts'
import { recordCases } from './store/records.ts'
import { repetitionCases } from './store/repetition.ts'
import { versionCases } from './store/versions.ts'

/** What a test runner has; those of mocha, vitest and node:test fit. */
export type Runner = Readonly<{
  describe: (name: string, body: () => void) => unknown
  it: (name: string, body: () => Promise<void>) => unknown
}>

/**
 * Makes a fresh, empty store that shares nothing with any other.
 *
 * `close` is called when a case is over and the store itself is closed, to clean up what was laid out for it.
 */
export type OpenStore = () => Promise<Readonly<{ store: Store; close?: () => Promise<void> }>>

/** One case: a sentence and what it takes to be true, on a store of its own. */
export type Check = (name: string, body: (store: Store) => Promise<void>) => void

/**
 * Everything that `Store` promises and that can be seen from outside, for any store there is.
 *
 * What it cannot see: that a commit survives a crash, and several processes on one store.
 */
export const storeContract = ({ describe, it }: Runner, open: OpenStore): void => {
  const check: Check = (name, body) => {
    it(name, async () => {
      const { store, close } = await open()
      try {
        await body(store)
      } finally {
        await store.close()
        await close?.()
      }
    })
  }

  describe('records', () => recordCases(check))
  describe('rows of a table', () => listingCases(check))
  describe('events', () => eventCases(check))
  describe('positions', () => positionCases(check))
  describe('all or nothing', () => atomicityCases(check))
  describe('versions', () => versionCases(check))
  describe('e-mails', () => emailCases(check))
  describe('the same change again', () => repetitionCases(check))
  describe('closing', () => closingCases(check))
}
