import { expect } from 'chai'
import type { HashedPassword } from '../../domain/user.ts'
import { eventually } from '../support/eventually.ts'
import { foreignRecords } from '../support/foreign-records.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const PASSWORD = 'Zoë’s correct horse'

onMemory('a user with a password record of another system', (stores) => {
  let running: RunningService
  let store: Awaited<ReturnType<typeof stores.lasting>>['store']
  let users: ReadonlyArray<HashedPassword & Readonly<{ email: string }>>
  beforeEach(async () => {
    const lasting = await stores.lasting()
    store = lasting.store
    running = await startService(lasting.environment, ...lasting.modules)
    users = (await foreignRecords(PASSWORD)).map((hashed, index) => ({
      ...hashed,
      email: `user${index}@example.com`,
    }))
    for (const { email, record, scheme } of users)
      await commitAll(
        store,
        change(registered(aUser({ email, passwordRecord: record, passwordScheme: scheme }))),
      )
  })
  afterEach(() => running.stop())

  const signIn = async (email: string, password: string) =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: await running.applicationToken(),
      body: { email, password },
    })

  const stored = async (email: string) => {
    const found = await succeed(store.findUserByEmail(email))
    if (found._tag === 'None') throw new Error(email)
    return found.value
  }

  it('signs in, and the record is replaced by our own', async () => {
    for (const { email, record, scheme } of users) {
      expect((await signIn(email, `${PASSWORD}\0`)).status, scheme).to.equal(422)
      expect((await stored(email)).passwordRecord).to.equal(record)
      const { status, body } = await signIn(email, PASSWORD)
      expect(status, scheme).to.equal(200)
      const user = await eventually(`a new record for ${scheme}`, async () => {
        const found = await stored(email)
        return found.passwordRecord === record ? undefined : found
      })
      expect(user.passwordRecord).to.match(/^1\$\$/)
      expect(user.passwordScheme).to.match(/^scrypt ln=/)
      const profile = await running.send({ method: 'GET', path: '/api/v1/profile', token: body.token })
      expect(profile.status, 'the session of that sign-in').to.equal(200)
      expect((await signIn(email, PASSWORD)).status, 'with the new record').to.equal(200)
      expect((await signIn(email, 'wrong')).status).to.equal(422)
    }
    const schemes = await succeed(store.listPasswordSchemes({ after: '', limit: 100 }))
    expect(schemes).to.have.lengthOf(1)
  })

  it('keeps a bcrypt record after a sign-in with 72 bytes or more, so no other ending becomes the password', async () => {
    const real = `${'é'.repeat(36)} the real ending`
    const records = (await foreignRecords(real)).filter(({ scheme }) => scheme === 'bcrypt:4')
    const emailOf = (index: number) => `long${index}@example.com`
    for (const [index, { record, scheme }] of records.entries()) {
      const user = aUser({ email: emailOf(index), passwordRecord: record, passwordScheme: scheme })
      await commitAll(store, change(registered(user)))
      for (const password of [`${'é'.repeat(36)} a mistyped ending`, 'é'.repeat(36), real])
        expect((await signIn(user.email, password)).status, `${record} ${password}`).to.equal(200)
    }
    // Records are replaced one at a time, so this one is replaced after all others.
    await signIn('user0@example.com', PASSWORD)
    await eventually('the next record', async () => {
      const { passwordRecord } = await stored('user0@example.com')
      return passwordRecord.startsWith('1$') || undefined
    })
    for (const [index, { record }] of records.entries())
      expect((await stored(emailOf(index))).passwordRecord).to.equal(record)
  })

  it('gets the same bytes for a wrong password as an unknown e-mail', async () => {
    const token = await running.applicationToken()
    const answerTo = async (email: string) => {
      const head = ['Content-Type: application/json', `Authorization: Bearer ${token}`]
      const body = JSON.stringify({ email, password: 'wrong' })
      return withoutDateAndId(
        await sendRaw(running.port, requestText('POST', '/api/v1/auth/user/token', head, body)),
      )
    }
    const unknown = await answerTo('unknown@example.com')
    expect(unknown).to.match(/^HTTP\/1\.1 422 /)
    for (const { email, scheme } of users) expect(await answerTo(email), scheme).to.equal(unknown)
  })

  it('delays the failed sign-ins of unknown e-mails by the time of its scheme', async () => {
    const milliseconds = async (): Promise<number> => {
      const startedAt = performance.now()
      expect((await signIn('unknown@example.com', 'wrong')).status).to.equal(422)
      return performance.now() - startedAt
    }
    const passwordRecord = users[0]?.record ?? ''
    const withScheme = (passwordScheme: string) => registered(aUser({ passwordRecord, passwordScheme }))
    // More schemes than one page has precede it by name.
    const schemes = Array.from({ length: 700 }, (_, index) => withScheme(`argon2d:m=64,t=${1 + index},p=1`))
    await commitAll(store, change(withScheme('argon2i:m=65536,t=15,p=1'), ...schemes))
    // The estimate of this scheme is 590 ms, until one of its records is verified.
    expect(await milliseconds()).to.be.at.least(590)
    const user = { ...aUser(), passwordRecord, passwordScheme: 'argon2i:m=65536,t=25,p=1' }
    await commitAll(store, change({ _tag: 'UserImported', user, createdAtSeconds: 0 }))
    expect(await milliseconds(), 'after an import').to.be.at.least(980)
  })
})
