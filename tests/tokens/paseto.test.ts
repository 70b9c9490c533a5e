import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { InspectFooter, PublicProtocol } from 'paseto'
import { ImportPublicKeyFactory, ImportSecretKeyFactory, SignFactory, VerifyFactory } from 'paseto/v4/public'
import { pasetoUserTokens } from '../../adapters/paseto/user-tokens.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { forgePaseto } from './forge.ts'
import { newKey } from './subjects.ts'
import { FIXED } from './vectors/fixed-tokens.ts'

const format = pasetoUserTokens()
const { claims } = FIXED.paseto
const INVALID = { _tag: 'InvalidToken' }

const fixedKey: SigningKey = {
  id: 'user-1',
  kid: FIXED.kid,
  purpose: 'user',
  material: FIXED.paserk,
  createdAtSeconds: 0,
  signsFromSeconds: 0,
  retiresAtSeconds: none,
  retired: false,
  version: 1,
}
const written = {
  ...claims,
  iat: '2026-03-01T12:00:00.000Z',
  exp: '2026-03-02T00:00:00.000Z',
}

/** The package's own implementation over WebCrypto, which the published vectors hold to the specification. */
const others = new PublicProtocol(SignFactory, VerifyFactory, ImportSecretKeyFactory, ImportPublicKeyFactory)

describe('a user token', () => {
  it('is the one that others compute', async () => {
    expect(await succeed(format.sign(claims, fixedKey))).to.equal(FIXED.paseto.token)
    expect(await succeed(format.verify(FIXED.paseto.token, [fixedKey]))).to.deep.equal(claims)
  })

  it('can be verified by others who have the public key', async () => {
    const token = await succeed(format.sign(claims, fixedKey))
    const publicKey = await others.ImportPublicKey(`k4.public.${FIXED.x}`)
    const verified = await others.Verify(publicKey, token, { now: new Date(claims.iat * 1000) })
    expect(verified.claims).to.deep.equal(written)
    expect(Buffer.from(verified.footer).toString()).to.equal(`{"kid":"${FIXED.kid}"}`)
  })

  it('is verified by others with the public key that is shown for its key', async () => {
    const key = await newKey({ format, purpose: 'user' })
    const token = await succeed(format.sign(claims, key))
    const shown = await succeed(async () => format.publicKey(key))
    expect(shown).to.match(/^k4\.public\.[A-Za-z0-9_-]{43}$/)
    const publicKey = await others.ImportPublicKey(shown)
    expect(
      (await others.Verify(publicKey, token, { now: new Date(claims.iat * 1000) })).claims,
    ).to.deep.equal(written)
  })

  it('has a public key that is the public half of the vectors’ key, and nothing of the secret one', () => {
    expect(format.publicKey(fixedKey)).to.deep.equal(right(`k4.public.${FIXED.x}`))
  })

  it('is accepted when others signed it with its key, and is the same token', async () => {
    const key = await newKey({ format, purpose: 'user' })
    const secretKey = await others.ImportSecretKey(key.material as `k4.secret.${string}`)
    const footer = Buffer.from(JSON.stringify({ kid: key.kid }))
    const token = await others.Sign(secretKey, written, { footer })
    expect(await succeed(format.verify(token, [key]))).to.deep.equal(claims)
    expect(await succeed(format.sign(claims, key))).to.equal(token)
  })

  it('holds the key id in its footer, and nothing else', async () => {
    const token = await succeed(format.sign(claims, fixedKey))
    expect(Buffer.from(InspectFooter(token)).toString()).to.equal(`{"kid":"${FIXED.kid}"}`)
  })

  it('has a key that is named by its RFC 7638 thumbprint and kept as PASERK', async () => {
    const { kid, material } = await format.createKey()
    expect(kid).to.match(/^[A-Za-z0-9_-]{43}$/)
    expect(material).to.match(/^k4\.secret\.[A-Za-z0-9_-]{86}$/)
  })
})

describe('a user token with the right signature', () => {
  const payload = JSON.stringify(written)
  const footer = JSON.stringify({ kid: FIXED.kid })

  const WRONG: ReadonlyArray<readonly [what: string, how: Parameters<typeof forgePaseto>[2]]> = [
    ['under the header of version 2', { header: 'v2.public.' }],
    ['under the header of version 3', { header: 'v3.public.' }],
    ['under the header of another purpose', { header: 'v4.local.' }],
    ['under the header in capitals', { header: 'V4.PUBLIC.' }],
    ['without a footer', { footer: '' }],
    ['with an empty object for a footer', { footer: '{}' }],
    ['with another key id in the footer', { footer: '{"kid":"another"}' }],
    ['with more in the footer', { footer: footer.replace('}', ',"wpk":"x"}') }],
    ['with a space in the footer', { footer: footer.replace(':', ': ') }],
    ['with the key id alone for a footer', { footer: FIXED.kid }],
    ['with an implicit assertion', { implicit: '{"user":"ada"}' }],
  ]
  for (const [what, how] of WRONG) {
    it(`${what} is refused`, async () => {
      const token = forgePaseto(fixedKey, payload, how)
      expect(await fail(format.verify(token, [fixedKey]))).to.deep.equal(INVALID)
    })
  }

  it('is good otherwise', async () => {
    const token = forgePaseto(fixedKey, payload)
    expect(await succeed(format.verify(token, [fixedKey]))).to.deep.equal(claims)
  })

  it('is refused when the header was changed afterwards', async () => {
    for (const header of ['v1.public.', 'v2.public.', 'v3.public.', 'v4.local.', 'v4.public', 'v5.public.']) {
      const token = FIXED.paseto.token.replace('v4.public.', header)
      expect(await fail(format.verify(token, [fixedKey]))).to.deep.equal(INVALID)
    }
  })
})
