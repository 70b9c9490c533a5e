import { expect } from 'chai'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import type { Store } from '../../application/ports/store.ts'
import type { RequestContext } from '../../application/recording/recorder.ts'
import { type Mail, newMail } from '../../domain/mail.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { fail, succeed } from '../support/outcome.ts'
import { wholeLog } from '../testkit/outcome.ts'
import { newMailDesk } from './mail-desk.ts'
import { CONTEXT, NOW } from './world.ts'

const EVE = 'eve@example.com'
const SETTINGS = { ...mailLinkSettings(), PUBLIC_URL: 'https://service.test', PAGES_REGISTRATION: 'on' }

/** Also says which reads of users the store gets. */
const newDesk = async (environment: Record<string, string> = {}) => {
  const reads: Array<string> = []
  const storage = memoryStorage(() => Date.parse(NOW))
  const { findUser, findUserByEmail } = storage.store
  const store: Store = {
    ...storage.store,
    findUser: (id) => {
      reads.push(id)
      return findUser(id)
    },
    findUserByEmail: (email) => {
      reads.push(email)
      return findUserByEmail(email)
    },
  }
  const desk = await newMailDesk(() => 'takes', {
    environment: { ...SETTINGS, ...environment },
    modules: [provide(Dependency.storage, () => ({ store, outbox: storage.outbox }))],
  })
  const { registration, browsers } = desk.service
  if (registration === undefined || browsers === undefined) throw new Error('strangers cannot register')
  const caller = await succeed(browsers.application())
  reads.length = 0
  const waiting = () => succeed(storage.outbox.list({ state: none, after: '', limit: 100 }))
  const ask = (
    email: string | undefined,
    context: RequestContext = CONTEXT,
    returnTo: Option<string> = none,
  ) => registration.mail(context, caller, { email, returnTo })
  return { ...desk, used: store, reads, waiting, ask, pages: caller.application }
}

const shape = ({ id: _, address: __, ...others }: Mail) => others

describe('mailRegistration, given that Ada@Example.com is registered', () => {
  it('writes one equal row for known and unknown e-mails, and looks for no user', async () => {
    const desk = await newDesk()
    const context = { ...CONTEXT, language: 'de' }
    await succeed(desk.ask(EVE, context, some('/account/password')))
    await succeed(desk.ask('ADA@example.com', context, some('/account/password')))
    const [first, second, ...others] = await desk.waiting()
    if (first === undefined || second === undefined) throw new Error('a mail is missing')
    expect([others, desk.reads]).to.deep.equal([[], []])
    expect([first.address, second.address]).to.have.members([EVE, 'ADA@example.com'])
    expect(shape(first)).to.deep.equal(shape(second))
    const expected = newMail(
      {
        id: '',
        kind: 'registration',
        userId: none,
        address: EVE,
        language: some('de'),
        applicationId: some(desk.pages.id),
        returnTo: some('/account/password'),
      },
      Date.parse(NOW) / 1_000,
    )
    expect(shape(first)).to.deep.equal(shape(expected))
  })

  it('writes none without a well-formed e-mail', async () => {
    const desk = await newDesk()
    for (const [email, problem] of [
      [undefined, 'EmailMissing'],
      ['', 'EmailMissing'],
      ['eve', 'EmailMalformed'],
      ['a secret, in the wrong field', 'EmailMalformed'],
    ] as const)
      expect(await fail(desk.ask(email))).to.deep.equal({ _tag: 'Invalid', problems: [problem] })
    expect(await desk.waiting()).to.deep.equal([])
  })

  it('writes five an hour for an e-mail, known or not, and notes the sixth without it', async () => {
    const desk = await newDesk()
    for (const email of [EVE, desk.ada.email]) {
      for (let each = 0; each < 5; each += 1) await succeed(desk.ask(email))
      expect(await fail(desk.ask(email.toUpperCase()))).to.deep.include({
        _tag: 'Throttled',
        tooMany: 'mails_to_email',
      })
    }
    expect(await desk.waiting()).to.have.lengthOf(10)
    await desk.background.settle()
    const refused = (await wholeLog(desk.used)).filter(({ type }) => type === 'RegistrationRefused')
    expect(refused.map(({ subject, data }) => [subject, data])).to.deep.equal([
      [{ kind: 'application', id: desk.pages.id }, { codes: [] }],
      [{ kind: 'application', id: desk.pages.id }, { codes: [] }],
    ])
  })

  it('writes no more than the service may mail, or a network may ask for', async () => {
    const desk = await newDesk({ THROTTLE_MAILS: '2', THROTTLE_ADDRESS_FAILURES: '1' })
    const from = (endUserAddress: string) => ({ ...CONTEXT, endUserAddress })
    await succeed(desk.ask('a@example.com', from('192.0.2.1')))
    expect(await fail(desk.ask('b@example.com', from('192.0.2.1')))).to.include({
      tooMany: 'recoveries_from_network',
    })
    await succeed(desk.ask('c@example.com', from('192.0.2.2')))
    expect(await fail(desk.ask('d@example.com', from('192.0.2.3')))).to.include({ tooMany: 'mails' })
  })
})
