import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import type { Store } from '../../application/ports/store.ts'
import { capturedLog } from '../support/captured-log.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

const KEY_ENCRYPTION_KEY = { id: '2026', secret: 'a key-encryption key for the log'.replaceAll(' ', '-') }

/** All fields that a log line about a request may have. */
const FIELDS = ['level', 'time', 'msg', 'request_id', 'method', 'route', 'status', 'duration_ms']

onMemory('the log of requests', (stores) => {
  const { log, lines } = capturedLog()
  let store: Store
  let running: RunningService
  let broken = false
  before(async () => {
    store = (await stores.lasting()).store
    running = await startService(
      { KEY_ENCRYPTION_KEY: `${KEY_ENCRYPTION_KEY.id}:${KEY_ENCRYPTION_KEY.secret}` },
      provide(Dependency.log, () => log),
      provide(Dependency.storage, () => ({
        store: {
          ...store,
          commit: (change) =>
            broken
              ? async () => left({ _tag: 'StoreUnavailable', reason: 'the disk is full' } as const)
              : store.commit(change),
        },
      })),
    )
  })
  after(() => running.stop())

  const linesOf = (id: string): ReadonlyArray<Record<string, unknown>> =>
    lines.filter((line) => line.includes(`"${id}"`)).map((line) => JSON.parse(line))

  const send = (method: string, path: string, id: string) =>
    running.send({ method, path, headers: { 'x-request-id': id } })

  it('has one line for each response, with exactly these fields', async () => {
    await send('GET', '/healthz', 'one-line')
    const [line = {}, ...more] = linesOf('one-line')
    expect(more).to.deep.equal([])
    expect(line).to.have.all.keys(...FIELDS)
    const { level, time, duration_ms, ...rest } = line
    expect(rest).to.deep.equal({
      request_id: 'one-line',
      method: 'GET',
      route: '/healthz',
      status: 200,
      msg: 'answered',
    })
    expect(duration_ms).to.be.a('number').that.is.at.least(0)
  })

  it('names the route pattern, and no route for an unknown path', async () => {
    await send('POST', '/api/v1/profile?x=secret-path', 'a-route')
    await send('PUT', '/api/v1/profile', 'a-method')
    await send('GET', '/api/v1/secret-path', 'no-route')
    expect(linesOf('a-route')[0]).to.deep.include({ route: '/api/v1/profile', status: 401 })
    expect(linesOf('a-method')[0]).to.deep.include({ route: '/api/v1/profile', status: 405 })
    expect(linesOf('no-route')[0]).not.to.have.property('route')
    expect(lines.filter((line) => line.includes('secret-path'))).to.deep.equal([])
  })

  it('includes the cause of an internal failure', async () => {
    broken = true
    await running.send({
      method: 'POST',
      path: '/api/v1/auth/application/token',
      body: running.keys,
      headers: { 'x-request-id': 'broken' },
    })
    broken = false
    const [line = {}] = linesOf('broken')
    expect(line).to.have.all.keys(...FIELDS, 'cause')
    expect(line).to.include({ status: 503, cause: 'the disk is full' })
  })

  it('has a line for requests that the parser refuses, under the response’s request id', async () => {
    const answer = await sendRaw(running.port, 'rubbish\r\n\r\n')
    const id = /x-request-id: (.*)\r\n/i.exec(answer)?.[1] ?? ''
    const [line = {}, ...more] = linesOf(id)
    expect(more).to.deep.equal([])
    expect(line).to.have.all.keys('level', 'time', 'msg', 'request_id', 'status', 'cause')
    expect(line).to.include({ status: 400, msg: 'refused' })
  })

  /** One-time tokens for the user, each of which was sent twice and then mistyped. */
  const usedOnce = async (): Promise<ReadonlyArray<string>> => {
    const token = await scopedToken(running, 'users:recover users:confirm_email')
    const { id: user_id, email, password } = running.user
    const tokens: Array<string> = []
    for (const [path, body] of [
      ['/api/v1/users/email_confirmation', { user_id, email }],
      ['/api/v1/users/recovery', { email }],
    ] as const) {
      const started = await running.send({ method: 'POST', path, token, body })
      tokens.push(started.body.token)
      for (const [text, status] of [
        [started.body.token, 200],
        [started.body.token, 422],
        [`${started.body.token}x`, 422],
      ]) {
        const fields = { token: text, new_password: password, new_password_check: password }
        const answer = await running.send({ method: 'POST', path: `${path}/complete`, body: fields })
        expect(answer.status).to.equal(status)
      }
    }
    return tokens
  }

  it('never contains a password, key, token or e-mail, wherever it is sent', async () => {
    const password = 'correct horse'
    const email = 'ada@example.com'
    const applicationToken = await running.applicationToken()
    const userToken = await running.userToken()
    const { public_api_key: publicKey, private_api_key: privateKey } = running.keys
    const sent = [password, 'battery', email, applicationToken, userToken, publicKey, privateKey]
    const portal = await scopedToken(running, 'users:vouch users:roles users:attributes users:read')
    const secrets = [
      ...sent,
      portal,
      KEY_ENCRYPTION_KEY.secret,
      ...(await signingKeys(store)),
      ...(await usedOnce()),
    ]
    const everything = encodeURIComponent(sent.join(' '))
    const named = { user_id: running.user.id, method: 'fed', label: 'battery', add: ['battery'] }
    const all = { email, password, token: userToken, ...running.keys }

    for (const method of ['GET', 'POST', 'DELETE']) {
      for (const path of [
        '/api/v1/auth/application/token',
        '/api/v1/auth/user/token',
        '/api/v1/auth/user/token/renew',
        '/api/v1/auth/user/vouched',
        '/api/v1/users',
        '/api/v1/profile',
        '/api/v1/profile/change_password',
        '/api/v1/profile/sessions',
        '/api/v1/profile/sessions/end',
        '/api/v1/profile/step_up',
        '/api/v1/profile/factors',
        '/api/v1/profile/factors/rename',
        '/api/v1/profile/factors/remove',
        '/api/v1/profile/attributes',
        '/api/v1/profile/remove',
        '/api/v1/users/search',
        '/api/v1/users/show',
        '/api/v1/users/roles',
        '/api/v1/users/attributes',
        '/api/v1/users/disable',
        '/healthz',
        `/${everything}`,
      ]) {
        for (const [token, body, type] of [
          [undefined, JSON.stringify(all), 'application/json'],
          [applicationToken, JSON.stringify({ ...all, password: 'battery' }), 'application/json'],
          [portal, JSON.stringify({ ...named, name: password, role: 'battery' }), 'application/json'],
          [`${userToken}x`, JSON.stringify(all), 'text/plain'],
          [applicationToken, `{"password":"${password}`, 'application/json'],
          [applicationToken, `${password}${' '.repeat(16 * 1024)}`, email],
          [
            userToken,
            JSON.stringify({ old_password: password, new_password: 'battery' }),
            'application/json',
          ],
        ] as const) {
          await running.send({
            method,
            path: `${path}?${everything}`,
            ...(token === undefined ? {} : { token: token }),
            body,
            headers: {
              'content-type': type,
              'x-request-id': email,
              'user-agent': password,
              referer: `https://${email}/?${everything}`,
              cookie: `token=${userToken}`,
              'x-forwarded-for': publicKey,
            },
          })
        }
      }
    }
    for (const text of [
      `${password}\r\n\r\n`,
      requestText('GET', `http://${email}/${password.replace(' ', '')}`),
      requestText('GET', `http://[${email}/${everything}`),
      requestText('GET', '/healthz', [`Expect: ${password}`]),
      requestText('GET', '/healthz', [`${email}: ${password}`]),
      requestText('GET', '/healthz', [`Host: ${email}`]),
      requestText('GET', '/healthz', [`X: ${password.repeat(2000)}`]),
      requestText('CONNECT', `${email}:443`),
      requestText('POST', '/api/v1/profile', ['Transfer-Encoding: chunked']) + password,
    ]) {
      await sendRaw(running.port, text)
    }
    const leaving = connect(running.port, '127.0.0.1')
    leaving.end(
      `POST /api/v1/auth/application/token HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n${password}`,
    )
    leaving.resume()
    await once(leaving, 'close')

    expect(lines.length).to.be.above(200)
    for (const line of lines) expect([...FIELDS, 'cause']).to.include.members(Object.keys(JSON.parse(line)))
    for (const secret of [...secrets, everything]) {
      const found = lines.filter((line) => line.toLowerCase().includes(secret.toLowerCase()))
      expect(found, secret).to.deep.equal([])
    }
  })
})

/** The secrets of the signing keys, as stored and as used. */
const signingKeys = async (store: Store): Promise<ReadonlyArray<string>> => {
  const keys = await succeed(store.listSigningKeys())
  const wrapping = aesKeyWrapping([KEY_ENCRYPTION_KEY])
  const plain = keys.map((key) => O.getOrElse(() => '')(O.fromEither(wrapping.unwrap(key.material, key))))
  const [jwk = '', paserk = ''] = plain
  expect(paserk).to.match(/^k4\.secret\./)
  return [...keys.map(({ material }) => material), jwk, paserk, JSON.parse(jwk).d]
}
