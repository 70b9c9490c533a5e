import { caughtBy } from './harness.ts'
import { finding, type MutateFormat, refusing } from './tokens.ts'

const caught = caughtBy<MutateFormat>

/** Formats of user tokens that alter what a token says of the user. */
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
  ...caught('a token has the roles of its user, and none of a user without roles', {
    'loses the roles': finding(({ roles: _, ...claims }) => claims),
    'keeps one role': finding(({ roles, ...claims }) =>
      Array.isArray(roles) ? { ...claims, roles: roles.slice(0, 1) } : claims,
    ),
    'has an empty list of roles': finding((claims) => ({ roles: [], ...claims })),
    'refuses a token with roles': refusing(({ roles }) => roles !== undefined),
  }),
]
