import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import { type Answer, httpClient, type TestRequest } from './http-client.ts'
import { type RunningService, startService } from './running-service.ts'

/** These tests never wait: they set the time. */
export const BEGINNING = Date.parse('2026-11-20T12:00:00.000Z')

/** A service on a real socket that throttles after three failures, with a simulated clock. */
export type ThrottledService = RunningService &
  Readonly<{
    clock: { now: number; passSeconds: (seconds: number) => void }
    signIn: (password: string, email?: string) => Promise<Answer>
    /** Signs in with a wrong password this many times, and returns the statuses. */
    failToSignIn: (times: number, email?: string) => Promise<ReadonlyArray<number>>
    change: (token: string, oldPassword: string, newPassword?: string) => Promise<Answer>
    failToChange: (times: number, token: string) => Promise<ReadonlyArray<number>>
    /** Sends from another local address. */
    sendFrom: (localAddress: string) => (request: TestRequest) => Promise<Answer>
  }>

export const startThrottled = async (
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<ThrottledService> => {
  const clock = {
    now: BEGINNING,
    passSeconds: (seconds: number) => {
      clock.now += seconds * 1000
    },
  }
  const running = await startService(
    { ...THREE_AT_MOST, ...LASTING_TOKENS, ...environment },
    provide(Dependency.clock, () => () => clock.now),
    ...modules,
  )
  const token = await running.applicationToken()
  const clients = new Map<string, ReturnType<typeof httpClient>>()
  const clientAt = (localAddress: string) => {
    const client = clients.get(localAddress) ?? httpClient(`http://127.0.0.1:${running.port}`, localAddress)
    clients.set(localAddress, client)
    return client
  }

  const signIn = (password: string, email = running.user.email) =>
    running.send({ method: 'POST', path: '/api/v1/auth/user/token', token, body: { email, password } })
  const change = (of: string, old_password: string, password = 'battery staple') =>
    running.send({
      method: 'POST',
      path: '/api/v1/profile/change_password',
      token: of,
      body: { old_password, new_password: password, new_password_check: password },
    })

  return {
    ...running,
    applicationToken: async () => token,
    clock,
    signIn,
    failToSignIn: (times, email) => statusesOf(times, () => signIn('wrong', email)),
    change,
    failToChange: (times, of) => statusesOf(times, () => change(of, 'wrong')),
    sendFrom: (localAddress) => clientAt(localAddress).send,
    stop: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()))
      await running.stop()
    },
  }
}

/** The statuses of this many sequential requests. */
export const statusesOf = async (
  times: number,
  ask: (index: number) => Promise<Answer>,
): Promise<ReadonlyArray<number>> => {
  const statuses: Array<number> = []
  for (let index = 0; index < times; index += 1) statuses.push((await ask(index)).status)
  return statuses
}

const THREE_AT_MOST: Environment = { THROTTLE_ACCOUNT_FAILURES: '3', THROTTLE_ADDRESS_FAILURES: '3' }

/** Tokens never expire in these tests. */
const LASTING_TOKENS: Environment = { APPLICATION_TOKEN_TTL: '31536000', USER_TOKEN_TTL: '31536000' }
