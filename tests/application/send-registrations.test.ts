import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { succeed } from '../support/outcome.ts'
import { newMailDesk } from './mail-desk.ts'
import { CONTEXT } from './world.ts'

type Desk = Awaited<ReturnType<typeof newMailDesk>>

const UNKNOWN = { userId: none, address: 'eve@example.com' } as const

const lastEvents = async ({ settledEvents }: Desk) =>
  (await settledEvents()).map(({ type, data }) => ({ type, data }))

describe('the sender of mails, with the request of a registration', () => {
  it('sends a registration to an address without an account, and leaves nothing behind', async () => {
    const desk = await newMailDesk()
    const returnTo = some('/oauth2/authorize?client_id=a&state=b')
    await desk.put('registration', { ...UNKNOWN, language: some('de'), returnTo })
    await desk.look()
    expect(desk.mailer.received.map(({ kind, to, language }) => [kind, to, language])).to.deep.equal([
      ['registration', UNKNOWN.address, 'de'],
    ])
    const { link = '', lifetimeSeconds } = JSON.parse(desk.mailer.received[0]?.text ?? '{}')
    expect(lifetimeSeconds).to.equal(86_400)
    expect(link).to.match(
      /^https:\/\/auth\.example\.com\/account\/register\?token=[\w-]+&continue=%2Foauth2%2Fauthorize%3Fclient_id%3Da%26state%3Db&ui_locales=de$/,
    )
    expect(link).not.to.include('eve')
    expect([await desk.waiting(), await lastEvents(desk)]).to.deep.equal([[], []])
    expect(desk.outcomes).to.deep.equal([['registration', 'sent']])
  })

  it('tells the owner of an account of a registration, at the address on record', async () => {
    const desk = await newMailDesk()
    const mail = await desk.put('registration', { ...UNKNOWN, address: 'ADA@example.com' })
    await desk.look()
    const [letter] = desk.mailer.received
    expect([letter?.kind, letter?.to]).to.deep.equal(['registration_known', 'Ada@Example.com'])
    expect(JSON.parse(letter?.text ?? '{}')).to.deep.equal({
      kind: 'registration_known',
      link: 'https://auth.example.com/account/sign-in',
      recoveryLink: 'https://auth.example.com/account/forgotten',
    })
    expect(await lastEvents(desk)).to.deep.equal([
      { type: 'MailSent', data: { mail_id: mail.id, kind: 'registration_known', attempts: 1 } },
    ])
    expect(await desk.waiting()).to.deep.equal([])
  })

  it('sends no mail of a registration to a disabled user', async () => {
    const desk = await newMailDesk()
    await succeed(desk.service.disableUser(CONTEXT, desk.ada.id))
    const before = await lastEvents(desk)
    await desk.put('registration', { ...UNKNOWN, address: desk.ada.email })
    await desk.look()
    expect([desk.mailer.received, await desk.waiting()]).to.deep.equal([[], []])
    expect(await lastEvents(desk)).to.deep.equal(before)
  })

  it('sends no registration of a revoked application', async () => {
    const desk = await newMailDesk()
    await desk.put('registration', UNKNOWN)
    await succeed(desk.service.revokeApplication(CONTEXT, 'shop'))
    await desk.look()
    expect([desk.mailer.received, await desk.waiting()]).to.deep.equal([[], []])
  })

  for (const [answer, outcome] of [
    ['refuses_recipient', 'failed'],
    ['takes', 'expired'],
  ] as const)
    it(`keeps no address of a stranger once a registration has ${outcome}`, async () => {
      const desk = await newMailDesk(() => answer)
      await desk.put('registration', {
        ...UNKNOWN,
        ...(outcome === 'expired' && { expiresAtSeconds: Math.floor(desk.clock.read() / 1000) }),
      })
      await desk.look()
      expect([await desk.waiting(), await lastEvents(desk)]).to.deep.equal([[], []])
      expect(desk.outcomes).to.deep.equal([['registration', outcome]])
    })

  it('tries a registration again that was refused for now', async () => {
    let answer: 'takes' | 'postpones_recipient' = 'postpones_recipient'
    const desk = await newMailDesk(() => answer)
    await desk.put('registration', UNKNOWN)
    await desk.look()
    expect(await desk.waiting()).to.have.lengthOf(1)
    answer = 'takes'
    desk.clock.passSeconds(60)
    await desk.look()
    expect([desk.mailer.received.map(({ to }) => to), await desk.waiting()]).to.deep.equal([
      [UNKNOWN.address],
      [],
    ])
  })
})
