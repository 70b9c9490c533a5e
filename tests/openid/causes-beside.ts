import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { MAX_SESSIONS } from '../../domain/session.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import {
  ALL,
  applicationToken,
  type Cause,
  CLIENT,
  type Ends,
  enrol,
  NEW,
  NOTHING,
  post,
  SSO,
} from './causes.ts'
import { renewed } from './signed-in.ts'
import type { Instance, Person } from './two-providers.ts'

const byOperator =
  (work: (service: Instance['service'], person: Person) => Promise<unknown>): Cause['end'] =>
  ({ providers: { one }, here: { person } }) =>
    work(one.service, person)

const byApplication =
  (path: string, scope: string, bodyOf: (person: Person) => object): Cause['end'] =>
  async ({ providers, here: { person } }) =>
    post(providers.one, path, await applicationToken(providers, scope), bodyOf(person))

const recover = async ({ providers, here: { person } }: Ends): Promise<void> => {
  const { service, send: request } = providers.one
  const token = await applicationToken(providers, 'users:recover')
  const caller = await succeed(service.authenticate(CONTEXT, 'startRecovery', token))
  const { account } = await succeed(service.startRecovery(CONTEXT, caller, { email: person.email }))
  const body = { token: toUndefined(account)?.token, ...NEW }
  const { status } = await request({ method: 'POST', path: '/api/v1/users/recovery/complete', body })
  expect(status).to.equal(200)
}

/** Confirms another e-mail with a one-time token of the service. */
const changeEmail = async ({ providers, here: { person } }: Ends): Promise<void> => {
  const { service, send } = providers.one
  const caller = await succeed(
    service.authenticate(
      CONTEXT,
      'startEmailConfirmation',
      await applicationToken(providers, 'users:confirm_email'),
    ),
  )
  const wanted = { userId: person.id, email: `new-${person.email}`, password: person.password }
  const { token } = await succeed(service.startEmailConfirmation(CONTEXT, caller, wanted))
  const path = '/api/v1/users/email_confirmation/complete'
  expect((await send({ method: 'POST', path, body: { token } })).status).to.equal(200)
}

/** Signs the person in elsewhere, until the sessions that expire first end. */
const signInBeyondBound = async ({ providers, here: { person } }: Ends): Promise<void> => {
  const { service } = providers.one
  const token = await applicationToken(providers, 'users:sign_in')
  const caller = await succeed(service.authenticate(CONTEXT, 'signIn', token))
  providers.passSeconds(1)
  // Each browser has two sessions. Those of the first one expire first.
  for (let count = 4; count < MAX_SESSIONS + 2; count += 1)
    await succeed(service.signIn(CONTEXT, caller, { email: person.email, password: person.password }))
}

/** What operators and other applications do. */
export const OF_OTHERS: Readonly<Record<string, Cause>> = {
  'a recovery': { end: recover, here: ALL, there: ALL, writes: 'PasswordRecovered' },
  'another e-mail': { end: changeEmail, here: NOTHING, there: NOTHING, writes: 'EmailConfirmed' },
  'a password that an operator sets': {
    end: byOperator((service, { email }) =>
      succeed(service.setPassword(CONTEXT, { user: email, password: 'nine purple otters' })),
    ),
    here: ALL,
    there: ALL,
    writes: 'PasswordSet',
  },
  'the end of all sessions by an operator': {
    end: byOperator((service, { email }) => succeed(service.endUserSessions(CONTEXT, email))),
    here: ALL,
    there: ALL,
    writes: 'SessionsEnded',
  },
  'a disabling by an operator': {
    end: byOperator((service, { email }) => succeed(service.disableUser(CONTEXT, email))),
    here: ALL,
    there: ALL,
    writes: 'UserDisabled',
  },
  'a disabling, and enabling again': {
    end: byOperator(async (service, { email }) => {
      await succeed(service.disableUser(CONTEXT, email))
      await succeed(service.enableUser(CONTEXT, email))
    }),
    here: ALL,
    there: ALL,
    writes: 'UserEnabled',
  },
  'a removal by an operator': {
    end: byOperator((service, { email }) => succeed(service.removeUser(CONTEXT, email))),
    here: ALL,
    there: ALL,
    writes: 'UserRemoved',
  },
  'a reset of the second factors by an operator': {
    end: async (ends) => {
      await enrol(ends)
      await byOperator((service, { email }) => succeed(service.resetUserFactors(CONTEXT, email)))(ends)
    },
    here: ALL,
    there: ALL,
    writes: 'FactorsReset',
    emailVerified: true,
  },
  ...Object.fromEntries(
    (
      [
        ['the end of all sessions', 'end_sessions', 'SessionsEnded'],
        ['a disabling', 'disable', 'UserDisabled'],
        ['a removal', 'remove', 'UserRemoved'],
      ] as const
    ).map(([what, path, writes]) => [
      `${what} by an application`,
      {
        end: byApplication(`/api/v1/users/${path}`, 'users:manage', ({ id }) => ({ user_id: id })),
        here: ALL,
        there: ALL,
        writes,
      },
    ]),
  ),
  'a claim of the account': {
    end: byApplication(
      '/api/v1/auth/user/vouched',
      'users:vouch users:sign_in users:confirm_email',
      ({ email }) => ({ email, email_verified: true, method: 'email' }),
    ),
    here: ALL,
    there: ALL,
    writes: 'AccountClaimed',
  },
  'a revocation of the application': {
    end: ({ providers: { one }, here: { client } }) =>
      succeed(one.service.revokeApplication(CONTEXT, client.id)),
    here: CLIENT,
    there: CLIENT,
    writes: 'ApplicationRevoked',
  },
  'sign-ins beyond the bound': {
    end: signInBeyondBound,
    here: ALL,
    there: NOTHING,
    writes: 'UserSignedOut',
  },
  'a new key of the application': {
    end: async ({ providers: { one }, here: { client } }) => {
      const rotated = await succeed(
        one.service.rotateApplicationKey(CONTEXT, { id: client.id, overlapSeconds: 0 }),
      )
      Object.assign(client, { secret: rotated.privateApiKey })
    },
    here: NOTHING,
    there: NOTHING,
    writes: 'ApplicationKeyRotated',
  },
}

/** Clocks are behind each other by up to five seconds. */
export const [IDLE_SECONDS, SESSION_SECONDS, TOLERANCE_SECONDS] = [1_800, 5_000, 6]

/** A code lives for a minute at most, so it has ended before a session expires. */
export const OF_TIME: Readonly<Record<string, Cause>> = {
  'time without a request': {
    end: async ({ providers }) => providers.passSeconds(IDLE_SECONDS + TOLERANCE_SECONDS),
    here: ALL,
    there: ALL,
  },
  'time in which only one client refreshes': {
    end: async ({ providers, here }) => {
      providers.passSeconds(IDLE_SECONDS * 0.75)
      expect(await renewed(providers.one, here)).to.equal(true)
      providers.passSeconds(IDLE_SECONDS * 0.75)
      expect(await renewed(providers.one, here)).to.equal(true)
    },
    here: SSO,
    there: ALL,
    writes: 'SessionRenewed',
  },
  'the end of its lifetime, although the client refreshes': {
    end: async ({ providers, here }) => {
      for (let passed = 0; passed < SESSION_SECONDS - 1_000; passed += 1_000) {
        providers.passSeconds(1_000)
        expect(await renewed(providers.one, here)).to.equal(true)
      }
      providers.passSeconds(1_000 + TOLERANCE_SECONDS)
    },
    here: ALL,
    there: ALL,
    writes: 'SessionRenewed',
  },
}
