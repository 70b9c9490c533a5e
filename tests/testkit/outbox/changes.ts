import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Change } from '../../../application/ports/store.ts'
import { aUser, change, issuedToken, newId, registered } from '../builders.ts'
import type { Check } from '../outbox.ts'
import { commitAll, commitAtOnce, refused, tally, wholeLog } from '../outcome.ts'
import { aMail, claim, FAILED, held, listed, NOW, put } from './steps.ts'

const CONFLICT = { _tag: 'Conflict' } as const

/** A change without rows, so that only its mails decide. */
const settling = (...settled: NonNullable<Change['settled']>): Change => ({ ...withoutRows(), settled })

const withoutRows = (): Change => change(issuedToken())

/** Mails are part of the transaction of a change. */
export const changeCases = (check: Check): void => {
  check('a change adds its mails, or nothing', async ({ store, outbox }) => {
    const [mail, other, lost] = [aMail(), aMail(), aMail()]
    const user = aUser()
    await commitAll(store, { ...change(registered(user)), mails: [mail, other] })
    await refused(store.commit({ ...change(registered(user)), mails: [lost] }), CONFLICT)
    assert.deepEqual(await listed(outbox), [mail, other])
  })

  check('a change without rows adds its mails', async ({ store, outbox }) => {
    const mail = aMail()
    await commitAll(store, { ...withoutRows(), mails: [mail] })
    assert.deepEqual(await listed(outbox), [mail])
  })

  check('a change that is committed again adds its mails once', async ({ store, outbox }) => {
    const mail = aMail()
    const adding = { ...withoutRows(), mails: [mail] }
    await commitAll(store, adding)
    await claim(outbox, { claim: 'first' })
    await commitAll(store, settling({ id: mail.id, claim: 'first' }), adding)
    assert.deepEqual(await listed(outbox), [])
  })

  check('a mail that is there already is not added again', async ({ store, outbox }) => {
    const one = await held(outbox)
    await commitAll(store, { ...withoutRows(), mails: [{ ...one.mail, claim: none }] })
    assert.deepEqual(await listed(outbox), [one.mail])
  })

  check('a change settles a mail that its claim still has', async ({ store, outbox }) => {
    const { mail: sent, ...one } = await held(outbox)
    const { mail: refused, ...other } = await held(outbox)
    await commitAll(store, settling(one, { ...other, failed: FAILED }))
    assert.notEqual(sent.id, refused.id)
    const failed = { state: 'failed', code: some('550'), expiresAtSeconds: FAILED.keptUntilSeconds }
    assert.deepEqual(await listed(outbox), [{ ...refused, ...failed, claim: none }])
  })

  check('a change that settles a lost mail is a conflict, and writes nothing', async ({ store, outbox }) => {
    const { mail: kept, ...one } = await held(outbox)
    const mail = aMail()
    await put(outbox, mail)
    await claim(outbox, { claim: 'late', leaseSeconds: 0 })
    const [overtaken] = await claim(outbox, { claim: 'other' })
    for (const lost of [
      { id: mail.id, claim: 'late' },
      { id: mail.id, claim: 'late', failed: FAILED },
      { id: newId(), claim: 'other' },
    ])
      await refused(store.commit({ ...settling(one, lost), mails: [aMail()] }), CONFLICT)
    assert.deepEqual(await listed(outbox), [kept, overtaken])
    assert.deepEqual(await wholeLog(store), [])
  })

  check('of changes that settle one mail, one is written', async ({ store, outbox }) => {
    const { mail: _, ...one } = await held(outbox)
    const outcomes = await commitAtOnce(store, [
      settling(one),
      settling({ ...one, failed: FAILED }),
      settling(one),
    ])
    assert.deepEqual(tally(outcomes), { success: 1, Conflict: 2 })
    assert.equal((await wholeLog(store)).length, 1)
  })

  check('a settled mail that failed is not settled again by a change', async ({ store, outbox }) => {
    const { mail: _, ...one } = await held(outbox)
    await commitAll(store, settling({ ...one, failed: FAILED }))
    await refused(store.commit(settling(one)), CONFLICT)
  })

  check('a change withdraws waiting mails, also claimed ones', async ({ store, outbox }) => {
    const claimed = await held(outbox)
    const [waiting, kept] = [aMail({ dueAtSeconds: NOW + 300 }), aMail({ dueAtSeconds: NOW + 300 })]
    const { mail: failed, ...other } = await held(outbox)
    await put(outbox, waiting, kept)
    await commitAll(store, settling({ ...other, failed: FAILED }))
    const withdrawn = [waiting.id, claimed.id, failed.id, 'unknown']
    await commitAll(store, { ...withoutRows(), withdrawn })
    const left = [kept.id, failed.id].toSorted()
    assert.deepEqual(
      (await listed(outbox)).map(({ id }) => id),
      left,
    )
  })

  check(
    'changes at once withdraw a mail in the order in which they are written',
    async ({ store, outbox }) => {
      const mail = aMail()
      const [adding, withdrawing] = [
        { ...withoutRows(), mails: [mail] },
        { ...withoutRows(), withdrawn: [mail.id] },
      ]
      assert.deepEqual(tally(await commitAtOnce(store, [adding, withdrawing])), { success: 2 })
      const [first] = await wholeLog(store)
      assert.deepEqual(await listed(outbox), first?.id === adding.id ? [] : [mail])
    },
  )
}
