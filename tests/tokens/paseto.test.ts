import { expect } from 'chai'
import * as fc from 'fast-check'
import { right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { InspectFooter, PublicProtocol } from 'paseto'
import { ImportPublicKeyFactory, ImportSecretKeyFactory, SignFactory, VerifyFactory } from 'paseto/v4/public'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { succeed } from '../support/outcome.ts'
import { newKey } from './subjects.ts'
import { FIXED } from './vectors/fixed-tokens.ts'

const format = pasetoUserTokens()
const { claims } = FIXED.paseto

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
  auth_time: '2026-03-01T11:59:59.000Z',
}

/** The package's WebCrypto implementation, which the published vectors check against the specification. */
const others = new PublicProtocol(SignFactory, VerifyFactory, ImportSecretKeyFactory, ImportPublicKeyFactory)

describe('a user token', () => {
  it('equals the independently computed token', async () => {
    expect(await succeed(format.sign(claims, fixedKey))).to.equal(FIXED.paseto.token)
    expect(await succeed(format.verify(FIXED.paseto.token, [fixedKey]))).to.deep.equal(claims)
  })

  it('can be verified by another implementation with the public key', async () => {
    const token = await succeed(format.sign(claims, fixedKey))
    const publicKey = await others.ImportPublicKey(`k4.public.${FIXED.x}`)
    const verified = await others.Verify(publicKey, token, { now: new Date(claims.iat * 1000) })
    expect(verified.claims).to.deep.equal(written)
    expect(Buffer.from(verified.footer).toString()).to.equal(`{"kid":"${FIXED.kid}"}`)
  })

  it('is verified by another implementation with the public key that the service shows', async () => {
    const key = await newKey({ format, purpose: 'user' })
    const token = await succeed(format.sign(claims, key))
    const shown = await succeed(async () => format.publicKey(key))
    expect(shown).to.match(/^k4\.public\.[A-Za-z0-9_-]{43}$/)
    const publicKey = await others.ImportPublicKey(shown)
    expect(
      (await others.Verify(publicKey, token, { now: new Date(claims.iat * 1000) })).claims,
    ).to.deep.equal(written)
  })

  it('has the public key of the vectors and reveals nothing of the private key', () => {
    expect(format.publicKey(fixedKey)).to.deep.equal(right(`k4.public.${FIXED.x}`))
  })

  it('is accepted when another implementation signed it with its key, and is the same token', async () => {
    const key = await newKey({ format, purpose: 'user' })
    const secretKey = await others.ImportSecretKey(key.material as `k4.secret.${string}`)
    const footer = Buffer.from(JSON.stringify({ kid: key.kid }))
    const token = await others.Sign(secretKey, written, { footer })
    expect(await succeed(format.verify(token, [key]))).to.deep.equal(claims)
    expect(await succeed(format.sign(claims, key))).to.equal(token)
  })

  it('is the same token as of another implementation with any claims', async () => {
    const key = await newKey({ format, purpose: 'user' })
    const secretKey = await others.ImportSecretKey(key.material as `k4.secret.${string}`)
    const footer = Buffer.from(JSON.stringify({ kid: key.kid }))
    const text = fc.string({ unit: 'grapheme' })
    const anyClaims = fc.record({
      ...{ iss: text, sub: text, sid: text, jti: text, acr: text, amr: fc.array(text) },
      iat: fc.nat({ max: 4_102_444_800 }),
      lifetime: fc.integer({ min: 1, max: 31_536_000 }),
    })
    await fc.assert(
      fc.asyncProperty(anyClaims, async ({ iss, sub, sid, jti, acr, amr, iat, lifetime }) => {
        const exp = iat + lifetime
        const at = (seconds: number) => new Date(seconds * 1000).toISOString()
        const theirs = { iss, sub, sid, iat: at(iat), exp: at(exp), jti, auth_time: at(iat), acr, amr }
        const ours = { iss, sub, sid, iat, exp, jti, auth_time: iat, acr, amr }
        const token = await succeed(format.sign(ours, key))
        expect(token).to.equal(await others.Sign(secretKey, theirs, { footer }))
      }),
    )
  })

  it('contains only the key id in its footer', async () => {
    const token = await succeed(format.sign(claims, fixedKey))
    expect(Buffer.from(InspectFooter(token)).toString()).to.equal(`{"kid":"${FIXED.kid}"}`)
  })

  it('has a key that is named by its RFC 7638 thumbprint and stored as PASERK', async () => {
    const { kid, material } = await format.createKey()
    expect(kid).to.match(/^[A-Za-z0-9_-]{43}$/)
    expect(material).to.match(/^k4\.secret\.[A-Za-z0-9_-]{86}$/)
  })
})
