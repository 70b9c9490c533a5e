import { createHmac } from 'node:crypto'
import { isNone } from 'fp-ts/lib/Option.js'
import type { Environment } from '../../adapters/config/settings.ts'
import { bytesOfBase32 } from '../../domain/base32.ts'
import { counterBytes, sixDigits, stepAt } from '../../domain/totp.ts'
import type { Answer } from './http-client.ts'
import { OPERATOR } from './operator.ts'
import { succeed } from './outcome.ts'
import { CONTEXT } from './request-context.ts'
import type { RunningService } from './running-service.ts'

/** The settings of a service whose users may enrol factors. */
export const FACTOR_SETTINGS = {
  SECOND_FACTORS: 'on',
  KEY_ENCRYPTION_KEY: `2026:${'key-encryption-key-of-tests-'.repeat(2)}`,
} satisfies Environment

export const FACTORS = '/api/v1/profile/factors'

/** The code that an app shows at a time, in milliseconds. `steps` later, or before it. */
export const totpAt = (secret: string, at: number, steps = 0): string => {
  const key = bytesOfBase32(secret)
  if (isNone(key)) throw new Error('the secret is not base32')
  const message = counterBytes(stepAt(at / 1000) + steps)
  return sixDigits(createHmac('sha1', key.value).update(message).digest())
}

/** A factor that a user has enrolled: the secret in the app, and the response. */
export type Enrolled = Readonly<{ secret: string; answer: Answer }>

/** The operations on factors at one service, or at another one on the same store. `now` is its clock, in milliseconds. */
export const factorDesk = ({ send }: Pick<RunningService, 'send'>, now: () => number) => {
  const post = (path: string, token: string, body?: object): Promise<Answer> =>
    send({ method: 'POST', path: `${FACTORS}${path}`, token, ...(body === undefined ? {} : { body }) })
  const start = (token: string) => post('/totp', token)
  const complete = (token: string, body: object) => post('/totp/complete', token, body)
  return {
    start,
    complete,
    /** Enrols an authenticator app. */
    enrol: async (token: string, name?: string): Promise<Enrolled> => {
      const { body: started } = await start(token)
      const totp = totpAt(started.secret, now())
      const { enrolment, secret } = started
      return { secret, answer: await complete(token, { enrolment, totp, ...(name && { name }) }) }
    },
    list: (token: string) => send({ method: 'GET', path: FACTORS, token }),
    rename: (token: string, body: object) => post('/rename', token, body),
    remove: (token: string, body: object) => post('/remove', token, body),
    renewCodes: (token: string) => post('/recovery_codes', token),
  }
}

let users = 0

/** Registers a new user whose e-mail is verified. */
export const verifiedUser = async ({ service }: Pick<RunningService, 'service'>, emailVerified = true) => {
  users += 1
  const credentials = { email: `verified-${users}@example.com`, password: 'correct horse' }
  const { id } = await succeed(service.registerUser(CONTEXT, { ...credentials, emailVerified }, OPERATOR))
  return { id, ...credentials }
}
