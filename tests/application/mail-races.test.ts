import { expect } from 'chai'
import { isSome, none } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { NO_REQUEST, type Recorder, recorder } from '../../application/recording/recorder.ts'
import type { Mail } from '../../domain/mail.ts'
import { succeed } from '../support/outcome.ts'
import { SHARED_STORES } from '../support/stores.ts'
import { aUser, newId, registered, removedUser } from '../testkit/builders.ts'
import { aRequest, claim, listed, put } from '../testkit/outbox/steps.ts'
import type { Mailing } from '../testkit/outbox.ts'
import { tally, wholeLog } from '../testkit/outcome.ts'
import { settableClock } from './fakes.ts'
import { NOW } from './world.ts'

type Instance = Mailing & Readonly<{ record: Recorder }>

const NOBODY = { kind: 'nobody' } as const

for (const { name, layOut, openCopyable } of SHARED_STORES)
  describe(`two instances that send mails, on ${name}`, () => {
    let one: Instance
    let other: Instance
    let remove: () => Promise<void>

    beforeEach(async () => {
      const place = await layOut()
      const open = async (): Promise<Instance> => {
        const { store, outbox } = await openCopyable(place.url)
        const clock = settableClock(NOW)
        const random = { uuid: newId, bytes: () => new Uint8Array() }
        const needed = { store, clock: clock.read, random, digests: nodeDigests }
        return { store, outbox, record: recorder({ ...needed, notices: { extra: [] } }) }
      }
      one = await open()
      other = await open()
      remove = async () => {
        await one.store.close()
        await other.store.close()
        await place.remove()
      }
    })
    afterEach(() => remove())

    const sent = (mail: Mail, userId: string) => [{ _tag: 'MailSent', mail, userId }] as const
    const settled = async (facts: ReturnType<typeof sent>, { record }: Instance) =>
      record([...facts], NOBODY, NO_REQUEST)()

    it('log a mail once that both have sent, because the first one was late', async () => {
      const user = aUser()
      await put(one.outbox, aRequest())
      const [late] = await claim(one.outbox, { leaseSeconds: 0 })
      const [next] = await claim(other.outbox)
      if (late === undefined || next === undefined) throw new Error('the mail is missing')
      const outcomes = [
        await settled(sent(late, user.id), one),
        await settled(sent(next, user.id), other),
        await settled(sent(next, user.id), one),
      ]
      expect(outcomes.map(({ _tag }) => _tag)).to.deep.equal(['Left', 'Right', 'Left'])
      const log = await wholeLog(one.store)
      expect(log.map(({ type, data }) => [type, data])).to.deep.equal([
        ['MailSent', { mail_id: next.id, kind: 'recovery', attempts: 2 }],
      ])
      expect(await listed(other.outbox)).to.deep.equal([])
    })

    it('log a mail once if both settle one claim at the same time', async () => {
      const user = aUser()
      await put(one.outbox, aRequest())
      const [mail] = await claim(one.outbox)
      if (mail === undefined) throw new Error('the mail is missing')
      const outcomes = await Promise.all(
        [one, other, one, other].map((instance) => settled(sent(mail, user.id), instance)),
      )
      expect(tally(outcomes)).to.deep.equal({ success: 1, Conflict: 3 })
      expect(await wholeLog(one.store)).to.have.lengthOf(1)
    })

    it('send no link to a user that the other one removes, but a notice to the former address', async () => {
      const user = aUser()
      await one.record([registered(user)], NOBODY, NO_REQUEST)()
      await put(one.outbox, aRequest({ address: user.email, userId: none }))
      const [recovery] = await claim(one.outbox)
      const found = await succeed(one.store.findUserByEmail(user.email))
      if (recovery === undefined || !isSome(found)) throw new Error('the mail or the user is missing')
      expect((await other.record([removedUser(found.value)], NOBODY, NO_REQUEST)())._tag).to.equal('Right')

      // The sender looks again before it makes a link.
      expect(await succeed(one.store.findUserByEmail(recovery.address))).to.deep.equal(none)
      await succeed(
        one.outbox.settle({ id: recovery.id, claim: isSome(recovery.claim) ? recovery.claim.value : '' }),
      )
      const left = await listed(one.outbox)
      expect(left.map(({ kind, address }) => [kind, address])).to.deep.equal([
        ['account_removed', user.email],
      ])
      const types = (await wholeLog(one.store)).map(({ type }) => type)
      expect(types).to.deep.equal(['UserRegistered', 'UserRemoved'])
    })
  })
