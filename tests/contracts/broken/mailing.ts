import { isLeft } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { memoryStorage } from '../../../adapters/stores/memory/store-copy.ts'
import type { Outbox } from '../../../application/ports/outbox.ts'
import type { Store } from '../../../application/ports/store.ts'
import type { Mail } from '../../../domain/mail.ts'
import type { Mailing } from '../../testkit/outbox.ts'
import type { Mutate } from './mutations.ts'

/** A defect of a storage with an outbox. `life` counts the handles on it from 1. */
export type MutateMailing = (
  good: Mailing,
  life: number,
) => Readonly<{ store?: Partial<Store>; outbox?: Partial<Outbox> }>

export const ofOutbox =
  (mutate: Mutate<Outbox>): MutateMailing =>
  ({ outbox }) => ({ outbox: mutate(outbox) })

/** Replaces the commit, given the correct storage. */
export const ofCommit =
  (commit: (good: Mailing) => Store['commit']): MutateMailing =>
  (good) => ({ store: { commit: commit(good) } })

/** Opens a storage in memory with a defect. Its handles share everything, and closing one closes it alone. */
export const openMailing = (mutate: MutateMailing = () => ({})) => {
  const core = memoryStorage()
  let life = 0
  const broken = (good: Mailing): Mailing => {
    life += 1
    const { store, outbox } = mutate(good, life)
    return { store: { ...good.store, ...store }, outbox: { ...good.outbox, ...outbox } }
  }
  return {
    alone: () => broken(core),
    handle: () => broken({ ...core, store: { ...core.store, close: async () => {} } }),
  }
}

const all = async (outbox: Outbox): Promise<ReadonlyArray<Mail>> => {
  const mails = await outbox.list({ state: none, after: '', limit: 10_000 })()
  return isLeft(mails) ? [] : mails.right
}

export const waitingMails = async (outbox: Outbox): Promise<ReadonlyArray<Mail>> =>
  (await all(outbox)).filter(({ state }) => state === 'waiting')

export const mailOf = async (outbox: Outbox, id: string): Promise<Mail | undefined> =>
  (await all(outbox)).find((mail) => mail.id === id)
