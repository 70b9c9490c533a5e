import { pipe } from 'fp-ts/lib/function.js'
import { chain, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Field } from '../../domain/field.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Sealing } from '../ports/sealing.ts'
import { openSealed, type StateKind, sealState } from './sealed-state.ts'

/**
 * What the link of a registration mail is for: an account with this e-mail, which gets this id.
 *
 * The id is that of the mail. No two accounts have one id, and that of a removed account stays. So all copies of a mail make one account, and
 * a used link makes none again, also once the account is removed or has another e-mail.
 */
export type RegistrationLink = Readonly<{ userId: string; email: string }>

type Dependencies = Readonly<{
  sealing: Sealing
  clock: Clock
  random: Random
  settings: Readonly<{ emailConfirmationTtlSeconds: number }>
}>

const kindOf = ({ settings }: Pick<Dependencies, 'settings'>): StateKind => ({
  about: ['registration'],
  lifetimeSeconds: settings.emailConfirmationTtlSeconds,
})

/** Returns the token of a link. It is sealed, because a one-time token has a user, and an unused link leaves nothing behind. */
export const sealRegistration = (dependencies: Dependencies, { userId, email }: RegistrationLink): string =>
  sealState(dependencies, kindOf(dependencies), [userId, email])

/** Returns what a token is for: none if it is not one, or has ended. It may be used already. */
export const openRegistration = (
  dependencies: Pick<Dependencies, 'sealing' | 'clock' | 'settings'>,
  token: Field,
): Option<RegistrationLink> =>
  pipe(
    openSealed(dependencies, token, kindOf(dependencies)),
    chain(({ parts: [userId, email, ...more] }) =>
      userId === undefined || email === undefined || more.length > 0 ? none : some({ userId, email }),
    ),
  )
