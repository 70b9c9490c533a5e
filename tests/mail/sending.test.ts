import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { none, some, toUndefined } from 'fp-ts/lib/Option.js'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, Dependency, type Module, provide, WrongSettings } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import { type Mail, newMail } from '../../domain/mail.ts'
import { eventually } from '../support/eventually.ts'
import { startRelay } from '../support/mail-relay.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { settings } from '../support/settings.ts'
import { aUser, change, newId, registered } from '../testkit/builders.ts'
import { listed, put } from '../testkit/outbox/steps.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'

const MAIL = { MAIL_FROM: 'Otterworks <noreply@example.com>', MAIL_CONTACT: 'help@example.com' }
const plain = provide(Dependency.passwordHasher, () => plainHasher())

/** Addresses whose local part begins like this. */
const to = (name: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, each) => `${name}${each}@example.com`)

/** A storage with notices that wait for a user, in this order. */
const waitingMails = async (addresses: ReadonlyArray<string>) => {
  const { store, outbox } = memoryStorage()
  const user = aUser({ passwordRecord: '', passwordScheme: '' })
  await commitAll(store, change(registered(user)))
  const now = Math.floor(Date.now() / 1000)
  const mailTo = (address: string): Mail =>
    newMail({ id: newId(), kind: 'password_changed', userId: some(user.id), address, language: none }, now)
  await put(outbox, ...addresses.map(mailTo))
  return {
    store,
    mails: () => listed(outbox),
    storage: provide(Dependency.storage, () => ({ store, outbox })),
  }
}

const serviceOn = (relayPort: number, storage: Module, environment: Environment = {}) =>
  compose(settings({ ...MAIL, MAIL_URL: `smtp://127.0.0.1:${relayPort}`, ...environment }), storage, plain)

describe('a service with MAIL_URL', () => {
  it('sends the notice of a change through the relay, from SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mails-'))
    const relay = await startRelay()
    const service = await compose(
      settings({
        ...MAIL,
        DATABASE_URL: `sqlite:${join(folder, 'store.db')}`,
        MAIL_URL: `smtp://127.0.0.1:${relay.port}`,
      }),
      plain,
    )
    try {
      await service.listen('127.0.0.1', 0)
      const { email } = await succeed(
        service.registerUser({}, { email: 'ada@example.com', password: 'old' }, OPERATOR),
      )
      const operations = service as unknown as Pick<typeof service, 'setPassword'>
      await succeed(operations.setPassword({}, { user: email, password: 'new' }))
      await eventually('the mail', async () => relay.taken[0])
      expect(relay.taken[0]?.to).to.deep.equal(['ada@example.com'])
      await eventually('the event', async () => {
        const events = await succeed(service.store.readEvents({ after: 0, limit: 100 }))
        return events.find(({ type }) => type === 'MailSent')
      })
    } finally {
      await service.stop()
      await relay.stop()
      rmSync(folder, { recursive: true })
    }
  })

  it('sends 100 mails after 100 refused and 50 greylisted ones, and tries each once', async () => {
    const { storage, mails } = await waitingMails([
      ...to('refused', 100),
      ...to('greylisted', 50),
      ...to('good', 100),
    ])
    const relay = await startRelay({}, (address) =>
      /^refused/.test(address)
        ? 'refuses_recipient'
        : /^greylisted/.test(address)
          ? 'postpones_recipient'
          : 'takes',
    )
    const service = await serviceOn(relay.port, storage)
    try {
      await service.listen('127.0.0.1', 0)
      await eventually('the good ones', async () => relay.taken[99])
      await eventually('the others', async () => ((await mails()).length === 150 ? true : undefined))
      const codes = (await mails()).map(({ state, attempts, code }) => [state, attempts, toUndefined(code)])
      expect(codes).to.have.deep.members([
        ...Array(100).fill(['failed', 1, '550']),
        ...Array(50).fill(['waiting', 1, '450']),
      ])
      const commands = relay
        .received()
        .join('')
        .match(/^RCPT TO/gm)
      expect([commands?.length, relay.taken.length]).to.deep.equal([250, 100])
    } finally {
      await service.stop()
      await relay.stop()
    }
  })

  it('that is stopped, settles the mail that is on its way, and begins no other one', async () => {
    const { storage, mails, store } = await waitingMails(to('reader', 20))
    let goOn = (): void => {}
    const gate = new Promise<'takes'>((resolve) => {
      goOn = () => resolve('takes')
    })
    let arrived = 0
    const relay = await startRelay({}, (address) => {
      if (address !== '') arrived += 1
      return arrived > 1 ? gate : 'takes'
    })
    const service = await serviceOn(relay.port, storage, { MAIL_CONNECTIONS: '1' })
    await service.listen('127.0.0.1', 0)
    await eventually('the letter', async () => (arrived === 2 ? true : undefined)) // at RCPT, and after DATA
    let sent: ReadonlyArray<string> = []
    let left = 0
    const { close } = store
    store.close = async () => {
      sent = (await wholeLog(store)).map(({ type }) => type).filter((type) => type === 'MailSent')
      left = (await mails()).length
      return close()
    }
    const stopping = service.stop()
    goOn()
    await stopping
    expect([relay.taken.length, sent, left]).to.deep.equal([1, ['MailSent'], 19])
    await relay.stop()
  })

  for (const [what, environment, asked] of [
    ['with MAIL_URL', { ...MAIL, MAIL_URL: 'smtp://127.0.0.1:1' }, ['claim']],
    ['without MAIL_URL', {}, []],
  ] as const)
    it(`${what} asks the outbox ${asked.length === 0 ? 'never' : 'once a second'}`, async () => {
      const called = new Set<string>()
      const { store, outbox } = memoryStorage()
      const watched = new Proxy(outbox, {
        get: (target, name, self) => {
          const method = Reflect.get(target, name, self)
          return (...given: ReadonlyArray<unknown>) => {
            called.add(String(name))
            return method.apply(target, given)
          }
        },
      })
      const repeated: Array<() => void> = []
      const { setInterval } = globalThis
      globalThis.setInterval = ((work: () => void, milliseconds: number) => {
        if (milliseconds === 1_000) repeated.push(work)
        return setInterval(work, milliseconds)
      }) as typeof setInterval
      const storage = provide(Dependency.storage, () => ({ store, outbox: watched }))
      const service = await compose(settings(environment), storage, plain)
      try {
        await service.listen('127.0.0.1', 0)
        for (const work of repeated) work()
        await service.stop()
      } finally {
        globalThis.setInterval = setInterval
      }
      expect([...called].filter((name) => asked.length === 0 || name === 'claim')).to.deep.equal(asked)
    })

  it('does not start on a storage without an outbox', async () => {
    const withoutOutbox = provide(Dependency.storage, () => ({ store: memoryStore() }))
    const composed = compose(settings({ ...MAIL, MAIL_URL: 'smtp://127.0.0.1:1' }), withoutOutbox, plain)
    const error = await composed.then(
      () => undefined,
      (failure: unknown) => failure,
    )
    expect(error).to.be.instanceOf(WrongSettings)
    expect(String(error)).to.include('MAIL_URL requires a storage with the port Outbox')
  })
})
