import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { compose, Dependency, provide, WrongSettings } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { eventually } from '../support/eventually.ts'
import { startRelay } from '../support/mail-relay.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { settings } from '../support/settings.ts'

const MAIL = { MAIL_FROM: 'Otterworks <noreply@example.com>', MAIL_CONTACT: 'help@example.com' }
const plain = provide(Dependency.passwordHasher, () => plainHasher())

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
