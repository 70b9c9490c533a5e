import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import type { MailLinks } from '../../application/mail/mail-parts.ts'
import { NO_REQUEST, type Recorder, recorder } from '../../application/recording/recorder.ts'
import type { Mail } from '../../domain/mail.ts'
import { memoryMailer } from '../support/memory-mailer.ts'
import { SHARED_STORES } from '../support/stores.ts'
import {
  anApplication,
  aUser,
  newId,
  registered,
  registeredApplication,
  removedUser,
} from '../testkit/builders.ts'
import { aRequest, claim, listed, put } from '../testkit/outbox/steps.ts'
import type { Mailing } from '../testkit/outbox.ts'
import { tally, wholeLog } from '../testkit/outcome.ts'
import { type SettableClock, settableClock } from './fakes.ts'
import { type RelayAnswers, sending } from './mail-desk.ts'

type Instance = Mailing & Readonly<{ record: Recorder }>

const NOBODY = { kind: 'nobody' } as const

for (const { name, layOut, openCopyable } of SHARED_STORES)
  describe(`two instances that send mails, on ${name}`, () => {
    let one: Instance
    let other: Instance
    let clock: SettableClock
    let remove: () => Promise<void>

    beforeEach(async () => {
      clock = settableClock('2027-01-15T08:00:00Z') // when the mails are due
      const place = await layOut()
      const open = async (): Promise<Instance> => {
        const { store, outbox } = await openCopyable(place.url)
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

    const sender = (instance: Instance, answerTo: RelayAnswers = () => 'takes', links?: MailLinks) => {
      const mailer = memoryMailer(answerTo)
      return { mailer, ...sending({ ...instance, clock }, mailer, links) }
    }
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

    it('send no link to a user whom the other one removes meanwhile, but a notice to the former address', async () => {
      const user = aUser()
      const shop = anApplication()
      for (const fact of [registered(user), registeredApplication(shop)])
        await one.record([fact], NOBODY, NO_REQUEST)()
      const request = { address: user.email, userId: none, applicationId: some(shop.id) }
      const { mailer, look } = sender(one)
      await put(one.outbox, aRequest(request))
      await look()
      await put(one.outbox, aRequest(request))
      const { findUserByEmail } = one.store
      one.store.findUserByEmail = (email) => async () => {
        const removed = await other.record([removedUser(user)], NOBODY, NO_REQUEST)()
        expect(removed._tag).to.equal('Right')
        return findUserByEmail(email)()
      }
      await look()
      expect(mailer.received.map(({ kind, to }) => [kind, to])).to.deep.equal([
        ['recovery', user.email],
        ['account_removed', user.email],
      ])
      expect(await listed(one.outbox)).to.deep.equal([])
    })

    it('send a link, if only one of them has pages', async () => {
      const user = aUser()
      const shop = anApplication()
      for (const fact of [registered(user), registeredApplication(shop)])
        await one.record([fact], NOBODY, NO_REQUEST)()
      await put(one.outbox, aRequest({ address: user.email, userId: none, applicationId: some(shop.id) }))
      const without = sender(one, () => 'takes', {})
      const withPages = sender(other)
      await without.look()
      clock.passSeconds(1)
      await Promise.all([without.look(), withPages.look()])
      clock.passSeconds(2)
      await withPages.look()
      const received = [without, withPages].map(({ mailer }) => mailer.received.map(({ to }) => to))
      expect(received).to.deep.equal([[], [user.email]])
      expect(await listed(one.outbox)).to.deep.equal([])
    })

    it('send a notice despite a flood of recoveries while the relay is down', async () => {
      const user = aUser()
      await one.record([registered(user)], NOBODY, NO_REQUEST)()
      const flood = Array.from({ length: 50 }, () => aRequest({ userId: none }))
      await put(one.outbox, ...flood)
      const refused = await other.outbox.put({ mail: aRequest(), unseenAtMost: flood.length })()
      expect(refused).to.have.nested.property('left._tag', 'OutboxFull')
      let answer: 'is_away' | 'takes' = 'is_away'
      const senders = [one, other].map((instance) => sender(instance, () => answer))
      const looks = () => Promise.all(senders.map(({ look }) => look()))
      const facts = [{ _tag: 'PasswordSet', user, password: { record: '1$$bmV3', scheme: 'tests' } }] as const
      expect((await one.record([...facts], NOBODY, NO_REQUEST)())._tag).to.equal('Right')
      await looks()
      clock.passSeconds(2)
      await looks()
      expect((await listed(one.outbox)).map(({ kind, attempts }) => [kind, attempts])).to.deep.equal([
        ['password_changed', 0],
      ])
      answer = 'takes'
      clock.passSeconds(60)
      await looks()
      expect(senders.flatMap(({ mailer }) => mailer.received.map(({ to }) => to))).to.deep.equal([user.email])
    })
  })
