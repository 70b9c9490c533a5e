import assert from 'node:assert/strict'
import type { Check } from '../outbox.ts'
import { ok } from '../outcome.ts'
import { aMail, aRequest, claim, claimed, held, idsOf, listed, NOW, put } from './steps.ts'

/** One sender has a mail at a time. */
export const claimCases = (check: Check): void => {
  check('due mails are claimed in the order in which they are due, then by id', async ({ outbox }) => {
    const [first, second, late, early] = [
      aMail(),
      aMail(),
      aMail({ dueAtSeconds: NOW + 1 }),
      aMail({ dueAtSeconds: NOW - 1 }),
    ]
    await put(outbox, second, late, first, early)
    assert.deepEqual(idsOf(await claim(outbox)), idsOf([early, first, second]))
    assert.deepEqual(idsOf(await claim(outbox, { nowSeconds: NOW + 1 })), [late.id])
  })

  check('no more mails are claimed than the limit', async ({ outbox }) => {
    const mails = [aMail(), aMail(), aMail()]
    await put(outbox, ...mails)
    assert.deepEqual(await claim(outbox, { limit: 0 }), [])
    assert.deepEqual(idsOf(await claim(outbox, { limit: 2 })), idsOf(mails.slice(0, 2)))
    assert.deepEqual(idsOf(await claim(outbox, { limit: 2 })), idsOf(mails.slice(2)))
  })

  check('a claimed mail has the claim, one attempt more and one claim more', async ({ outbox }) => {
    const mail = aMail({ facts: { factor: 'totp' } })
    await put(outbox, mail)
    const first = claimed(mail, 'first')
    assert.deepEqual(await claim(outbox, { claim: 'first', leaseSeconds: 0 }), [first])
    const second = claimed(first, 'second')
    assert.deepEqual(await claim(outbox, { claim: 'second' }), [second])
    assert.deepEqual(await listed(outbox), [second])
  })

  check('a mail is not claimed again during the lease', async ({ outbox }) => {
    await held(outbox)
    assert.deepEqual(await claim(outbox, { nowSeconds: NOW + 4_000_000 }), [])
  })

  check('only requests that were never claimed are claimed if asked', async ({ outbox }) => {
    const [seen, unseen] = [aRequest(), aRequest()]
    await put(outbox, seen)
    await claim(outbox, { leaseSeconds: 0 })
    await put(outbox, aMail(), unseen)
    assert.deepEqual(idsOf(await claim(outbox, { unseenRequestsOnly: true })), [unseen.id])
  })

  check('of concurrent claims, no two get one mail', async ({ outbox }) => {
    const mails = Array.from({ length: 60 }, () => aMail())
    await put(outbox, ...mails)
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(outbox, { limit: 3 })))
    assert.deepEqual(idsOf(claims.flat()).toSorted(), idsOf(mails))
  })

  check('a postponed mail is due at its time, with its attempt and a code', async ({ outbox }) => {
    const { mail, ...one } = await held(outbox)
    const later = { ...one, dueAtSeconds: NOW + 60, code: '451', givesBack: false }
    assert.equal(await ok(outbox.postpone(later)), true)
    const postponed = { ...mail, ...NO_CLAIM, dueAtSeconds: NOW + 60, code: { _tag: 'Some', value: '451' } }
    assert.deepEqual(await listed(outbox), [postponed])
    assert.deepEqual(await claim(outbox, { nowSeconds: NOW + 59 }), [])
    assert.deepEqual(idsOf(await claim(outbox, { nowSeconds: NOW + 60 })), [mail.id])
  })

  check('an attempt is given back, and its claim is not', async ({ outbox }) => {
    const one = await held(outbox)
    await ok(outbox.postpone({ ...one, dueAtSeconds: NOW, code: '421', givesBack: true }))
    const [{ attempts, claims } = { attempts: undefined, claims: undefined }] = await listed(outbox)
    assert.deepEqual([attempts, claims], [0, 1])
  })

  check('a sender that was overtaken postpones nothing', async ({ outbox }) => {
    const mail = aMail()
    await put(outbox, mail)
    await claim(outbox, { claim: 'late', leaseSeconds: 0 })
    const [overtaken] = await claim(outbox, { claim: 'other' })
    const late = { id: mail.id, claim: 'late', dueAtSeconds: NOW + 60, code: '451', givesBack: true }
    assert.equal(await ok(outbox.postpone(late)), false)
    assert.deepEqual(await listed(outbox), [overtaken])
  })
}

const NO_CLAIM = { claim: { _tag: 'None' } } as const
