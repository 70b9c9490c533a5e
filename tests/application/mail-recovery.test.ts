import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import type { MailRecovery } from '../../application/accounts/mail-recovery.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import type { RequestContext } from '../../application/recording/recorder.ts'
import { type Mail, newMail } from '../../domain/mail.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { fail, succeed } from '../support/outcome.ts'
import { newMailDesk } from './mail-desk.ts'
import { CONTEXT, NOW } from './world.ts'

const HOUR = 3_600
const EVE = 'eve@example.com'
const REQUEST = { language: undefined, returnTo: undefined }

const newDesk = async (environment: Record<string, string> = {}, ...modules: ReadonlyArray<Module>) => {
  const desk = await newMailDesk(() => 'takes', {
    environment: { ...mailLinkSettings(), ...environment },
    modules,
  })
  const links = desk.service.mailLinks
  if (links === undefined) throw new Error('the service mails no links')
  const ask = (
    email: string | undefined,
    more: Partial<Parameters<MailRecovery>[2]> = {},
    context: RequestContext = CONTEXT,
    caller = desk.caller,
  ) => links.recovery(context, caller, { ...REQUEST, email, ...more })
  return { ...desk, ask }
}

/** What a mail shows to a reader of the table who does not compare addresses. */
const shape = ({ id: _, address, ...others }: Mail) => ({ ...others, isKept: address !== '' })

