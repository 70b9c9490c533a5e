import { expect } from 'chai'
import { FORM_TYPE, INTROSPECT, introspection } from '../support/introspection.ts'
import { oauthRefusal, WRONG_CLIENT } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

const NO_CLIENT = {
  status: 401,
  challenge: 'Bearer realm="portcullis", Basic realm="portcullis"',
  body: WRONG_CLIENT,
}
const INVALID_TOKEN = {
  status: 401,
  challenge: 'Bearer realm="portcullis", error="invalid_token", error_description="The token is not valid"',
  body: oauthRefusal(401, 'invalid_token', 'The token is invalid, expired or revoked. Get a new one.'),
}

onMemory('authorization of introspection', (stores) => {
  let running: RunningService
  let gate: string
  let asked: string
  before(async () => {
    running = await startService(await stores.fresh())
    gate = await scopedToken(running, 'tokens:introspect')
    asked = await running.userToken()
  })
  after(() => running.stop())

  const ask = async (bearer: string | undefined, headers = {}, form = `token=${asked}`) => {
    const answer = await introspection(running, bearer, { form }, headers)
    return { status: answer.status, challenge: answer.headers['www-authenticate'], body: answer.body }
  }

  it('refuses a bearer token in the form', async () => {
    for (const name of ['access_token', 'client_assertion', 'bearer']) {
      expect(await ask(undefined, {}, `token=${asked}&${name}=${gate}`)).to.deep.equal(NO_CLIENT)
    }
    expect(await ask(undefined, {}, `token=${gate}`)).to.deep.equal(NO_CLIENT)
  })

  it('refuses an invalid bearer token, regardless of the token in the form', async () => {
    for (const bearer of ['nonsense', `${gate}x`, gate.slice(0, -4)]) {
      expect(await ask(bearer)).to.deep.equal(INVALID_TOKEN)
    }
  })

  it('describes only the token in the form, not the one in the header', async () => {
    expect((await ask(gate, {}, 'token=nonsense')).body).to.deep.equal({ active: false })
    expect((await ask(gate, {}, '')).status).to.equal(400)
  })

  it('reads the token from a form only: not from a query or JSON', async () => {
    const path = `${INTROSPECT}?token=${asked}`
    const headers = { 'content-type': FORM_TYPE }
    const query = await running.send({ method: 'POST', path, token: gate, body: 'x=y', headers })
    expect([query.status, query.body.message]).to.deep.equal([400, 'token is missing or empty.'])
    const json = await running.send({ method: 'POST', path: INTROSPECT, token: gate, body: { token: asked } })
    expect([json.status, json.headers.accept]).to.deep.equal([415, FORM_TYPE])
  })
})
