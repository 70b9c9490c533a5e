import { expect } from 'chai'
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import { type Attack, refusesForged, underAttack } from '../target.ts'
import { JWS_KEYS, JWS_VECTORS, type JwsVector } from './wycheproof-jws.ts'

/** Vectors that the file calls valid although they contain a character outside the alphabet. */
const MALFORMED = [372, 373]

describe('Wycheproof: JSON Web Signatures, all refused as tokens', () => {
  const target = underAttack()

  refusesForged(
    target,
    JWS_VECTORS.map(({ id, comment, jws }): Attack => [`vector ${id} (${comment})`, () => jws]),
  )

  refusesForged(
    target,
    JWS_VECTORS.filter(({ jws }) => jws.split('.').length > 2).flatMap(
      ({ id, comment, jws }): ReadonlyArray<Attack> => [
        [
          `vector ${id} (${comment}) under our header`,
          ({ application }) => [application.token.split('.')[0], ...jws.split('.').slice(1)].join('.'),
        ],
        [
          `vector ${id} (${comment}) under our header and claims`,
          ({ application }) =>
            [...application.token.split('.').slice(0, 2), ...jws.split('.').slice(2)].join('.'),
        ],
      ],
    ),
  )
})

describe('Wycheproof: JSON Web Signatures, as copied here', () => {
  const keyOf = async ({ jws }: JwsVector) => {
    const { alg = '', kid = '' } = decodeProtectedHeader(jws)
    const jwk = JWS_KEYS[alg] ?? JWS_KEYS[kid]
    if (jwk === undefined) throw new Error(`no key ${kid}`)
    return importJWK(jwk, alg)
  }

  for (const vector of JWS_VECTORS.filter(({ id, valid }) => valid && !MALFORMED.includes(id))) {
    it(`vector ${vector.id} (${vector.comment}) is accepted by other libraries`, async () => {
      const { payload } = await compactVerify(vector.jws, await keyOf(vector))
      expect(payload).to.have.length.above(0)
    })
  }
})
