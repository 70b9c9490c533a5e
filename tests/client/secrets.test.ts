import { inspect } from 'node:util'
import { expect } from 'chai'
import { portcullis } from '../../adapters/client/client.ts'
import { CALLS, SECRET } from './calls.ts'
import {
  answer,
  applicationToken,
  dropAnswering,
  dropRead,
  dropUnread,
  envelope,
  type FaultyServer,
  html,
  invalidToken,
  json,
  type Play,
  redirect,
  startFaultyServer,
  unavailable,
} from './faulty-server.ts'
import { thrownBy } from './thrown-by.ts'
import { timedClient } from './timed-client.ts'

/** Everything that a log could show of an error. */
const shownOf = (error: unknown): string =>
  [
    inspect(error, { depth: 20, showHidden: true, getters: true, maxStringLength: null }),
    String(error),
    JSON.stringify(error, error instanceof Object ? Object.getOwnPropertyNames(error) : []),
    error instanceof Error ? String(error.stack) : '',
  ].join('\n')

/** Echoes the request, as a careless proxy does. */
const echo =
  (status: number): Play =>
  async (request, response, body) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '0' })
    response.end(JSON.stringify({ id: 1, headers: request.headers, body: await body() }).slice(0, -1))
  }

const FAULTS: ReadonlyArray<readonly [name: string, play: Play]> = [
  ['503', unavailable('none', '0')],
  ['503 with the outcome unknown', unavailable('unknown', '0')],
  ['500', envelope(500)],
  ['502 that echoes the request', echo(502)],
  ['400', envelope(400)],
  ['400 that echoes the request', echo(400)],
  ['200 that echoes the request in broken JSON', echo(200)],
  ['a connection that ends before the body is read', dropUnread],
  ['a connection that ends before the answer', dropRead],
  ['a connection that ends within the answer', dropAnswering],
  ['a success in HTML', html(200)],
  ['a redirect', redirect('https://example.com/')],
  ['401 without a challenge', envelope(401)],
  [
    'a header that is none',
    answer(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }, '{}'),
  ],
]

/** As a request carries them. */
const encoded = (secret: string): ReadonlyArray<string> => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
]
const { publicApiKey, privateApiKey } = SECRET
const ALL = [...Object.values(SECRET), `${publicApiKey}:${privateApiKey}`, applicationToken(1)].flatMap(
  encoded,
)

const expectNoSecret = (error: unknown): void => {
  const shown = shownOf(error)
  for (const secret of ALL) expect(shown).not.to.include(secret)
  expect(shown).not.to.match(/secret-/)
}

describe('no error of the client contains a secret', () => {
  let server: FaultyServer
  beforeEach(async () => {
    server = await startFaultyServer()
  })
  afterEach(() => server.stop())

  for (const { id, send } of CALLS) {
    for (const [fault, play] of FAULTS)
      it(`of ${id} after ${fault}`, async () => {
        server.plays(play, play, play, play)
        const settled = await send(timedClient(server).auth).catch((error: unknown) => error)
        if (id !== 'revokeToken') expect(settled).to.be.instanceOf(Error)
        expectNoSecret(settled)
      })

    it(`of ${id} while the port is closed`, async () => {
      await server.stop()
      const error = await thrownBy(send(timedClient(server).auth))
      await server.start()
      expectNoSecret(error)
    })

    it(`of ${id} with a fetch that throws its request`, async () => {
      const { auth } = timedClient(server, {
        fetch: async (url, init) => {
          const request = new Request(url, init)
          const body = await request.clone().text()
          throw Object.assign(new Error(`${body} ${[...request.headers]}`), { code: 'secret-code', request })
        },
      })
      expectNoSecret(await thrownBy(send(auth)))
    })
  }

  for (const [fault, play] of [...FAULTS, ['401', invalidToken()] as const])
    it(`of the request for an application token after ${fault}`, async () => {
      server.playsTokens(play, play, play, play)
      const error = await thrownBy(
        timedClient(server).auth.signIn({ email: 'a@b.example', password: 'secret-p' }),
      )
      expect(error).to.be.instanceOf(Error)
      expectNoSecret(error)
    })

  it('after two refusals of application tokens', async () => {
    server.plays(invalidToken(), invalidToken())
    expectNoSecret(await thrownBy(timedClient(server).auth.searchUsers({})))
  })

  for (const token of ['secret-\n', 'secret-…', ' secret-', 'secret- ', '', 'secret-\u0000'])
    it(`of a user token that no header can have: ${JSON.stringify(token)}`, async () => {
      const { auth } = timedClient(server)
      const result = await auth.user(token).getProfile()
      expect(result).to.include({ ok: false, refusal: 'invalid_token' })
      expectNoSecret(result)
      expect(server.seen).to.deep.equal([])
    })

  it('of verify', async () => {
    server.plays(envelope(500))
    const footer = Buffer.from('{"kid":"secret-kid"}').toString('base64url')
    const error = await thrownBy(
      timedClient(server).auth.verify(
        `v4.public.${Buffer.alloc(80, 'secret-').toString('base64url')}.${footer}`,
      ),
    )
    expect(error).to.have.property('name', 'PortcullisUnavailable')
    expectNoSecret(error)
  })

  const keys = { publicApiKey, privateApiKey }
  const WRONG_SETTINGS = [
    { ...keys, url: 'http://user:secret-password@127.0.0.1' },
    { ...keys, url: 'http://127.0.0.1/?key=secret-password' },
    { ...keys, url: 'secret-password' },
    { ...keys, url: 'http://:secret-password@' },
    { ...keys, url: 'ftp://secret-password' },
    { ...keys, url: 'http://127.0.0.1', publicApiKey: '' },
    { ...keys, url: 'http://127.0.0.1', timeout: Number.NaN },
  ]
  for (const settings of WRONG_SETTINGS)
    it(`of wrong settings: ${settings.url}`, async () => {
      const error = await thrownBy((async () => portcullis(settings))())
      expect(error).to.be.instanceOf(TypeError)
      expectNoSecret(error)
    })

  for (const control of ['\n', '\u0000', '\u00e9', '\u{1f512}'])
    it(`of API keys with ${JSON.stringify(control)}`, async () => {
      server.plays(json(200, {}))
      const odd = timedClient(server, {
        publicApiKey: `${publicApiKey}${control}`,
        privateApiKey: `${privateApiKey}${control}`,
      })
      expectNoSecret(await odd.auth.issueOauthToken({}).catch((error: unknown) => error))
    })

  it('nor does the client itself, when it is printed', async () => {
    const { auth } = timedClient(server)
    server.plays(json(200, { users: [], next: null }))
    await auth.searchUsers({})
    expectNoSecret([auth, auth.user(SECRET.userToken), auth.users({}), auth.events({})])
  })
})
