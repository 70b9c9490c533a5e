import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { LATE_SECONDS } from '../../../domain/mail.ts'
import { type Html, html } from '../operation/html.ts'
import type { ScreenParts } from './parts.ts'
import { ageText, numberText } from './times.ts'

/** The mails of the outbox in one sentence. Undefined if the service sends none and none is left. */
export const mailsAnswer = async ({
  mails,
  clock,
}: Pick<ScreenParts, 'mails' | 'clock'>): Promise<Either<StoreUnavailable, Html | undefined>> => {
  if (mails === undefined) return right(undefined)
  const counted = await mails.counts()()
  if (isLeft(counted)) return counted
  const { waiting, failed, oldestDueAtSeconds: oldest } = counted.right
  if (!mails.areSent && waiting + failed === 0) return right(undefined)
  const dueForMs = isSome(oldest) ? clock() - oldest.value * 1000 : 0
  const isLate = dueForMs > LATE_SECONDS * 1000
  const age = waiting > 0 && dueForMs > 0 ? `, the oldest for ${ageText(dueForMs)}` : ''
  return right(
    html`<strong${isLate && html` class="bad"`}>Mail:</strong> ${numberText(waiting)} waiting${age}. ${numberText(failed)} failed.`,
  )
}
