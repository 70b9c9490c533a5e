import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Outbox } from '../../../application/ports/outbox.ts'
import type { Check } from '../outbox.ts'
import { ok } from '../outcome.ts'
import { aMail, claim, FAILED, held, idsOf, listed, NOW, put } from './steps.ts'

/** Operators look at mails, send failed ones again, and delete some. */
export const operatorCases = (check: Check): void => {
  check('mails are listed by id, by their state, and page by page', async ({ outbox }) => {
    const failed = await aFailed(outbox)
    const [one, other] = [aMail(), aMail()]
    await put(outbox, other, one)
    assert.deepEqual(idsOf(await listed(outbox)), [failed, one.id, other.id])
    assert.deepEqual(idsOf(await listed(outbox, some('failed'))), [failed])
    assert.deepEqual(idsOf(await listed(outbox, some('waiting'))), [one.id, other.id])
    const page = await ok(outbox.list({ state: none, after: failed, limit: 1 }))
    assert.deepEqual(idsOf(page), [one.id])
    assert.deepEqual(await ok(outbox.list({ state: some('waiting'), after: one.id, limit: 0 })), [])
  })

  check('mails are counted, with the time at which the first is due', async ({ outbox }) => {
    const nothing = { waiting: 0, failed: 0, oldestDueAtSeconds: none }
    assert.deepEqual(await ok(outbox.counts()), nothing)
    await aFailed(outbox)
    assert.deepEqual(await ok(outbox.counts()), { ...nothing, failed: 1 })
    await put(outbox, aMail({ dueAtSeconds: NOW + 9 }), aMail({ dueAtSeconds: NOW + 7 }))
    await claim(outbox, { nowSeconds: NOW + 7 })
    assert.deepEqual(await ok(outbox.counts()), { waiting: 2, failed: 1, oldestDueAtSeconds: some(NOW + 7) })
  })

  check('failed mails wait again, without an attempt or a code', async ({ outbox }) => {
    const failed = await aFailed(outbox)
    const waiting = aMail()
    await put(outbox, waiting)
    const times = { dueAtSeconds: NOW + 5, expiresAtSeconds: NOW + 50 }
    const asked = [waiting.id, 'unknown', failed].map((id) => ({ id, ...times }))
    const before = (await listed(outbox)).find(({ id }) => id === failed)
    assert.equal(await ok(outbox.retry(asked)), 1)
    assert.deepEqual(await listed(outbox), [
      { ...before, ...times, state: 'waiting', attempts: 0, code: none },
      waiting,
    ])
    assert.deepEqual(idsOf(await claim(outbox, { nowSeconds: NOW + 5 })), [waiting.id, failed])
  })

  check('dropped mails are gone in every state, and others stay', async ({ outbox }) => {
    const failed = await aFailed(outbox)
    const claimed = await held(outbox)
    const [waiting, kept] = [aMail(), aMail()]
    await put(outbox, waiting, kept)
    assert.equal(await ok(outbox.drop([failed, 'unknown', claimed.id, waiting.id])), 3)
    assert.deepEqual(await listed(outbox), [kept])
    assert.equal(await ok(outbox.drop([])), 0)
  })

  check('failed mails are deleted that expired first, and no waiting one', async ({ outbox }) => {
    const ids: Array<string> = []
    for (const keptUntilSeconds of [NOW + 3, NOW + 1, NOW + 2])
      ids.push(await aFailed(outbox, keptUntilSeconds))
    const waiting = aMail({ expiresAtSeconds: NOW - 1 })
    await put(outbox, waiting)
    assert.equal(await ok(outbox.deleteFailed({ beforeSeconds: NOW + 1, limit: 9 })), 0)
    assert.equal(await ok(outbox.deleteFailed({ beforeSeconds: NOW + 9, limit: 2 })), 2)
    assert.deepEqual(idsOf(await listed(outbox)), [ids[0], waiting.id])
    assert.equal(await ok(outbox.deleteFailed({ beforeSeconds: NOW + 9, limit: 2 })), 1)
  })
}

/** Adds a mail that has failed, and returns its id. */
const aFailed = async (outbox: Outbox, keptUntilSeconds: number = NOW + 1_000): Promise<string> => {
  const { id, claim: by } = await held(outbox)
  await ok(outbox.settle({ id, claim: by, failed: { ...FAILED, keptUntilSeconds } }))
  return id
}
