import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { LIMITS, type Limits } from '../../adapters/credentials/openid/bounded-fetch.ts'
import { openIdProvider } from '../../adapters/credentials/openid/openid-provider.ts'
import type { EmailTrust } from '../../adapters/credentials/openid/verified-email.ts'
import type {
  Identity,
  IdentityProvider,
  IdentityRequest,
} from '../../application/ports/identity-provider.ts'
import { type Deed, type Hostile, startHostile } from '../support/identity-providers/hostile.ts'
import { CLIENT } from '../support/identity-providers/stand-in.ts'
import { succeed } from '../support/outcome.ts'
import { newRequest } from '../testkit/identity-provider.ts'

export type HostileDesk = Readonly<{
  hostile: Hostile
  /** The adapter for the provider, with the time that it is given. */
  open: (options?: Options) => IdentityProvider
  /** Signs in at a provider that was honest before the redirect. Returns the identity, or why it was refused. */
  signIn: (deed: Deed, options?: Options & Readonly<{ isAgain?: boolean }>) => Promise<Identity | string>
}>

type Options = Readonly<{ trustsEmail?: EmailTrust; limits?: Partial<Limits>; now?: () => number }>

/** A hostile provider for the tests of a `describe`. */
export const hostileDesk = (): HostileDesk => {
  let hostile: Hostile
  before(async () => {
    hostile = await startHostile()
  })
  afterEach(() => hostile.behave({}))
  after(() => hostile.stop())
  const open = ({ trustsEmail = false, limits, now = () => performance.now() }: Options = {}) =>
    openIdProvider(
      { name: 'hostile', label: 'Hostile', issuer: hostile.issuer, trustsEmail, ...CLIENT },
      now,
      {
        ...LIMITS,
        ...limits,
      },
    )
  return {
    get hostile() {
      return hostile
    },
    open,
    signIn: async (deed, { isAgain = false, ...options } = {}) => {
      const provider = open(options)
      const request = newRequest({ isAgain })
      const answer = hostile.answerTo(await succeed(provider.start(request)))
      hostile.behave(deed)
      return completed(provider, answer, request)
    },
  }
}

/** The identity, or why there is none. */
export const completed = async (
  provider: IdentityProvider,
  answer: string,
  request: IdentityRequest,
): Promise<Identity | string> => {
  const outcome = await provider.complete(answer, request)()
  return isLeft(outcome) ? failureText(outcome.left) : outcome.right
}

/** `done`, or why it failed. */
export const outcomeOf = async (task: TaskEither<Failure, unknown>): Promise<string> => {
  const outcome = await task()
  return isLeft(outcome) ? failureText(outcome.left) : 'done'
}

type Failure = Readonly<{ _tag: string; reason?: string }>

const failureText = (failure: Failure): string => failure.reason ?? failure._tag
