import { pipe } from 'fp-ts/lib/function.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { EMAIL_CONFIRMATION_REFUSAL_CODES } from '../../domain/email-confirmation.ts'
import type { Actor } from '../../domain/event.ts'
import { type Field, isPresent } from '../../domain/field.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'

/** Compares with the id of the request, because a disabled user's own e-mail belongs to no other user. */
export const isTakenByAnother = (
  store: Pick<Store, 'findUserByEmail'>,
  { userId, email }: Readonly<{ userId: Field; email: Field }>,
): TE.TaskEither<StoreUnavailable, boolean> =>
  isPresent(email)
    ? pipe(
        store.findUserByEmail(email),
        TE.map((holder) => isSome(holder) && holder.value.id !== userId),
      )
    : TE.right(false)

/** Notes why a confirmation was not started: none of the problems means too many starts. A wrong password is noted as a refused sign-in. */
export const noteConfirmationRefused = (
  refusals: Refusals,
  { context, actor }: Readonly<{ context: RequestContext; actor: Actor }>,
  {
    userId,
    problems,
  }: Readonly<{
    userId: string | undefined
    problems: ReadonlyArray<keyof typeof EMAIL_CONFIRMATION_REFUSAL_CODES>
  }>,
): void => {
  const others = problems.filter((problem) => problem !== 'PasswordWrong')
  if (problems.length > 0 && others.length === 0) return
  const codes = others.map((problem) => EMAIL_CONFIRMATION_REFUSAL_CODES[problem]).sort((a, b) => a - b)
  refusals.note({ _tag: 'EmailConfirmationRefused', userId, codes }, actor, context)
}
