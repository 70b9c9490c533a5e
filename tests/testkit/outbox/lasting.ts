import assert from 'node:assert/strict'
import type { LastingCheck } from '../outbox.ts'
import { ok } from '../outcome.ts'
import { aMail, claim, claimed, held, listed, put } from './steps.ts'

export const lastingCases = (check: LastingCheck): void => {
  check('mails are there again, with their claims and leases', async ({ outbox }, again) => {
    const one = await held(outbox)
    const other = aMail()
    await put(outbox, other)
    const opened = (await again()).outbox
    assert.deepEqual(await listed(opened), [one.mail, other])
    assert.deepEqual(await claim(opened, { claim: 'next' }), [claimed(other, 'next')])
    assert.equal(await ok(opened.settle(one)), true)
  })
}
