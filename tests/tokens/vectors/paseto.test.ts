import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { PublicProtocol } from 'paseto'
import { ImportPublicKeyFactory, ImportSecretKeyFactory, SignFactory, VerifyFactory } from 'paseto/v4/public'
import { pasetoUserTokens } from '../../../adapters/credentials/paseto/user-tokens.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { fail } from '../../support/outcome.ts'
import { forgePaseto } from '../forge.ts'
import { FIXED } from './fixed-tokens.ts'
import { PUBLIC_KEY, REFUSED, SECRET_KEY, SIGNED } from './paseto-v4-public.ts'

const paserk = (hexadecimal: string) => Buffer.from(hexadecimal, 'hex').toString('base64url')

/** Our key with the material of the vectors, which the fixed tokens use too. */
const OUR_KEY: SigningKey = {
  id: 'user-1',
  kid: FIXED.kid,
  purpose: 'user',
  material: `k4.secret.${paserk(SECRET_KEY)}`,
  createdAtSeconds: 0,
  signsFromSeconds: 0,
  retiresAtSeconds: none,
  retired: false,
  version: 1,
}
const BEFORE_THEY_EXPIRE = new Date('2021-12-31T00:00:00Z')

describe('the published PASETO vectors', () => {
  const v4 = new PublicProtocol(SignFactory, VerifyFactory, ImportSecretKeyFactory, ImportPublicKeyFactory)
  const options = (vector: { footer: string; implicitAssertion: string }) => ({
    footer: Buffer.from(vector.footer),
    implicitAssertion: Buffer.from(vector.implicitAssertion),
  })

  for (const vector of SIGNED) {
    it(`${vector.name} is signed and verified by the package`, async () => {
      const secretKey = await v4.ImportSecretKey(`k4.secret.${paserk(SECRET_KEY)}`)
      const publicKey = await v4.ImportPublicKey(`k4.public.${paserk(PUBLIC_KEY)}`)
      const signed = await v4.Sign(secretKey, vector.payload, { ...options(vector), addIssuedAt: false })
      expect(signed).to.equal(vector.token)
      const { claims } = await v4.Verify(publicKey, vector.token, {
        ...options(vector),
        now: BEFORE_THEY_EXPIRE,
      })
      expect(claims).to.deep.equal(vector.payload)
    })

    it(`${vector.name} is produced by the forging helpers`, () => {
      const { footer, implicitAssertion: implicit } = vector
      expect(forgePaseto(OUR_KEY, JSON.stringify(vector.payload), { footer, implicit })).to.equal(
        vector.token,
      )
    })

    it(`${vector.name} is refused as a user token, also with our footer, because claims are missing`, async () => {
      const underOurs = forgePaseto(OUR_KEY, JSON.stringify(vector.payload))
      for (const token of [vector.token, underOurs]) {
        expect(await fail(pasetoUserTokens().verify(token, [OUR_KEY]))).to.deep.equal({
          _tag: 'InvalidToken',
        })
      }
    })
  }

  for (const vector of REFUSED) {
    it(`${vector.name} is refused by the package and the service`, async () => {
      const publicKey = await v4.ImportPublicKey(`k4.public.${paserk(PUBLIC_KEY)}`)
      const refused = await v4
        .Verify(publicKey, vector.token, { ...options(vector), now: BEFORE_THEY_EXPIRE })
        .catch((error: Error & { code?: string }) => error.code)
      expect(refused).to.equal('ERR_PASETO_INVALID_TOKEN')
      expect(await fail(pasetoUserTokens().verify(vector.token, [OUR_KEY]))).to.deep.equal({
        _tag: 'InvalidToken',
      })
    })
  }
})
