import { type Attack, refuses, type Target, underAttack } from '../target.ts'
import { rfc3339, wellSigned } from '../well-signed.ts'

const IN_AN_HOUR = 3_600

const { application, user } = wellSigned

const later = (t: Target): number => t.application.claims.iat + IN_AN_HOUR

/**
 * Claims that say for what a token is no good. We write none of them, so a token of ours that has one is none that we made;
 * whoever did meant it not to be used here and now.
 */
const RESTRICTED: ReadonlyArray<Attack> = [
  [
    'an application token that is not to be used before an hour from now',
    application((t) => ({ nbf: later(t) })),
  ],
  ['a user token that is not to be used before an hour from now', user((t) => ({ nbf: rfc3339(later(t)) }))],
  ['a user token for another audience', user(() => ({ aud: 'https://attacker.example' }))],
]

describe('a claim that restricts a token', () => {
  const target = underAttack()

  refuses(target, RESTRICTED)
})

/** An application asks for itself, so both claims name it (RFC 9068 §2.2). */
const CLIENTS: ReadonlyArray<readonly [what: string, client: (target: Target) => string]> = [
  ['that is somebody else', () => 'another'],
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
