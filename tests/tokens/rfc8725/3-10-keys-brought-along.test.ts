import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { expect } from 'chai'
import { base64url, forgeJws, forgeJwt, forgePaseto, halvesOf, jwtHeader } from '../forge.ts'
import { type Attack, answerTo, onUserJwts, refusesForged, type Target, underAttack } from '../target.ts'
import { writtenClaims } from '../well-signed.ts'

const claimsOf = ({ application }: Target): string => JSON.stringify(application.claims)

const attacker = generateKeyPairSync('ed25519').privateKey
const { x: attackersX } = attacker.export({ format: 'jwk' })

/** Headers with an embedded key or a reference to one, signed with that key. */
const BROUGHT: ReadonlyArray<readonly [what: string, more: (address: string) => object]> = [
  ['jwk', () => ({ jwk: { kty: 'OKP', crv: 'Ed25519', x: attackersX } })],
  [
    'jwk and its thumbprint as kid',
    () => ({ jwk: { kty: 'OKP', crv: 'Ed25519', x: attackersX }, kid: 'attacker' }),
  ],
  ['a symmetric jwk', () => ({ alg: 'HS256', jwk: { kty: 'oct', k: base64url('secret') } })],
  ['jku', (address) => ({ jku: `${address}/jwks.json` })],
  [
    'jku of our own host with a path traversal',
    (address) => ({ jku: `http://service.test@${address.slice(7)}/jwks.json` }),
  ],
  ['x5u', (address) => ({ x5u: `${address}/certificate.pem` })],
  ['x5c', () => ({ x5c: [Buffer.from('certificate').toString('base64')] })],
  ['x5t', () => ({ x5t: base64url('thumbprint'), 'x5t#S256': base64url('thumbprint') })],
  ['iss in the header', (address) => ({ iss: address })],
  [
    'all of them',
    (address) => ({ jku: address, x5u: address, jwk: { kty: 'OKP', crv: 'Ed25519', x: attackersX } }),
  ],
]

describe('RFC 8725 §3.10 Do Not Trust Received Claims (against §2.9): embedded keys', () => {
  const target = underAttack()
  let listener: Server
  let visitors = 0
  let address: string
  before(async () => {
    listener = createServer((socket) => {
      visitors += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  })
  after(() => new Promise((resolve) => listener.close(resolve)))

  const brought = BROUGHT.flatMap(
    ([what, more]): ReadonlyArray<Attack> => [
      [
        `${what}, signed with that key`,
        (t) =>
          forgeJws(
            JSON.stringify({ ...jwtHeader(t.keys.application), ...more(address) }),
            claimsOf(t),
            (signed) => sign(null, signed, attacker),
          ),
      ],
      [
        `${what}, signed with our key`,
        (t) =>
          forgeJwt(
            t.keys.application,
            claimsOf(t),
            JSON.stringify({ ...jwtHeader(t.keys.application), ...more(address) }),
          ),
      ],
    ],
  )
  refusesForged(target, brought)
  refusesForged(target, onUserJwts(brought))

  refusesForged(target, [
    [
      'our own key embedded',
      (t) =>
        forgeJwt(
          t.keys.application,
          claimsOf(t),
          JSON.stringify({
            ...jwtHeader(t.keys.application),
            jwk: { kty: 'OKP', crv: 'Ed25519', x: halvesOf(t.keys.application).x },
          }),
        ),
    ],
    [
      'a footer with an embedded key',
      (t) =>
        forgePaseto(t.keys.user, JSON.stringify(writtenClaims(t)), {
          footer: JSON.stringify({ kid: t.keys.user.kid, pk: `k4.public.${attackersX}` }),
        }),
    ],
    [
      'a footer with a reference to a key',
      (t) =>
        forgePaseto(t.keys.user, JSON.stringify(writtenClaims(t)), {
          footer: JSON.stringify({ kid: t.keys.user.kid, jku: address }),
        }),
    ],
  ])

  it('sends no request to an address in a token', async () => {
    for (const claim of ['iss', 'aud', 'sub', 'client_id', 'jti', 'jku', 'x5u']) {
      const claims = JSON.stringify({ ...target().application.claims, [claim]: address })
      await answerTo(target().running, 'application', forgeJwt(target().keys.application, claims))
    }
    expect(visitors).to.equal(0)
  })

  it('would have detected such a request', async () => {
    const socket = connect((listener.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'close')
    expect(visitors).to.equal(1)
  })
})
