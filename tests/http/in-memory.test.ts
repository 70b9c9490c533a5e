import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { isSome, some } from 'fp-ts/lib/Option.js'
import { Client } from 'undici'
import { compose, Dependency, provide, type Service } from '../../adapters/index.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { parseRaw } from '../support/raw-connection.ts'
import { answersIn, requestText } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'
import { type Gate, gate } from '../support/waiting.ts'

describe('the whole service without a file or a socket', () => {
  let service: Service
  let held: Gate
  beforeEach(async () => {
    held = gate()
    const plain: PasswordHasher = {
      hash: (password) => async () => right({ record: password, scheme: 'plain' }),
      verify: (password, record) => async () => {
        await held.pass()
        return right(isSome(record) && record.value === password)
      },
      verifyMs: () => some(1),
      assess: () => 'current' as const,
    }
    service = await compose(
      settings({ DATABASE_URL: 'memory:' }),
      provide(Dependency.passwordHasher, () => plain),
    )
  })
  afterEach(() => service.stop())

  const makeAccounts = async () => {
    const made = await succeed(
      service.registerApplication(CONTEXT, { name: 'tests', scope: 'users:sign_in' }),
    )
    const user = await succeed(service.registerUser(CONTEXT, { email: 'a@b.c', password: 'pw' }, OPERATOR))
    return { keys: { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }, user }
  }

  it('signs a user in with a custom password hasher', async () => {
    held.open()
    const { keys, user } = await makeAccounts()
    const client = new Client('http://memory.test', {
      // undici calls back asynchronously, and its type allows sockets only.
      connect: (_options, done) => queueMicrotask(() => done(null, service.connect() as Socket)),
    })
    const post = async (path: string, fields: object, token: unknown = '') => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
      const { body } = await client.request({ method: 'POST', path, headers, body: JSON.stringify(fields) })
      return (await body.json()) as Record<string, unknown>
    }

    const { token } = await post('/api/v1/auth/application/token', keys)
    const signedIn = await post('/api/v1/auth/user/token', { email: 'A@B.C', password: 'pw' }, token)
    const profile = await post('/api/v1/profile', {}, signedIn.token)

    expect(signedIn.user_id).to.equal(user.id)
    expect(profile).to.deep.equal({ email: 'a@b.c', id: user.id, email_verified: false, roles: [] })
    await client.close()
  })

  it('refuses invalid HTTP and ends the connection', async () => {
    const connection = service.connect()
    connection.write('rubbish\r\n\r\n')
    const answer = parseRaw(await text(connection))
    expect(answer.status).to.equal(400)
    expect(answer.headers.connection).to.equal('close')
  })

  it('answers the request in flight on stop and ends the connection', async () => {
    const { keys } = await makeAccounts()
    const { token } = await succeed(
      service.issueApplicationToken(CONTEXT, {
        publicApiKey: keys.public_api_key,
        privateApiKey: keys.private_api_key,
      }),
    )
    const connection = service.connect()
    let received = ''
    connection.on('data', (chunk) => {
      received += chunk
    })
    const signIn = requestText(
      'POST',
      '/api/v1/auth/user/token',
      ['Content-Type: application/json', `Authorization: Bearer ${token}`],
      '{"email":"a@b.c","password":"pw"}',
    )
    connection.write(signIn.replace('Connection: close\r\n', ''))
    await held.reached
    const stopped = service.stop()
    await setImmediate() // so that it closes everything it does not wait for
    held.open()
    await Promise.all([once(connection, 'end'), stopped])
    expect(answersIn(received).map(({ status }) => status)).to.deep.equal([200])
  })
})
