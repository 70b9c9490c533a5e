import { type Attack, refuses, type Target, underAttack } from '../target.ts'
import { rfc3339OfSeconds, wellSigned } from '../well-signed.ts'

const IN_AN_HOUR = 3_600

const { application, user } = wellSigned

const later = (t: Target): number => t.application.claims.iat + IN_AN_HOUR

/**
 * Claims that restrict a token. The service writes none of them, so it refuses a token that has one: another signer
 * meant it for another time or place.
 */
const RESTRICTED: ReadonlyArray<Attack> = [
  ['an application token with nbf in an hour', application((t) => ({ nbf: later(t) }))],
  ['a user token with nbf in an hour', user((t) => ({ nbf: rfc3339OfSeconds(later(t)) }))],
  ['a user token for another audience', user(() => ({ aud: 'https://attacker.example' }))],
]

describe('a restricting claim', () => {
  const target = underAttack()

  refuses(target, RESTRICTED)
})

/** An application requests tokens for itself, so both claims contain its id (RFC 9068 §2.2). */
const CLIENTS: ReadonlyArray<readonly [what: string, client: (target: Target) => string]> = [
  ['that is another application', () => 'another'],
  ['that is empty', () => ''],
  ['that is a user', (t) => t.user.claims.sub],
]

describe('the client of an application token', () => {
  const target = underAttack()

  refuses(
    target,
    CLIENTS.map(
      ([what, client]): Attack => [
        `an application token with a client ${what}`,
        application((t) => ({ client_id: client(t) })),
      ],
    ),
  )
})
