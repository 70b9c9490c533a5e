import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { userHandleOf } from '../../domain/passkey.ts'
import {
  type Asserting,
  type Ceremony,
  type Registering,
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '../testkit/passkey-verifier/software-authenticator.ts'
import { FACTOR_SETTINGS, FACTORS } from './factor-desk.ts'
import type { Answer } from './http-client.ts'
import { succeed } from './outcome.ts'
import { CONTEXT } from './request-context.ts'
import type { RunningService } from './running-service.ts'

export const RP_ID = 'example.com'
export const ORIGIN = 'https://shop.example.com'

/** The settings of a service with passkeys. */
export const PASSKEY_SETTINGS = { ...FACTOR_SETTINGS, PASSKEY_RP_ID: RP_ID } satisfies Environment

export const SIGN_IN = '/api/v1/auth/user/token'
export const SECOND_STEP = '/api/v1/auth/user/second_factor'
export const PASSKEY_SIGN_IN = '/api/v1/auth/user/passkey'
export const STEP_UP = '/api/v1/profile/step_up'

/** Permits passkeys to the application of a service. */
export const permitPasskeys = (
  { service }: Pick<RunningService, 'service'>,
  ...origins: ReadonlyArray<string>
) => succeed(service.setPasskeyOrigins(CONTEXT, 'tests', origins.length === 0 ? [ORIGIN] : origins))

/** The options of an answer, as a page of the origin uses them. */
const ceremonyOf = ({ body }: Answer, origin: string): Ceremony => ({
  challenge: body.options.challenge,
  rpId: body.options.rpId ?? body.options.rp.id,
  origin,
})

/** The ceremonies of one authenticator, at a page of the origin. */
export const passkeyDesk = (
  { send, applicationToken }: Pick<RunningService, 'send' | 'applicationToken'>,
  device: SoftwareAuthenticator,
  origin = ORIGIN,
) => {
  const post = (path: string, token: string, body?: object): Promise<Answer> =>
    send({ method: 'POST', path, token, ...(body === undefined ? {} : { body }) })
  const ask = async (path: string, body?: object) => post(path, await applicationToken(), body)
  const answered = async (options: Answer, how?: Asserting): Promise<string> => {
    expect(options.status).to.equal(200)
    return device.get(ceremonyOf(options, origin), how)
  }
  return {
    post,
    ask,
    startEnrolment: (token: string) => post(`${FACTORS}/passkey`, token),
    register: async (options: Answer, how?: Registering) => device.create(ceremonyOf(options, origin), how),
    completeEnrolment: (token: string, body: object) => post(`${FACTORS}/passkey/complete`, token, body),
    enrol: async (token: string, name?: string, how?: Registering): Promise<Answer> => {
      const credential = await device.create(ceremonyOf(await post(`${FACTORS}/passkey`, token), origin), how)
      return post(`${FACTORS}/passkey/complete`, token, { credential, ...(name && { name }) })
    },
    answered,
    /** Signs in with the passkey alone. */
    signIn: async (userId: string, how: Asserting = {}, more: object = {}): Promise<Answer> => {
      const credential = await answered(await ask(PASSKEY_SIGN_IN), {
        userHandle: userHandleOf(userId),
        ...how,
      })
      return ask(`${PASSKEY_SIGN_IN}/complete`, { credential, ...more })
    },
    /** Answers the second step of a sign-in that waits. */
    secondStep: async (token: string, how?: Asserting): Promise<Answer> =>
      ask(SECOND_STEP, {
        token,
        credential: await answered(await ask(`${SECOND_STEP}/passkey`, { token }), how),
      }),
    stepUp: async (token: string, how?: Asserting): Promise<Answer> =>
      post(STEP_UP, token, { credential: await answered(await post(`${STEP_UP}/passkey`, token), how) }),
  }
}

export const newDesk = async (
  running: Pick<RunningService, 'send' | 'applicationToken'>,
  how?: Parameters<typeof softwareAuthenticator>[0],
) => passkeyDesk(running, await softwareAuthenticator(how))
