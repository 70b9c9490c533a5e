import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Deed } from '../support/identity-providers/hostile.ts'
import { CLIENT } from '../support/identity-providers/stand-in.ts'
import { succeed } from '../support/outcome.ts'
import { newRequest } from '../testkit/identity-provider.ts'
import { completed, hostileDesk } from './hostile-desk.ts'

const LATER = Math.floor(Date.now() / 1000) + 3600

const REFUSED: ReadonlyArray<readonly [what: string, deed: Deed, reason?: string]> = [
  ['of another issuer', { claims: { iss: 'https://evil.example' } }, 'wrong_issuer'],
  ['for another client', { claims: { aud: 'another' } }],
  ['for several clients, without azp', { claims: { aud: [CLIENT.clientId, 'another'] } }],
  ['for several clients, and another azp', { claims: { aud: [CLIENT.clientId, 'another'], azp: 'another' } }],
  ['with another nonce', { claims: { nonce: 'another' } }],
  ['without a nonce', { claims: { nonce: undefined } }],
  ['that has expired', { claims: { exp: 1 } }],
  ['that never expires', { claims: { exp: undefined } }],
  ['whose end is a text', { claims: { exp: String(LATER) } }],
  ['that is not valid yet', { claims: { nbf: LATER } }],
  ['without a subject', { claims: { sub: undefined } }],
  ['with an empty subject', { claims: { sub: '' } }],
  ['with a subject of 256 characters', { claims: { sub: 'x'.repeat(256) } }],
  ['with a subject that is a number', { claims: { sub: 1815 } }],
  ['with a subject of two lines', { claims: { sub: '18\n15' } }],
  ['with an authentication time that is a text', { claims: { auth_time: '1796692110' } }],
  ['signed with another key', { signs: 'another_key' }],
  ['signed with a key that is not published', { signs: 'unknown_key' }],
  ['that is not signed', { signs: 'none' }],
  [
    'that is not signed, and the metadata permits it',
    { signs: 'none', metadata: { id_token_signing_alg_values_supported: ['RS256', 'none'] } },
  ],
  ['signed with the client secret', { signs: 'secret' }],
  [
    'signed with the client secret, and the metadata permits it',
    { signs: 'secret', metadata: { id_token_signing_alg_values_supported: ['RS256', 'HS256'] } },
  ],
  ['signed with an algorithm that the metadata does not name', { signs: 'other_alg' }],
  ['with a header that must be understood', { header: { crit: ['b64'], b64: true } }],
]

describe('an ID token', () => {
  const desk = hostileDesk()

  it('passes if the provider is honest', async () => {
    const identity = await desk.signIn({}, { trustsEmail: 'email_verified' })
    expect(identity).to.deep.include({ subject: '1815', verifiedEmail: some('ada@lovelace.example') })
  })

  for (const [what, deed, reason = 'invalid_id_token'] of REFUSED)
    it(`is refused ${what}`, async () => {
      const { metadata, ...later } = deed
      desk.hostile.behave({ ...(metadata && { metadata }) }) // read at the start
      expect(await desk.signIn(later)).to.equal(reason)
    })

  it('passes with an algorithm that the metadata names', async () => {
    desk.hostile.behave({ metadata: { id_token_signing_alg_values_supported: ['ES256'] } })
    expect(await desk.signIn({ signs: 'other_alg' })).to.include({ subject: '1815' })
  })

  it('passes with a subject of 255 characters, and with one that is not ASCII', async () => {
    for (const sub of ['x'.repeat(255), 'аda'])
      expect(await desk.signIn({ claims: { sub } })).to.include({ subject: sub })
  })

  it('must say when the user authenticated, if that was asked for', async () => {
    const without = { claims: { auth_time: undefined } }
    expect(await desk.signIn(without)).to.deep.include({ authenticatedAtSeconds: none })
    expect(await desk.signIn(without, { isAgain: true })).to.equal('invalid_id_token')
  })

  it('passes with an old authentication, which the caller judges', async () => {
    const identity = await desk.signIn({ claims: { auth_time: 1_000 } }, { isAgain: true })
    expect(identity).to.deep.include({ authenticatedAtSeconds: some(1_000) })
  })

  it('is refused for the code of another sign-in, although the provider takes it', async () => {
    const provider = desk.open()
    const [one, other] = [newRequest(), newRequest()]
    const [answer, foreign] = [
      desk.hostile.answerTo(await succeed(provider.start(one))),
      desk.hostile.answerTo(await succeed(provider.start(other))),
    ]
    const swapped = new URLSearchParams(answer)
    swapped.set('code', new URLSearchParams(foreign).get('code') ?? '')
    expect(await completed(provider, String(swapped), one)).to.equal('invalid_id_token')
  })

  it('passes with a new key of the provider', async () => {
    const time = Date.now
    const provider = desk.open()
    const signIn = async () => {
      const request = newRequest()
      return completed(provider, desk.hostile.answerTo(await succeed(provider.start(request))), request)
    }
    expect(await signIn()).to.include({ subject: '1815' })
    await desk.hostile.rotateKeys()
    try {
      Date.now = () => time() + 61_000 // an unknown key does not let anybody load keys more often
      expect(await signIn()).to.include({ subject: '1815' })
    } finally {
      Date.now = time
    }
  })
})

describe('the request of a sign-in', () => {
  const desk = hostileDesk()

  it('asks for the code flow with PKCE, and for a new authentication only if it is told to', async () => {
    const { redirectUri, state, nonce, ...request } = newRequest()
    const query = async (more: object) => {
      const url = await succeed(desk.open().start({ redirectUri, state, nonce, ...request, ...more }))
      return Object.fromEntries(new URL(url).searchParams)
    }
    const plain = await query({})
    expect(plain.code_challenge).to.match(/^[\w-]{43}$/)
    const expected = {
      ...{ client_id: CLIENT.clientId, response_type: 'code', scope: 'openid email' },
      ...{ redirect_uri: redirectUri, state, nonce, code_challenge_method: 'S256' },
      code_challenge: plain.code_challenge,
    }
    expect(plain).to.deep.equal(expected)
    expect(await query({ isAgain: true, loginHint: 'ada@lovelace.example' })).to.deep.equal({
      ...{ ...expected, max_age: '0', login_hint: 'ada@lovelace.example' },
    })
  })
})

describe('the issuer in an answer', () => {
  const desk = hostileDesk()
  const without = (answer: string) => answer.replace(/&iss=.*/, '')

  for (const [promised, expected] of [
    [true, 'wrong_issuer'],
    [undefined, '1815'],
  ] as const)
    it(`${promised ? 'must be there' : 'may be absent'} if the metadata ${promised ? 'promises it' : 'says nothing of it'}`, async () => {
      desk.hostile.behave({ metadata: { authorization_response_iss_parameter_supported: promised } })
      const provider = desk.open()
      const request = newRequest()
      const answer = desk.hostile.answerTo(await succeed(provider.start(request)))
      const identity = await completed(provider, without(answer), request)
      expect(typeof identity === 'string' ? identity : identity.subject).to.equal(expected)
    })
})
