import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type Portcullis, portcullis } from '../../adapters/client/client.ts'
import { ROOT } from '../architecture/root.ts'
import { FACTOR_SETTINGS, factorDesk } from '../support/factor-desk.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const CLIENT_ID = 'product.apps.googleusercontent.com'

/** Google, as far as an ID token shows it. */
const google = async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: '1', alg: 'RS256' }] })
  const idToken = (claims: object = {}) =>
    new SignJWT({
      iss: 'https://accounts.google.com',
      aud: CLIENT_ID,
      sub: '1101',
      nonce: 'n',
      email: 'bob@example.com',
      email_verified: true,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: '1' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey)
  return { keys, idToken }
}

describe('the example that signs users in with Google', () => {
  let running: RunningService
  let auth: Portcullis
  let ours: Awaited<ReturnType<typeof google>>
  let linked: Map<string, string>
  let signIn: (claims?: object, token?: string) => Promise<Record<string, unknown>>
  beforeEach(async () => {
    running = await startService({ ...FACTOR_SETTINGS })
    const scope = 'users:vouch users:sign_in users:register users:confirm_email'
    const made = await succeed(running.service.registerApplication(CONTEXT, { name: 'product', scope }))
    auth = portcullis({ url: `http://127.0.0.1:${running.port}`, ...made })
    ours = await google()
    linked = new Map()
    const { signInWithGoogle } = await import(
      pathToFileURL(join(ROOT, 'tests/examples/google/google.mjs')).href
    )
    const links = {
      userOf: async (provider: string, sub: string) => linked.get(`${provider} ${sub}`),
      add: async (provider: string, sub: string, id: string) => void linked.set(`${provider} ${sub}`, id),
    }
    signIn = async (claims, token) =>
      signInWithGoogle(
        { auth, keys: ours.keys, clientId: CLIENT_ID, links },
        { idToken: token ?? (await ours.idToken(claims)), nonce: 'n' },
        { label: 'Firefox' },
      )
  })
  afterEach(() => running.stop())

  it('registers new users without a password, and knows them again by their subject', async () => {
    const first = await signIn()
    expect(first).to.deep.include({ ok: true, emailVerified: true, amr: ['vouched', 'fed'] })
    const moved = await signIn({ email: 'bob@example.org' })
    expect(moved).to.deep.include({ ok: true, userId: first.userId })
    const stranger = await signIn({ sub: '2202', email: 'bob@example.org' })
    expect(stranger.userId).to.not.equal(first.userId)
  })

  it('gives the owner an account that another person registered first', async () => {
    const guessed = { email: 'bob@example.com', password: 'guessed' }
    const registered = await auth.registerUser(guessed)
    expect(await signIn(), 'Google does not own the domain').to.have.nested.property(
      'problems[0].reason',
      'taken',
    )
    expect([linked.size, (await auth.signIn(guessed)).ok]).to.deep.equal([0, true])
    const owner = await signIn({ hd: 'example.com' })
    expect(owner).to.deep.include({ ok: true, userId: registered.ok && registered.id })
    expect((await auth.signIn(guessed)).ok).to.equal(false)
  })

  it('asks for the second factor of the user', async () => {
    const { token, userId } = await signIn()
    await factorDesk(running, Date.now).enrol(String(token))
    expect(await signIn()).to.include({ ok: false, refusal: 'second_factor' })
    linked.clear()
    const { refusal, link } = await signIn({ hd: 'example.com' })
    expect([refusal, linked.size]).to.deep.equal(['second_factor', 0])
    await (link as (id: unknown) => Promise<void>)(userId)
    expect(linked.get('google 1101')).to.equal(userId)
  })

  it('takes no e-mail that Google has not verified', async () => {
    for (const email_verified of [false, 'true', 'false', 1, undefined])
      expect(await signIn({ email_verified }), String(email_verified)).to.have.nested.property(
        'problems[0].reason',
        'email_not_verified',
      )
    expect(linked.size).to.equal(0)
  })

  it('takes no ID token of another request, product, provider or key', async () => {
    const foreign = await google()
    const refused = async (claims: object, token?: string) =>
      signIn(claims, token).then(
        () => false,
        () => true,
      )
    for (const claims of [
      { nonce: 'other' },
      { nonce: undefined },
      { aud: 'x' },
      { iss: 'https://evil.example' },
      { sub: undefined },
    ])
      expect(await refused(claims), JSON.stringify(claims)).to.equal(true)
    expect(await refused({}, await foreign.idToken())).to.equal(true)
    expect(linked.size).to.equal(0)
  })
})