describe('mailRecovery, given that Ada@Example.com is registered', () => {
  let desk: Awaited<ReturnType<typeof newDesk>>
  beforeEach(async () => {
    desk = await newDesk()
  })

  it('writes one mail with the typed e-mail, and the sender mails a token to the e-mail on record', async () => {
    await succeed(desk.ask('ADA@example.com', { language: 'de-AT' }))
    const now = Date.parse(NOW) / 1_000
    expect((await desk.waiting()).map(({ id: _, ...mail }) => mail)).to.deep.equal([
      (({ id: _, ...mail }) => mail)(
        newMail(
          {
            id: '',
            kind: 'recovery',
            userId: none,
            address: 'ADA@example.com',
            language: some('de-AT'),
            applicationId: some(desk.shop.application.id),
          },
          now,
        ),
      ),
    ])
    expect(await desk.settledEvents()).to.deep.equal([])
    await desk.look()
    const [letter] = desk.mailer.received
    expect([letter?.to, letter?.language]).to.deep.equal(['Ada@Example.com', 'de-AT'])
    const [, token = ''] = /token=(\w+)/.exec(letter?.text ?? '') ?? []
    await succeed(
      desk.service.completeRecovery(CONTEXT, { token, newPassword: 'new', newPasswordCheck: 'new' }),
    )
  })

  it('reads nothing about an account, and writes the same for every e-mail', async () => {
    const asked: Array<string> = []
    const { store, outbox } = memoryStorage()
    const watched = Object.fromEntries(
      Object.entries(store).map(([name, method]) => [
        name,
        typeof method === 'function'
          ? (...given: ReadonlyArray<never>) => {
              asked.push(name)
              return (method as (...all: ReadonlyArray<never>) => unknown)(...given)
            }
          : method,
      ]),
    ) as typeof store
    desk = await newDesk(
      {},
      provide(Dependency.storage, () => ({ store: watched, outbox })),
    )
    await succeed(desk.service.registerUser(CONTEXT, { email: EVE, password: 'x' }, { kind: 'operator' }))
    await succeed(desk.service.disableUser(CONTEXT, EVE))
    asked.length = 0
    for (const email of [desk.ada.email, EVE, 'unknown@example.com', 'no e-mail', desk.ada.id])
      await succeed(desk.ask(email))
    expect(asked).to.deep.equal([])
    await succeed(desk.service.startRecovery(CONTEXT, desk.caller, { email: EVE }))
    expect(asked).to.include('findUserByEmail')
    const [first, ...others] = await succeed(outbox.list({ state: none, after: '', limit: 9 }))
    if (first === undefined) throw new Error('no mail')
    expect(others.map(shape)).to.deep.equal([
      ...[1, 2].map(() => shape(first)),
      ...[1, 2].map(() => ({ ...shape(first), isKept: false })),
    ])
  })

  it('keeps no malformed e-mail, which may be a password, and mails nothing for it', async () => {
    await succeed(desk.ask('correct horse battery staple'))
    expect((await desk.waiting()).map(({ address }) => address)).to.deep.equal([''])
    await desk.look()
    expect([desk.mailer.received, await desk.waiting(), await desk.settledEvents()]).to.deep.equal([
      [],
      [],
      [],
    ])
  })

  for (const [what, email, more, problems] of [
    ['without an e-mail', '', {}, ['EmailMissing']],
    ['with a malformed language', EVE, { language: 'German' }, ['LanguageMalformed']],
    ['with a URL of no one', EVE, { returnTo: 'https://shop.example.com/done' }, ['ReturnToUnknown']],
    [
      'with nothing right',
      undefined,
      { language: '-', returnTo: 'x' },
      ['EmailMissing', 'LanguageMalformed', 'ReturnToUnknown'],
    ],
  ] as const)
    it(`${what}, then it is refused, and neither counted nor noted`, async () => {
      for (let each = 0; each < 9; each += 1)
        expect(await fail(desk.ask(email, more))).to.deep.equal({ _tag: 'Invalid', problems })
      expect([await desk.waiting(), await desk.settledEvents()]).to.deep.equal([[], []])
    })

  it('with a return URL of the application, then the link has it', async () => {
    const url = 'https://shop.example.com/done'
    const { shop, service } = desk
    await succeed(service.setApplication(CONTEXT, shop.application.id, { returnUrls: [url] }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, shop))
    const caller = await succeed(service.authenticate(CONTEXT, 'mailRecovery', token))
    const returnTo = `${url}?order=7`
    await succeed(desk.ask(desk.ada.email, { returnTo }, CONTEXT, caller))
    await desk.look()
    expect(desk.mailer.received[0]?.text).to.include(`&return_to=${encodeURIComponent(returnTo)}`)
  })

  for (const [what, email] of [
    ['an account', 'ada@example.com'],
    ['an unknown e-mail', EVE],
    ['no e-mail', 'malformed'],
  ] as const)
    it(`after five mails and starts for ${what} within an hour, then it is refused and noted`, async () => {
      for (let each = 0; each < 5; each += 1) await succeed(desk.ask(each % 2 ? email : email.toUpperCase()))
      const refused = { _tag: 'Throttled', retryAfterSeconds: HOUR, tooMany: 'mails_to_email' }
      expect(await fail(desk.ask(email))).to.deep.equal(refused)
      expect(await fail(desk.service.startRecovery(CONTEXT, desk.caller, { email }))).to.deep.equal(refused)
      expect((await desk.settledEvents()).slice(0, 1)).to.deep.equal([
        {
          type: 'RecoveryRefused',
          subject: { kind: 'service', id: 'portcullis' },
          actor: { kind: 'application', id: desk.shop.application.id },
          data: { codes: [] },
        },
      ])
      await succeed(desk.ask('another@example.com'))
      desk.clock.passSeconds(HOUR)
      await succeed(desk.ask(email))
    })

  it('from one network, then it counts with sign-ins that failed and with started recoveries', async () => {
    desk = await newDesk({ THROTTLE_ADDRESS_FAILURES: '3', THROTTLE_RECOVERIES: '20' })
    const from = (endUserAddress: string) => ({ ...CONTEXT, endUserAddress })
    const one = from('192.0.2.1')
    await fail(desk.service.signIn(one, desk.caller, { email: EVE, password: 'x' }))
    await succeed(desk.ask('a@example.com', {}, one))
    await succeed(desk.service.startRecovery(one, desk.caller, { email: 'b@example.com' }))
    expect(await fail(desk.ask('c@example.com', {}, one))).to.include({
      _tag: 'Throttled',
      tooMany: 'recoveries_from_network',
    })
    const other = from('192.0.2.2')
    await succeed(desk.ask('a@example.com', {}, other))
    await succeed(desk.ask('b@example.com', {}, other))
    expect(await fail(desk.ask('c@example.com', {}, other))).to.include({ tooMany: 'recoveries_in_network' })
  })

  it('after THROTTLE_MAILS within an hour, then it is refused, and a refusal uses up nothing', async () => {
    desk = await newDesk({ THROTTLE_MAILS: '6' })
    for (let each = 0; each < 9; each += 1) await desk.ask(EVE)()
    await succeed(desk.ask('a@example.com'))
    const refused = { _tag: 'Throttled', retryAfterSeconds: HOUR, tooMany: 'mails' }
    for (let each = 0; each < 9; each += 1)
      expect(await fail(desk.ask('b@example.com'))).to.deep.equal(refused)
    desk.clock.passSeconds(HOUR)
    await succeed(desk.ask('b@example.com'))
  })

  it('after 600 within an hour by default, then it is refused, also for an e-mail that asked for none', async () => {
    for (let each = 0; each < 600; each += 1) await succeed(desk.ask(`user-${each}@example.com`))
    expect(await fail(desk.ask(desk.ada.email))).to.include({ _tag: 'Throttled', tooMany: 'mails' })
    expect(await desk.waiting()).to.have.lengthOf(600)
  })

  it('with THROTTLE_MAILS=0, then nothing of the service is counted', async () => {
    desk = await newDesk({ THROTTLE_MAILS: '0' })
    for (let each = 0; each < 9; each += 1) await succeed(desk.ask(`user-${each}@example.com`))
  })
})

