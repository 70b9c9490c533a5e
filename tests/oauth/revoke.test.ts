import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { FORM_TYPE } from '../support/introspection.ts'
import { basic, clientOf, oauthRefusal, oauthUnavailable, REVOKE, sendForm } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { withService } from '../support/with-service.ts'

const DONE = [
  'HTTP/1.1 200 OK',
  'Cache-Control: no-store',
  'X-Content-Type-Options: nosniff',
  'Content-Length: 0',
  'Connection: close',
  '',
  '',
].join('\r\n')

const FULL = left<StoreUnavailable>({ _tag: 'StoreUnavailable', reason: 'SQLITE_FULL' })

onMemory('POST /oauth2/revoke', (stores) => {
  let running: RunningService
  let others: RunningService['keys']
  before(async () => {
    running = await startService(await stores.fresh())
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'other', scope: 'users:sign_in' }),
    )
    others = { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }
  })
  after(() => running.stop())

  const revoke = (token: string, keys = running.keys) => sendForm(running, REVOKE, { token }, basic(keys))
  const isValid = async (token: string): Promise<boolean> => {
    const path = token.startsWith('v4.') ? '/api/v1/profile' : '/api/v1/users'
    return (await running.send({ method: 'POST', path, token })).status !== 401
  }

  const OWN: ReadonlyArray<readonly [what: string, token: () => Promise<string>]> = [
    ['the application’s own token', () => running.applicationToken()],
    ['the token of a user that it signed in', () => running.userToken()],
  ]
  for (const [what, get] of OWN) {
    it(`revokes ${what} and no other`, async () => {
      const [token, another] = [await get(), await get()]
      expect((await revoke(token)).status).to.equal(200)
      expect(await isValid(token)).to.equal(false)
      expect(await isValid(another)).to.equal(true)
    })

    it(`revokes ${what} with any hint and with the keys in the form`, async () => {
      for (const hint of ['access_token', 'refresh_token', 'nonsense', '']) {
        const token = await get()
        const form = { token, token_type_hint: hint, ...clientOf(running.keys) }
        expect((await sendForm(running, REVOKE, form)).status).to.equal(200)
        expect(await isValid(token), hint).to.equal(false)
      }
    })
  }

  it('returns the same bytes for any token', async () => {
    const ended = await running.userToken()
    await revoke(ended)
    const tokens = [
      await running.applicationToken(),
      await running.userToken(),
      ended,
      'nonsense',
      `${await running.userToken()}x`,
      'v4.public.',
      '\0',
      '🛒',
    ]
    for (const keys of [running.keys, others]) {
      for (const token of tokens) {
        const body = new URLSearchParams({ token }).toString()
        const headers = [`Content-Type: ${FORM_TYPE}`, `Authorization: ${basic(keys).authorization}`]
        const answer = await sendRaw(running.port, requestText('POST', REVOKE, headers, body))
        expect(withoutDateAndId(answer), token).to.equal(DONE)
      }
    }
  })

  const MALFORMED: ReadonlyArray<readonly [what: string, form: string, message: string]> = [
    ['no token', 'token_type_hint=access_token', 'token is missing or empty.'],
    ['an empty token', 'token=', 'token is missing or empty.'],
    ['two tokens', 'token=a&token=b', 'token appears more than once.'],
  ]
  for (const [what, form, message] of MALFORMED) {
    it(`refuses ${what}`, async () => {
      const { status, body } = await sendForm(running, REVOKE, form, basic(running.keys))
      expect(status).to.equal(400)
      expect(body).to.deep.equal(oauthRefusal(400, 'invalid_request', message))
    })
  }

  it('does not accept the token itself as authentication', async () => {
    const token = await running.applicationToken()
    const answer = await sendForm(running, REVOKE, { token }, { authorization: `Bearer ${token}` })
    expect([answer.status, answer.body.error]).to.deep.equal([401, 'invalid_client'])
    expect(await isValid(token)).to.equal(true)
  })

  it('returns 503 while the store cannot write, and the token stays valid', async () => {
    let isFull = false
    const modules = await stores.behind((store) => ({
      ...store,
      commit: (change) => async () => (isFull ? FULL : store.commit(change)()),
    }))
    await withService(
      {},
      async (other) => {
        const token = await other.userToken()
        isFull = true
        const { status, headers, body } = await sendForm(other, REVOKE, { token }, basic(other.keys))
        expect([status, headers['retry-after']]).to.deep.equal([503, '5'])
        expect(body).to.deep.equal(oauthUnavailable('The store is not available now.'))
        expect((await other.send({ method: 'GET', path: '/api/v1/profile', token })).status).to.equal(200)
      },
      ...modules,
    )
  })
})
