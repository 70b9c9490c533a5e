import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { VerifiedToken } from '../../adapters/client/client.ts'
import { ISSUER, type KeyServer, keyServer } from './key-server.ts'
import { jwtClaims, pasetoClaims, rfc3339OfMilliseconds, type Signer, signer } from './signer.ts'

const INVALID: VerifiedToken = { ok: false, refusal: 'invalid_token' }
const base64url = (text: string | Uint8Array): string => Buffer.from(text).toString('base64url')

describe('verify', () => {
  const key: Signer = signer()
  let server: KeyServer
  let now: number
  beforeEach(() => {
    server = keyServer(key)
    now = server.time.now()
  })
  const verified = (token: string) => server.auth.verify(token)

  const paseto = () => pasetoClaims(ISSUER, now)
  const jwt = () => jwtClaims(ISSUER, now)

  it('accepts tokens of both formats', async () => {
    for (const token of [key.paseto(paseto()), key.jwt(jwt())])
      expect(await verified(token)).to.include({
        ok: true,
        userId: 'user-1',
        sessionId: 'session-1',
        acr: 'aal1',
      })
  })

  const without = (claims: object, names: ReadonlyArray<string>): object =>
    Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)))

  /** Changed claims of a signed token. A function gets the current time, and writes times as the format does. */
  type Changed = Readonly<Record<string, unknown>>
  type At = (ms: number) => unknown
  const CLAIMS: ReadonlyArray<readonly [name: string, changed: (at: At) => Changed, isAccepted?: true]> = [
    ['that ends now', (at) => ({ exp: at(0) }), true],
    ['that ended 4 s ago', (at) => ({ exp: at(-4_000) }), true],
    ['that ended 5 s ago', (at) => ({ exp: at(-5_000) })],
    ['that ended an hour ago', (at) => ({ exp: at(-3_600_000) })],
    ['that begins in 5 s', (at) => ({ nbf: at(5_000) }), true],
    ['that begins in 6 s', (at) => ({ nbf: at(6_000) })],
    ['with an nbf that is no time', () => ({ nbf: 'soon' })],
    ['of another issuer', () => ({ iss: 'https://evil.example.com' })],
    ['of an issuer with a slash', () => ({ iss: `${ISSUER}/` })],
    ['for another audience', () => ({ aud: 'https://evil.example.com' })],
    ['for a list of audiences', () => ({ aud: [ISSUER] })],
    ['without an audience that counts', () => ({ aud: null })],
    ...['iss', 'sub', 'sid', 'iat', 'exp', 'jti', 'auth_time', 'acr'].flatMap((name) =>
      [undefined, null, '', -0.5, {}, [], true].map(
        (value) => [`with ${name} ${JSON.stringify(value)}`, () => ({ [name]: value })] as const,
      ),
    ),
    ['with a role that is no text', () => ({ roles: ['admin', null] })],
    ['with roles that are no list', () => ({ roles: 'admin' })],
    ['without methods', () => ({ amr: undefined })],
    ['with a method that is no text', () => ({ amr: ['pwd', 1] })],
    ['with a time that is too large', () => ({ exp: 1e300 })],
    ['with a time that is no date', () => ({ exp: '2026-99-20T12:00:00Z' })],
  ]
  for (const [name, changed, isAccepted] of CLAIMS)
    it(`${isAccepted ? 'accepts' : 'refuses'} a signed token ${name}`, async () => {
      const tokens = [
        key.paseto({ ...paseto(), ...changed((ms) => rfc3339OfMilliseconds(now + ms)) }),
        key.jwt({ ...jwt(), ...changed((ms) => (now + ms) / 1000) }),
      ]
      for (const token of tokens)
        if (isAccepted) expect(await verified(token)).to.include({ ok: true })
        else expect(await verified(token)).to.deep.equal(INVALID)
    })

  it('refuses the times of the other format', async () => {
    expect(await verified(key.paseto({ ...paseto(), exp: now / 1000 + 60 }))).to.deep.equal(INVALID)
    expect(await verified(key.jwt({ ...jwt(), exp: rfc3339OfMilliseconds(now + 60_000) }))).to.deep.equal(
      INVALID,
    )
  })

  it('refuses a JWT without client_id or aud', async () => {
    for (const name of ['client_id', 'aud'])
      expect(await verified(key.jwt(without(jwt(), [name])))).to.deep.equal(INVALID)
  })

  const HEADERS: ReadonlyArray<object> = [
    { alg: 'none' },
    { alg: 'HS256' },
    { alg: 'ES256' },
    { alg: 'Ed25519' },
    { alg: 'eddsa' },
    { alg: undefined },
    { typ: 'JWT' },
    { typ: 'AT+JWT' },
    { typ: undefined },
    { crit: ['exp'] },
    { crit: [] },
    { kid: undefined },
    { kid: 1 },
    { kid: 'key-2' },
    { kid: '__proto__' },
    { kid: 'constructor' },
  ]
  for (const header of HEADERS)
    it(`refuses a signed JWT with the header ${JSON.stringify(header)} ${Object.keys(header)}`, async () => {
      expect(await verified(key.jwt(jwt(), header))).to.deep.equal(INVALID)
    })

  it('refuses tokens that another key signed under the same key id', async () => {
    const forger = signer(key.kid)
    for (const token of [forger.paseto(paseto()), forger.jwt(jwt())])
      expect(await verified(token)).to.deep.equal(INVALID)
  })

  it('refuses the key of a JWT header', async () => {
    const forger = signer('forged')
    const header = { jwk: forger.jwk, jku: 'https://evil.example.com/keys', kid: 'forged' }
    expect(await verified(forger.jwt(jwt(), header))).to.deep.equal(INVALID)
    expect(server.fetched).to.deep.equal(['user-jwks.json'])
  })

  it('refuses a JWT signed with the public key as a secret', async () => {
    const signed = `${base64url(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid: key.kid }))}.${base64url(JSON.stringify(jwt()))}`
    const secret = Buffer.from(Reflect.get(key.jwk, 'x'), 'base64url')
    const mac = createHmac('sha256', secret).update(signed).digest()
    expect(await verified(`${signed}.${base64url(mac)}`)).to.deep.equal(INVALID)
  })

  it('refuses a JWT signed with RSA', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const signed = key.jwt(jwt()).split('.').slice(0, 2).join('.')
    const signature = sign('sha256', Buffer.from(signed), privateKey)
    expect(await verified(`${signed}.${base64url(signature)}`)).to.deep.equal(INVALID)
  })

  it('takes no key of one format for the other', async () => {
    const [ofPaseto, ofJwt] = [signer('one'), signer('two')]
    server.publish({ ...key, paserk: ofPaseto.paserk, jwk: ofJwt.jwk })
    expect(await verified(ofJwt.paseto(paseto()))).to.deep.equal(INVALID)
    expect(await verified(ofPaseto.jwt(jwt()))).to.deep.equal(INVALID)
    expect(await verified(ofPaseto.paseto(paseto()))).to.include({ ok: true })
    expect(await verified(ofJwt.jwt(jwt()))).to.include({ ok: true })
  })

  it('refuses other versions and purposes of PASETO, although they are signed', async () => {
    for (const prefix of ['v2.public.', 'v3.public.', 'v4.local.', 'V4.public.', 'v4.PUBLIC.', 'v4.public..'])
      expect(await verified(key.paseto(paseto(), { prefix }))).to.deep.equal(INVALID)
  })

  for (const footer of [
    '',
    '{}',
    '[]',
    'null',
    '{"kid":1}',
    '"key-1"',
    '\ufeff{"kid":"key-1"}',
    '{"kid":"key-1"',
  ])
    it(`refuses a signed PASETO with the footer ${JSON.stringify(footer)}`, async () => {
      expect(await verified(key.paseto(paseto(), { footer }))).to.deep.equal(INVALID)
    })

  for (const claims of ['', '[]', 'null', '"text"', '{', '\ufeff{}'])
    it(`refuses signed claims ${JSON.stringify(claims)}`, async () => {
      expect(await verified(key.paseto(claims))).to.deep.equal(INVALID)
      expect(await verified(key.jwt(claims))).to.deep.equal(INVALID)
    })

  it('refuses what is no text, empty, or longer than 8 KiB, without fetching keys', async () => {
    const long = { ...paseto(), more: 'x'.repeat(8192) }
    const all: ReadonlyArray<unknown> = [
      undefined,
      null,
      1,
      {},
      [],
      '',
      '.',
      '..',
      '...',
      'v4.public.',
      'v4.public..',
      'a.b.c',
      key.paseto(long),
      key.jwt(long),
      'x'.repeat(10_000_000),
    ]
    for (const token of all) expect(await verified(token as string)).to.deep.equal(INVALID)
    expect(server.fetched).to.deep.equal([])
  })

  const CHARACTERS = [...'ABCabc019-_.=+/ \n\u0000é…v4']
  for (const format of ['paseto', 'jwt'] as const) {
    const token = () => (format === 'paseto' ? key.paseto(paseto()) : key.jwt(jwt()))

    it(`refuses a ${format} with any character changed, removed or added`, async () => {
      const good = token()
      await fc.assert(
        fc.asyncProperty(
          fc.nat(good.length - 1),
          fc.constantFrom(...CHARACTERS),
          fc.constantFrom(0, 1),
          fc.boolean(),
          async (at, character, removed, isAdded) => {
            const mangled = good.slice(0, at) + (isAdded ? character : '') + good.slice(at + removed)
            fc.pre(mangled !== good)
            expect(await verified(mangled)).to.deep.equal(INVALID)
          },
        ),
        { numRuns: 500 },
      )
      expect(await verified(good)).to.include({ ok: true })
    })

    it(`refuses every other last character of each part of a ${format}`, async () => {
      const good = token()
      for (const [at] of [...good.matchAll(/[^.](?=\.|$)/g)].map(({ index }) => [index] as const))
        for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=') {
          const mangled = good.slice(0, at) + character + good.slice(at + 1)
          if (mangled !== good) expect(await verified(mangled)).to.deep.equal(INVALID)
        }
    })

    it(`refuses a ${format} with parts missing, repeated, swapped or padded`, async () => {
      const parts = token().split('.')
      const mangled = [
        ...parts.map((_, index) => parts.toSpliced(index, 1)),
        ...parts.map((part, index) => parts.toSpliced(index, 0, part)),
        ...parts.map((part, index) => parts.toSpliced(index, 1, `${part}=`)),
        ...parts.map((_, index) => parts.toSpliced(index, 1, '')),
        parts.toReversed(),
        [...parts, ''],
        ['', ...parts],
      ]
      for (const some of mangled) expect(await verified(some.join('.'))).to.deep.equal(INVALID)
      for (const text of [
        ` ${token()}`,
        `${token()} `,
        `${token()}\n`,
        `Bearer ${token()}`,
        token().toUpperCase(),
      ])
        expect(await verified(text)).to.deep.equal(INVALID)
    })
  }
})
