import type { Environment } from '../../adapters/config/settings.ts'
import type { Module } from '../../adapters/index.ts'
import type { Answer } from './http-client.ts'
import { succeed } from './outcome.ts'
import { CONTEXT } from './request-context.ts'
import { startThrottled, type ThrottledService } from './throttled-service.ts'

/** A throttled service with an application that may recover accounts and confirm e-mails. */
export type AccountDesk = ThrottledService &
  Readonly<{
    /** The id and the token of the application. */
    desk: Readonly<{ id: string; token: string }>
    startRecovery: (body?: object, headers?: Record<string, string>) => Promise<Answer>
    completeRecovery: (body: object) => Promise<Answer>
    startConfirmation: (body: object) => Promise<Answer>
    completeConfirmation: (body: object) => Promise<Answer>
    /** A token for this e-mail; by default that of the user. */
    recoveryToken: (email?: string) => Promise<string>
    /** A token for the user and this e-mail. */
    confirmationToken: (email?: string, password?: string) => Promise<string>
    /** Uses a recovery token. */
    recover: (token: string, password?: string) => Promise<Answer>
    register: (email: string, password: string, more?: object) => Promise<Answer>
    profile: (token: string) => Promise<Answer>
    /** What `doctor` would report about the log. */
    disagreements: () => Promise<ReadonlyArray<string>>
  }>

export const RECOVERY = '/api/v1/users/recovery'
export const CONFIRMATION = '/api/v1/users/email_confirmation'

export const openDesk = async (
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<AccountDesk> => {
  const running = await startThrottled(environment, ...modules)
  const { service, send, user } = running
  const scope = 'users:recover users:confirm_email'
  const made = await succeed(service.registerApplication(CONTEXT, { name: 'desk', scope }))
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, made))
  const post = (path: string, body: object, as: string | undefined, headers: Record<string, string> = {}) =>
    send({ method: 'POST', path, body, headers, ...(as === undefined ? {} : { token: as }) })
  const applicationToken = await running.applicationToken()

  const startRecovery: AccountDesk['startRecovery'] = (body = { email: user.email }, headers = {}) =>
    post(RECOVERY, body, token, headers)
  const completeRecovery: AccountDesk['completeRecovery'] = (body) =>
    post(`${RECOVERY}/complete`, body, undefined)
  const startConfirmation: AccountDesk['startConfirmation'] = (body) => post(CONFIRMATION, body, token)

  return {
    ...running,
    desk: { id: made.application.id, token },
    startRecovery,
    completeRecovery,
    startConfirmation,
    completeConfirmation: (body) => post(`${CONFIRMATION}/complete`, body, undefined),
    recoveryToken: async (email = user.email) => (await startRecovery({ email })).body.token,
    confirmationToken: async (email = user.email, password = user.password) =>
      (await startConfirmation({ user_id: user.id, email, password })).body.token,
    recover: (text, password = 'battery staple') =>
      completeRecovery({ token: text, new_password: password, new_password_check: password }),
    register: (email, password, more = {}) =>
      post('/api/v1/users', { email, password, ...more }, applicationToken),
    profile: (of) => send({ method: 'GET', path: '/api/v1/profile', token: of }),
    disagreements: async () => (await succeed(service.checkLog)).disagreements,
  }
}
