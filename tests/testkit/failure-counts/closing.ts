import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import type { Check } from '../failure-counts.ts'
import { ok, unavailable } from '../outcome.ts'
import { countOne, failures, keep, reading } from './steps.ts'

/** Closed counts say so, and drop nothing they were asked for before. */
export const closingCases = (check: Check): void => {
  check('an update after close is StoreUnavailable and does not call decide', async (counts) => {
    await keep(counts, 'key', failures(1))
    await counts.close()
    let asked = 0
    const { reason } = await unavailable(
      counts.update({ kind: 'account', key: 'key' }, (known) => {
        asked += 1
        return { kept: known, answer: undefined }
      }),
    )
    assert.ok(typeof reason === 'string' && reason !== '')
    assert.equal(asked, 0)
  })

  check('unused counts can be closed', async (counts) => {
    await counts.close()
    await unavailable(reading(counts, 'key'))
  })

  check('closing twice, or twice at once, does nothing more', async (counts) => {
    await ok(countOne(counts, 'key'))
    await Promise.all([counts.close(), counts.close()])
    await counts.close()
  })

  check('updates that start before close are done when it resolves', async (counts) => {
    let succeeded = 0
    const updates = Array.from({ length: 300 }, () =>
      countOne(counts, 'key')().then((outcome) => {
        succeeded += Number(isRight(outcome))
      }),
    )
    await counts.close()
    // One turn, for what is resolved already to be heard of.
    await new Promise(setImmediate)
    assert.equal(succeeded, 300)
    await Promise.all(updates)
  })

  check('what starts after close has begun is not done', async (counts) => {
    const before = countOne(counts, 'key')()
    const closing = counts.close()
    await unavailable(countOne(counts, 'key'))
    await closing
    assert.ok(isRight(await before))
  })
}
