import { type Attack, refusesForged, underAttack } from '../target.ts'
import { JWS_VECTORS } from './wycheproof-jws.ts'

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
