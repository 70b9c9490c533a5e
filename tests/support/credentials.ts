import type { TestRequest } from './http-client.ts'
import { basic } from './oauth.ts'
import type { Operation } from './open-api.ts'
import type { RunningService } from './running-service.ts'
import { scopedToken } from './scoped-token.ts'

/** The credentials of a request. */
export type Credentials = Pick<TestRequest, 'token' | 'headers'>

/**
 * The credentials for an operation, of the first kind that its description names.
 *
 * @param user is a user's token
 */
export const credentialsFor = async (
  running: RunningService,
  { security = [] }: Operation,
  user: string,
): Promise<Credentials> => {
  const [first = {}] = security
  if (first.userToken !== undefined) return { token: user }
  if (first.apiKeys !== undefined) return { headers: basic(running.keys) }
  const [scope] = first.applicationToken ?? []
  return scope === undefined ? {} : { token: await scopedToken(running, scope) }
}
