import assert from 'node:assert/strict'
import { aUser, change, issuedToken, registered } from '../builders.ts'
import type { SharedCheck } from '../outbox.ts'
import { commitAcross, ok, tally, wholeLog } from '../outcome.ts'
import { aMail, aRequest, claim, claimed, held, idsOf, listed, put } from './steps.ts'

/** Several instances send from one outbox. */
export const sharedCases = (check: SharedCheck): void => {
  check('mails that are claimed through several handles go to one each', async (...handles) => {
    const mails = Array.from({ length: 90 }, () => aMail())
    await put(handles[0].outbox, ...mails)
    const claims = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        claim(handles[index % 3]?.outbox ?? handles[0].outbox, { limit: 3 }),
      ),
    )
    assert.deepEqual(idsOf(claims.flat()).toSorted(), idsOf(mails))
  })

  check('a lease holds for every handle', async (one, other) => {
    const { mail } = await held(one.outbox)
    assert.deepEqual(await claim(other.outbox), [])
    assert.deepEqual(await listed(other.outbox), [mail])
  })

  check('a handle takes over a mail whose lease has ended', async (one, other) => {
    const mail = aMail()
    await put(one.outbox, mail)
    const [first = mail] = await claim(one.outbox, { claim: 'late', leaseSeconds: 0 })
    assert.deepEqual(await claim(other.outbox, { claim: 'next' }), [claimed(first, 'next')])
    assert.equal(await ok(one.outbox.settle({ id: mail.id, claim: 'late' })), false)
  })

  check('of changes through several handles that settle one mail, one is written', async (...handles) => {
    const { mail: _, ...settled } = await held(handles[0].outbox)
    const settling = () => ({ ...change(issuedToken()), settled: [settled] })
    const stores = handles.map(({ store }) => store) as [(typeof handles)[0]['store']]
    const outcomes = await commitAcross(stores, [settling(), settling(), settling()])
    assert.deepEqual(tally(outcomes), { success: 1, Conflict: 2 })
    assert.equal((await wholeLog(handles[0].store)).length, 1)
  })

  check('claims and changes at once lose no mail and claim none twice', async (one, other, third) => {
    const notices = Array.from({ length: 30 }, () => aMail())
    const got: Array<string> = []
    const claiming = async (): Promise<void> => {
      for (let round = 0; round < 10; round += 1)
        got.push(
          ...idsOf(await claim(other.outbox, { limit: 2 })),
          ...idsOf(await claim(third.outbox, { limit: 2 })),
        )
    }
    const committing = notices.map((mail) =>
      one.store.commit({ ...change(registered(aUser())), mails: [mail] })(),
    )
    await Promise.all([claiming(), ...committing])
    got.push(...idsOf(await claim(one.outbox)))
    assert.deepEqual(got.toSorted(), idsOf(notices))
  })

  check('a handle counts the unseen requests of the others', async (one, other) => {
    await put(one.outbox, aRequest())
    const outcome = await other.outbox.put({ mail: aRequest(), unseenAtMost: 1 })()
    assert.deepEqual(outcome, { _tag: 'Left', left: { _tag: 'OutboxFull' } })
  })
}