describe('mailRecovery, given an outbox that refuses', () => {
  const UNAVAILABLE = { _tag: 'StoreUnavailable', reason: 'gone' } as const
  /** A desk whose outbox answers so to each `put`. */
  const deskWith = async (
    answers: ReadonlyArray<Awaited<ReturnType<ReturnType<Outbox['put']>>> | 'takes'>,
  ) => {
    const { store, outbox } = memoryStorage()
    const puts: Array<string> = []
    const put: Outbox['put'] = (query) => async () => {
      const answer = answers[puts.length] ?? 'takes'
      puts.push(query.mail.id)
      return answer === 'takes' ? outbox.put(query)() : answer
    }
    return {
      ...(await newDesk(
        {},
        provide(Dependency.storage, () => ({ store, outbox: { ...outbox, put } })),
      )),
      puts,
    }
  }

  it('as full, then the service is overloaded, and nothing counts', async () => {
    const desk = await deskWith(Array.from({ length: 9 }, () => left({ _tag: 'OutboxFull' })))
    for (let each = 0; each < 9; each += 1)
      expect(await fail(desk.ask(EVE))).to.deep.equal({ _tag: 'Overloaded', retryAfterSeconds: 5 })
    await succeed(desk.ask(EVE))
  })

  it('with an unknown outcome, then it puts the same mail again', async () => {
    const desk = await deskWith([left({ ...UNAVAILABLE, outcome: 'unknown' })])
    await succeed(desk.ask(EVE))
    expect([desk.puts.length, new Set(desk.puts).size]).to.deep.equal([2, 1])
  })

  it('without an outcome that is unknown, then it says so at once', async () => {
    const desk = await deskWith([left(UNAVAILABLE)])
    expect(await fail(desk.ask(EVE))).to.deep.equal(UNAVAILABLE)
    expect(desk.puts).to.have.lengthOf(1)
  })

  it('after the deadline, then it writes nothing', async () => {
    const desk = await deskWith([])
    expect(await fail(desk.ask(EVE, {}, { ...CONTEXT, beginCommit: () => false }))).to.have.property(
      '_tag',
      'StoreUnavailable',
    )
    expect(desk.puts).to.deep.equal([])
  })
})
