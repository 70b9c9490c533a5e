import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { FORM_TYPE, INTROSPECT } from '../support/introspection.ts'
import { basic, clientOf, oauthRefusal, sendForm } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

type Keys = RunningService['keys']

/** The ways to send keys: in the form and in the header. */
const WAYS: ReadonlyArray<
  readonly [how: string, form: (keys: Keys) => object, header: (keys: Keys) => object]
> = [
  ['by Basic', () => ({}), basic],
  ['in the form', clientOf, () => ({})],
]

onMemory('an application that introspects with its API keys', (stores) => {
  let running: RunningService
  let gate: Keys
  let id: string
  let asked: string
  before(async () => {
    running = await startService(await stores.fresh())
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'gate', scope: 'tokens:introspect' }),
    )
    id = made.application.id
    gate = { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }
    asked = await running.userToken()
  })
  after(() => running.stop())

  for (const [how, form, header] of WAYS) {
    const ask = (keys: Keys, parameters: object = { token: asked }) =>
      sendForm(running, INTROSPECT, { ...parameters, ...form(keys) }, { ...header(keys) })

    it(`gets the same response as with a token, ${how}`, async () => {
      const token = await scopedToken(running, 'tokens:introspect')
      const byToken = await sendForm(
        running,
        INTROSPECT,
        { token: asked },
        { authorization: `Bearer ${token}` },
      )
      const { status, body } = await ask(gate)
      expect([status, body]).to.deep.equal([200, byToken.body])
      expect(body).to.include({ active: true, sub: running.user.id })
      expect((await ask(gate, { token: 'nonsense' })).body).to.deep.equal({ active: false })
    })

    it(`requires the scope, ${how}: 403`, async () => {
      const answer = await ask(running.keys)
      expect(answer.status).to.equal(403)
      expect(answer.headers['www-authenticate']).to.equal(
        'Bearer realm="portcullis", error="insufficient_scope", scope="tokens:introspect"',
      )
      expect(answer.body).to.deep.equal(
        oauthRefusal(
          403,
          'insufficient_scope',
          'This operation requires an application token with the scope tokens:introspect.',
        ),
      )
    })

    it(`must send a token to introspect, ${how}: 400`, async () => {
      for (const parameters of [{}, { token: '' }, { token_type_hint: 'access_token' }]) {
        const { status, body } = await ask(gate, parameters)
        expect(status).to.equal(400)
        expect(body).to.deep.equal(oauthRefusal(400, 'invalid_request', 'token is missing or empty.'))
      }
    })
  }

  it('must not authenticate in two ways', async () => {
    const token = await scopedToken(running, 'tokens:introspect')
    const message = 'Send either Authorization or client_secret, not both.'
    for (const headers of [basic(gate), { authorization: `Bearer ${token}` }]) {
      const { status, body } = await sendForm(
        running,
        INTROSPECT,
        { token: asked, ...clientOf(gate) },
        headers,
      )
      expect(status).to.equal(400)
      expect(body).to.deep.equal(oauthRefusal(400, 'invalid_request', message))
    }
  })

  it('is refused for an invalid bearer token despite valid keys', async () => {
    for (const form of [{ token: asked }, { token: asked, ...clientOf(gate) }]) {
      const { status, body } = await sendForm(running, INTROSPECT, form, { authorization: 'Bearer x' })
      expect([status, body.error]).to.deep.equal([401, 'invalid_token'])
    }
  })

  it('records no event and issues no token', async () => {
    const before = await succeed(running.service.store.readEvents({ after: 0, limit: 1000 }))
    const headers = { 'content-type': FORM_TYPE, ...basic(gate) }
    await running.send({ method: 'POST', path: INTROSPECT, body: `token=${asked}`, headers })
    expect(await succeed(running.service.store.readEvents({ after: 0, limit: 1000 }))).to.deep.equal(before)
    expect(await eventsOf(running.service.store, 'ApplicationTokenRefused')).to.deep.equal([])
  })

  it('is refused after its revocation', async () => {
    await succeed(running.service.revokeApplication(CONTEXT, id))
    expect((await sendForm(running, INTROSPECT, { token: asked }, basic(gate))).status).to.equal(401)
  })
})
