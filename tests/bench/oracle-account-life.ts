import { randomBytes } from 'node:crypto'
import { isSome } from 'fp-ts/lib/Option.js'
import type { Service } from '../../adapters/index.ts'
import { ONE_TIME_TOKEN_BYTES, oneTimeToken } from '../../domain/one-time-token.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'

/** Makes the bodies of each kind. */
export type Makers = Readonly<Record<string, () => Promise<object>>>

const PASSWORD = 'correct horse battery staple'
const WRONG = 'correct horse battery stable'
const NEXT = { new_password: 'next', new_password_check: 'next' }

/** Equally long for all, with a random place in their order. */
const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.com`

/** Accounts in each state. */
const accountsOf = (service: Service) => {
  const registered = async (): Promise<string> => {
    const email = newEmail()
    await succeed(service.registerUser(CONTEXT, { email, password: PASSWORD }, OPERATOR))
    return email
  }
  return {
    unknown: async () => newEmail(),
    registered,
    without: async () => {
      const email = newEmail()
      const request = { email, password: undefined, withoutPassword: true }
      await succeed(service.registerUser(CONTEXT, request, OPERATOR))
      return email
    },
    disabled: async () => {
      const email = await registered()
      await succeed(service.disableUser(CONTEXT, email))
      return email
    },
    removed: async () => {
      const email = await registered()
      await succeed(service.removeUser(CONTEXT, email))
      return email
    },
  }
}

/** Starts of a recovery. Only the token of an account is written, and the response to the application contains it. */
export const recoveryStarts = (service: Service): Makers => {
  const { unknown, registered, disabled, removed } = accountsOf(service)
  const of = (make: () => Promise<string>) => async () => ({ email: await make() })
  return {
    unknown: of(unknown),
    disabled: of(disabled),
    removed: of(removed),
    'others of the same': of(unknown),
    known: of(registered),
  }
}

/** Requests of a recovery mail. For an account, the sender later mails a token. */
export const recoveryMails = (service: Service): Makers => {
  const { known, ...others } = recoveryStarts(service)
  const malformed = async () => ({ email: newEmail().replace('@', ' ') })
  return { ...others, ...(known && { known }), malformed }
}

/**
 * Recovery tokens that cannot be used. An unknown one takes less time, because it has no user to read. That reveals nothing: only who
 * was sent a token can present it.
 */
export const recoveryTokens = async (service: Service): Promise<Makers> => {
  const { registered } = accountsOf(service)
  const scope = 'users:recover'
  const keys = await succeed(service.registerApplication(CONTEXT, { name: 'desk', scope }))
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, keys))
  const caller = await succeed(service.authenticate(CONTEXT, 'startRecovery', token))
  const tokenFor = async (email: string): Promise<string> => {
    const { account } = await succeed(service.startRecovery(CONTEXT, caller, { email }))
    return isSome(account) ? account.value.token : ''
  }
  const complete = (text: string) =>
    succeed(service.completeRecovery(CONTEXT, { token: text, newPassword: 'next', newPasswordCheck: 'next' }))
  const form = (text: string) => ({ token: text, ...NEXT })
  const used = async () => {
    const text = await tokenFor(await registered())
    await complete(text)
    return form(text)
  }
  const ended = async () => {
    const email = await registered()
    const [text, other] = [await tokenFor(email), await tokenFor(email)]
    await complete(other)
    return form(text)
  }
  const ofDisabled = async () => {
    const email = await registered()
    const text = await tokenFor(email)
    await succeed(service.disableUser(CONTEXT, email))
    return form(text)
  }
  const unknown = async () => form(oneTimeToken('recovery', randomBytes(ONE_TIME_TOKEN_BYTES)))
  return {
    used,
    ended,
    'of a disabled user': ofDisabled,
    'others of the same': used,
    unknown,
  }
}

/** The form of /account/sign-in. */
export const signInForms = (service: Service): Makers => {
  const { unknown, registered, without, disabled, removed } = accountsOf(service)
  const with_ = (password: string, make: () => Promise<string>) => async () => ({
    email: await make(),
    password,
  })
  return {
    unknown: with_(WRONG, unknown),
    'known, wrong password': with_(WRONG, registered),
    'disabled, wrong password': with_(WRONG, disabled),
    'disabled, right password': with_(PASSWORD, disabled),
    removed: with_(PASSWORD, removed),
    'account without a password': with_(WRONG, without),
    'others of the same': with_(WRONG, registered),
    'without a password': with_('', unknown),
  }
}
