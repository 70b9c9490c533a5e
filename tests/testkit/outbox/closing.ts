import { none } from 'fp-ts/lib/Option.js'
import type { Check } from '../outbox.ts'
import { unavailable } from '../outcome.ts'
import { aMail, FAILED, held, NOW } from './steps.ts'

export const closingCases = (check: Check): void => {
  check('after the store is closed, every method is StoreUnavailable', async ({ store, outbox }) => {
    const { mail: _, ...one } = await held(outbox)
    await store.close()
    const times = { dueAtSeconds: NOW, expiresAtSeconds: NOW }
    await unavailable(outbox.put({ mail: aMail(), unseenAtMost: 1 }))
    await unavailable(outbox.claim({ claim: 'a', nowSeconds: NOW, leaseSeconds: 0, limit: 1 }))
    await unavailable(outbox.postpone({ ...one, dueAtSeconds: NOW, code: '421', givesBack: true }))
    await unavailable(outbox.settle(one))
    await unavailable(outbox.settle({ ...one, failed: FAILED }))
    await unavailable(outbox.list({ state: none, after: '', limit: 1 }))
    await unavailable(outbox.counts())
    await unavailable(outbox.retry([{ id: one.id, ...times }]))
    await unavailable(outbox.drop([one.id]))
    await unavailable(outbox.deleteFailed({ beforeSeconds: NOW, limit: 1 }))
  })
}
