import { expect } from 'chai'
import { type Portcullis, PortcullisUnavailable, portcullis } from '../../adapters/client/client.ts'
import { type ClientWorld, openClientWorld, successOf } from './client-world.ts'

/** What a program compares. Messages are for people. */
const withoutMessages = (result: object): unknown =>
  JSON.parse(JSON.stringify(result, (name, value) => (name === 'message' ? undefined : value)))

const refusal = (name: string, code: number) => ({
  ok: false,
  refusal: name,
  problems: [{ field: '', reason: name, code }],
})

describe('a refusal by the service, as the client returns it', () => {
  let world: ClientWorld
  let auth: Portcullis
  before(async () => {
    world = await openClientWorld()
    auth = await world.clientOf()
  })
  after(() => world.stop())

  const newSession = async () => {
    const user = await world.newUser()
    const { token } = successOf(await auth.signIn({ email: user.email, password: user.password }))
    return { user, mine: auth.user(token) }
  }

  const CASES: ReadonlyArray<readonly [what: string, ask: () => Promise<object>, expected: object]> = [
    [
      'a wrong password',
      async () => auth.signIn({ email: (await world.newUser()).email, password: 'wrong' }),
      { ok: false, problems: [{ field: 'password', reason: 'wrong_password', code: 3 }] },
    ],
    [
      'missing fields, all of them',
      async () =>
        (await newSession()).mine.changePassword({
          oldPassword: undefined,
          newPassword: undefined,
          newPasswordCheck: undefined,
        }),
      {
        ok: false,
        problems: [
          { field: 'oldPassword', reason: 'missing', code: 1 },
          { field: 'newPassword', reason: 'missing', code: 2 },
          { field: 'newPasswordCheck', reason: 'missing', code: 3 },
        ],
      },
    ],
    [
      'too many requests',
      async () => {
        const email = 'stranger@example.com'
        for (let count = 0; count < 5; count += 1) successOf(await auth.startRecovery({ email }))
        return auth.startRecovery({ email })
      },
      { ...refusal('throttled', 429), retryAfter: 3600 },
    ],
    ['an unknown user token', () => auth.user('v4.public.none').getProfile(), refusal('invalid_token', 401)],
    [
      'a user token that no header can carry',
      () => auth.user('ü').getProfile(),
      refusal('invalid_token', 401),
    ],
    [
      'an application token in place of a user token',
      async () => auth.user(successOf(await auth.issueOauthToken()).accessToken).getProfile(),
      refusal('insufficient_scope', 403),
    ],
    [
      'a change of factors long after the sign-in',
      async () => {
        const { mine } = await newSession()
        world.passSeconds(3600)
        return mine.startTotpEnrolment()
      },
      { ...refusal('insufficient_user_authentication', 401), maxAge: 600, acr: 'aal1' },
    ],
  ]
  for (const [what, ask, expected] of CASES) {
    it(`names ${what}`, async () => {
      const result = await ask()
      expect(withoutMessages(result)).to.deep.equal(expected)
      for (const { message } of (result as { problems: ReadonlyArray<{ message: string }> }).problems)
        expect(message).to.match(/\w/)
    })
  }

  const THROWN: ReadonlyArray<readonly [what: string, ask: () => Promise<unknown>, expected: object]> = [
    [
      'WrongApiKeys',
      () => portcullis({ url: world.url, publicApiKey: 'pk_no', privateApiKey: 'sk_no' }).searchUsers(),
      { name: 'WrongApiKeys' },
    ],
    [
      'WrongApiKeys of an operation that takes them',
      () => portcullis({ url: world.url, publicApiKey: 'pk_no', privateApiKey: 'sk_no' }).issueOauthToken(),
      { name: 'WrongApiKeys' },
    ],
    [
      'RequestRefused for a malformed address',
      () => auth.signIn({ email: 'a@example.com', password: 'a' }, { endUserAddress: 'nowhere' }),
      { name: 'RequestRefused', status: 400 },
    ],
    [
      'RequestRefused for a scope that the application lacks, with what to do',
      async () => (await world.clientOf('users:sign_in')).searchUsers(),
      {
        name: 'RequestRefused',
        status: 403,
        message:
          'Portcullis answered 403: This operation requires an application token with the scope users:read. Give the application this scope beside its others: portcullis application set ID --scope SCOPES',
      },
    ],
    [
      'RequestRefused for API keys whose application may not introspect',
      async () => (await world.clientOf('users:sign_in')).introspect({ token: 'any' }),
      { name: 'RequestRefused', status: 403 },
    ],
    ['CursorEnded', () => auth.readFeed({ after: '00000000:7' }), { name: 'CursorEnded', first: 1 }],
  ]
  for (const [what, ask, expected] of THROWN) {
    it(`or throws ${what}`, async () => {
      const error = await ask().then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error).to.be.an.instanceOf(Error).and.to.include(expected)
      expect(error).not.to.be.an.instanceOf(PortcullisUnavailable)
    })
  }

  it('or throws for a page of users, which has no place for it', async () => {
    const narrow = await world.clientOf('users:sign_in')
    const error = await narrow
      .users()
      .next()
      .catch((thrown: unknown) => thrown)
    expect(error).to.include({ name: 'RequestRefused', status: 403 })
  })
})
