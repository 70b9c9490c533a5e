import { expect } from 'chai'
import { none, some, toUndefined } from 'fp-ts/lib/Option.js'
import { askedBy } from '../../domain/mail.ts'
import { memoryMailer } from '../support/memory-mailer.ts'
import { succeed } from '../support/outcome.ts'
import { newMailDesk, sending } from './mail-desk.ts'
import { CONTEXT } from './world.ts'

type Desk = Awaited<ReturnType<typeof newMailDesk>>

const tokenIn = (text = ''): string => /token=(\w+)/.exec(text)?.[1] ?? ''
const lastEvents = async ({ settledEvents }: Desk) =>
  (await settledEvents()).map(({ type, data }) => ({ type, data }))
const shown = async ({ waiting }: Desk) =>
  (await waiting()).map(({ state, attempts, code }) => [state, attempts, toUndefined(code)])

describe('the sender of mails', () => {
  it('sends a notice to the address of its mail, logs it and deletes it', async () => {
    const desk = await newMailDesk()
    const mail = await desk.put('password_changed', { address: 'former@example.com', language: some('de') })
    await desk.look()
    expect(
      desk.mailer.received.map(({ to, language, messageId }) => [to, language, messageId]),
    ).to.deep.equal([['former@example.com', 'de', `${mail.id}@example.com`]])
    expect(await lastEvents(desk)).to.deep.equal([
      { type: 'MailSent', data: { mail_id: mail.id, kind: 'password_changed', attempts: 1 } },
    ])
    expect(await desk.waiting()).to.deep.equal([])
    expect(desk.outcomes).to.deep.equal([['password_changed', 'sent']])
  })

  it('asks for the language of the user, and then for that of the request', async () => {
    const desk = await newMailDesk()
    const { caller } = await desk.signIn()
    await succeed(desk.service.changeOwnAttributes(CONTEXT, caller, { locale: 'fr' }))
    await desk.put('password_changed', { language: some('de') })
    await desk.put('password_changed')
    await desk.look()
    expect(desk.mailer.received.map(({ language }) => language)).to.deep.equal(['fr de', 'fr'])
  })

  it('sends a recovery to the address on record, with a token that works', async () => {
    const desk = await newMailDesk()
    await desk.put('recovery', { address: 'ADA@example.com' })
    await desk.look()
    const [letter] = desk.mailer.received
    expect(letter?.to).to.equal('Ada@Example.com')
    expect((await lastEvents(desk)).map(({ type }) => type)).to.deep.equal(['RecoveryStarted', 'MailSent'])
    const request = { token: tokenIn(letter?.text), newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(desk.service.completeRecovery(CONTEXT, request))
  })

  it('deletes a recovery for an unknown address without an event', async () => {
    const desk = await newMailDesk()
    await desk.put('recovery', { address: 'eve@example.com' })
    await desk.look()
    expect([await desk.waiting(), await lastEvents(desk), desk.mailer.received]).to.deep.equal([[], [], []])
  })

  for (const [what, prepare, sent] of [
    [
      'a disabled user',
      (desk: Desk) => desk.service.disableUser(CONTEXT, desk.ada.email),
      ['email_changed', 'account_removed'],
    ],
    [
      'a removed user',
      (desk: Desk) => desk.service.removeUser(CONTEXT, desk.ada.email),
      ['email_changed', 'account_removed'],
    ],
    [
      'a revoked application',
      (desk: Desk) => desk.service.revokeApplication(CONTEXT, desk.shop.application.id),
      [],
    ],
  ] as const)
    it(`for ${what}, then it sends only ${sent.join(' and ') || 'nothing with a link'}`, async () => {
      const desk = await newMailDesk()
      await desk.put('recovery')
      await desk.put('email_confirmation')
      if (sent.length > 0)
        for (const kind of ['password_changed', 'email_changed', 'account_removed'] as const)
          await desk.put(kind)
      await succeed<unknown, unknown>(prepare(desk))
      await desk.look()
      expect(desk.mailer.received.map(({ kind }) => kind)).to.deep.equal(sent)
      expect(await desk.waiting()).to.deep.equal([])
    })

  it('sends no confirmation that was requested before the password changed', async () => {
    const desk = await newMailDesk()
    const user = toUndefined(await succeed(desk.store.findUser(desk.ada.id)))
    if (user === undefined) throw new Error('no Ada')
    const facts = { asked: askedBy(user) }
    await desk.put('email_confirmation', { address: 'thief@example.com', facts })
    await succeed(desk.service.setPassword(CONTEXT, { user: desk.ada.email, password: 'new' }))
    await desk.look()
    expect(desk.mailer.received).to.deep.equal([])
    await desk.put('email_confirmation', { address: 'ada@new.example' })
    await desk.look()
    expect(desk.mailer.received.map(({ to }) => to)).to.deep.equal(['ada@new.example'])
  })

  it('gives the attempt back if the relay is down, and waits 1, 2, 4 … 60 seconds with one probe each', async () => {
    let answer: 'is_away' | 'takes' = 'is_away'
    let asked = 0
    const desk = await newMailDesk((to) => {
      if (to === '') asked += 1
      return answer
    })
    for (let each = 0; each < 6; each += 1) await desk.put('password_changed')
    const probes: Array<number> = []
    await desk.look()
    const begun = asked
    for (let second = 1; second <= 200; second += 1) {
      desk.clock.passSeconds(1)
      const before = asked
      await desk.look()
      if (asked > before) probes.push(second)
    }
    expect(begun).to.be.within(1, 4)
    expect(probes).to.deep.equal([1, 3, 7, 15, 31, 63, 123, 183])
    expect((await desk.waiting()).map(({ attempts }) => attempts)).to.deep.equal([0, 0, 0, 0, 0, 0])
    answer = 'takes'
    desk.clock.passSeconds(60)
    await desk.look()
    desk.clock.passSeconds(60)
    await desk.look()
    expect(desk.mailer.received).to.have.lengthOf(6)
    expect(desk.pauses).to.deep.equal(['ECONNREFUSED', undefined])
    expect((await lastEvents(desk)).map(({ data }) => 'attempts' in data && data.attempts)).to.deep.equal([
      1, 1, 1, 1, 1, 1,
    ])
  })

  it('deletes recoveries for unknown addresses while the relay is down, and sends the others later', async () => {
    const desk = await newMailDesk(() => 'is_away')
    await desk.put('password_changed')
    await desk.look()
    for (let each = 0; each < 20; each += 1) await desk.put('recovery', { address: `eve${each}@example.com` })
    await desk.put('recovery')
    await desk.look()
    expect((await desk.waiting()).map(({ kind, attempts }) => [kind, attempts])).to.deep.equal([
      ['password_changed', 0],
      ['recovery', 0],
    ])
  })

  it('repeats a mail that is refused for now after 1, 2, 4 … minutes, ten times at most', async () => {
    const desk = await newMailDesk((to) => (to === '' ? 'takes' : 'postpones_recipient'))
    await desk.put('password_changed')
    const waits = [0, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]
    for (const [index, seconds] of waits.entries()) {
      desk.clock.passSeconds(Math.max(0, seconds - 1))
      if (seconds > 0) await desk.look()
      expect((await desk.waiting())[0]?.attempts).to.equal(index)
      desk.clock.passSeconds(seconds > 0 ? 1 : 0)
      await desk.look()
    }
    expect(await shown(desk)).to.deep.equal([['failed', 10, '450']])
    expect((await lastEvents(desk)).map(({ type }) => type)).to.deep.equal(['MailFailed'])
  })

  it('of two senders, each mail is sent by one', async () => {
    const desk = await newMailDesk()
    const others = memoryMailer()
    const other = sending(desk, others)
    for (let each = 0; each < 50; each += 1) await desk.put('password_changed')
    await Promise.all([desk.look(), other.look()])
    const ids = [...desk.mailer.received, ...others.received].map(({ messageId }) => messageId)
    expect([ids.length, new Set(ids).size]).to.deep.equal([50, 50])
  })

  it('after a sender died before its commit, then another one sends the same Message-ID after the lease', async () => {
    const desk = await newMailDesk()
    await desk.put('password_changed')
    await succeed(
      desk.outbox.claim({ claim: 'dead', nowSeconds: desk.clock.read() / 1000, leaseSeconds: 120, limit: 1 }),
    )
    desk.clock.passSeconds(119)
    await desk.look()
    expect(desk.mailer.received).to.deep.equal([])
    desk.clock.passSeconds(1)
    await desk.look()
    expect((await lastEvents(desk)).map(({ data }) => data)).to.deep.include.members([
      { mail_id: '20000000-0000-7000-8000-000000000001', kind: 'password_changed', attempts: 2 },
    ])
  })

  it('gives up a mail that has ended ten senders, without a letter', async () => {
    const desk = await newMailDesk()
    const { id } = await desk.put('password_changed')
    for (let dead = 1; dead <= 10; dead += 1) {
      const query = {
        claim: `dead ${dead}`,
        nowSeconds: desk.clock.read() / 1000,
        leaseSeconds: 120,
        limit: 1,
      }
      expect(await succeed(desk.outbox.claim(query))).to.have.lengthOf(1)
      desk.clock.passSeconds(120)
    }
    await desk.look()
    expect([desk.mailer.received, await lastEvents(desk)]).to.deep.equal([
      [],
      [
        {
          type: 'MailFailed',
          data: { mail_id: id, kind: 'password_changed', code: 'attempts', attempts: 11 },
        },
      ],
    ])
  })

  it('sends at most one notice of an unfinished sign-in a day', async () => {
    const desk = await newMailDesk()
    for (let each = 0; each < 3; each += 1) await desk.put('password_leaked')
    await desk.look()
    expect(desk.mailer.received).to.have.lengthOf(1)
    expect(await desk.waiting()).to.deep.equal([])
  })

  it('without pages, leaves links to another sender, and gives them up when they expire', async () => {
    const desk = await newMailDesk()
    const { look, outcomes } = sending(desk, desk.mailer, {})
    await desk.put('recovery')
    await desk.put('email_confirmation')
    await desk.put('registration', { userId: none, address: 'eve@example.com' })
    await desk.put('registration', { userId: none })
    for (const passed of [0, 1, 2]) {
      desk.clock.passSeconds(passed)
      await look()
    }
    expect(await shown(desk)).to.deep.equal([
      ['waiting', 0, 'no_pages'],
      ['waiting', 0, 'no_pages'],
      ['waiting', 0, 'no_pages'],
      ['waiting', 0, 'no_pages'],
    ])
    expect([desk.mailer.received, await lastEvents(desk), outcomes]).to.deep.equal([[], [], []])
    desk.clock.passSeconds(4 * 3_600)
    await look()
    expect(
      (await lastEvents(desk)).map(({ type, data }) => [type, 'code' in data && data.code]),
    ).to.deep.equal([
      ['MailFailed', 'expired'],
      ['MailFailed', 'expired'],
      ['MailFailed', 'expired'], // the registration of a known e-mail
    ])
    expect((await desk.waiting()).filter(({ address }) => address.startsWith('eve'))).to.deep.equal([])
  })

  it('after its stop, claims no more', async () => {
    const desk = await newMailDesk()
    await desk.sender.stop()
    await desk.put('password_changed')
    await desk.look()
    expect(desk.mailer.received).to.deep.equal([])
  })
})
