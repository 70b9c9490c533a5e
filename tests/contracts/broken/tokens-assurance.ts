import { caughtBy } from './harness.ts'
import { finding, type MutateFormat, refusing } from './tokens.ts'

const caught = caughtBy<MutateFormat>

/** Formats of user tokens that alter what a token says of the authentication. */
export const ASSURANCE_MUTATIONS = [
  ...caught('a token has each method of the authentication, in their order', {
    'keeps one method': finding(({ amr, ...claims }) =>
      Array.isArray(amr) ? { ...claims, amr: amr.slice(0, 1) } : claims,
    ),
  }),
  ...caught('a token has its own time of the authentication', {
    'refuses a token that is younger than the authentication': refusing(
      ({ auth_time, iat }) => Number(auth_time) > Number(iat),
    ),
  }),
]
