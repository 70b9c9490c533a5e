import { succeed } from './outcome.ts'
import { CONTEXT } from './request-context.ts'
import type { RunningService } from './running-service.ts'

/** A session in the response to its user. */
export type ShownSession = Readonly<{
  id: string
  created_at: string | null
  expires_at: string
  application_id: string | null
  current: boolean
}>

export const SESSIONS = '/api/v1/profile/sessions'

/** The session operations of users at one service, or at another one on the same store. */
export const sessionsAt = ({ send }: Pick<RunningService, 'send'>) => ({
  list: async (token: string): Promise<ReadonlyArray<ShownSession>> =>
    (await send({ method: 'GET', path: SESSIONS, token })).body.sessions,
  end: (token: string, body: unknown) =>
    send({ method: 'POST', path: `${SESSIONS}/end`, token, body: body as object }),
  endOthers: (token: string) => send({ method: 'POST', path: `${SESSIONS}/end_others`, token }),
  /** 200 while the session lives, 401 afterwards. */
  status: async (token: string) => (await send({ method: 'GET', path: '/api/v1/profile', token })).status,
})

/** The session id of a token. */
export const sessionOf = async (
  { service }: Pick<RunningService, 'service'>,
  token: string,
): Promise<string> => (await succeed(service.authenticate(CONTEXT, 'getProfile', token))).session.id
