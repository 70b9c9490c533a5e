import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import { newId } from '../builders.ts'
import type { Check } from '../outbox.ts'
import { ok } from '../outcome.ts'
import { aMail, claim, FAILED, held, listed, NOW, put } from './steps.ts'

/** A sender has done with a mail, without an event. */
export const settlingCases = (check: Check): void => {
  check('a settled mail is gone, and others stay', async ({ outbox }) => {
    const { mail: _, ...one } = await held(outbox)
    const other = aMail()
    await put(outbox, other)
    assert.equal(await ok(outbox.settle(one)), true)
    assert.deepEqual(await listed(outbox), [other])
    assert.equal(await ok(outbox.settle(one)), false)
  })

  check('a failed mail stays with its code and its address, and is not claimed', async ({ outbox }) => {
    const { mail, ...one } = await held(outbox)
    assert.equal(await ok(outbox.settle({ ...one, failed: FAILED })), true)
    assert.deepEqual(await listed(outbox), [
      { ...mail, state: 'failed', claim: none, code: some('550'), expiresAtSeconds: FAILED.keptUntilSeconds },
    ])
    assert.deepEqual(await claim(outbox, { nowSeconds: NOW + 1_000_000 }), [])
  })

  check('a failed mail is not settled again', async ({ outbox }) => {
    const { mail: _, ...one } = await held(outbox)
    await ok(outbox.settle({ ...one, failed: FAILED }))
    const failed = await listed(outbox)
    for (const again of [one, { ...one, failed: { ...FAILED, code: '451' } }])
      assert.equal(await ok(outbox.settle(again)), false)
    assert.deepEqual(await listed(outbox), failed)
  })

  check('a sender that was overtaken settles nothing', async ({ outbox }) => {
    const mail = aMail()
    await put(outbox, mail)
    await claim(outbox, { claim: 'late', leaseSeconds: 0 })
    const [overtaken] = await claim(outbox, { claim: 'other' })
    for (const settled of [{}, { failed: FAILED }])
      assert.equal(await ok(outbox.settle({ id: mail.id, claim: 'late', ...settled })), false)
    assert.deepEqual(await listed(outbox), [overtaken])
  })

  check('a sender keeps a mail after its lease, until another one claims it', async ({ outbox }) => {
    const mail = aMail()
    await put(outbox, mail)
    const late = newId()
    await claim(outbox, { claim: late, leaseSeconds: 0 })
    assert.equal(await ok(outbox.settle({ id: mail.id, claim: late })), true)
    assert.deepEqual(await listed(outbox), [])
  })
}
