import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isNone, isSome, toUndefined } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  ATTEMPT_SECONDS,
  CLAIM_SECONDS,
  FAILED_KEPT_SECONDS,
  givenBackFor,
  hopeless,
  type Mail,
  triedAgainAfter,
} from '../../domain/mail.ts'
import type { Timer } from '../ports/environment.ts'
import type { Accepted, Later, Letter, Refused, RelayDown } from '../ports/mail.ts'
import type { Conflict, EmailTaken, StoreUnavailable } from '../ports/store.ts'
import { NO_REQUEST } from '../recording/recorder.ts'
import type { mayNoticeLeak } from '../throttling/leak-notices.ts'
import type { MailDesk, MailObserver, MailOutcome, SenderOutbox } from './mail-parts.ts'
import { type AddressedMail, addressMail, type MailReads } from './mail-user.ts'
import { type LetterDependencies, makeLetter } from './make-letter.ts'
import type { Permit, RelayPause } from './relay-pause.ts'

export type AttemptDependencies = Omit<LetterDependencies, 'desk'> &
  Readonly<{
    store: MailReads
    outbox: SenderOutbox
    desk: MailDesk
    timer: Timer
    mayNoticeLeak: ReturnType<typeof mayNoticeLeak>
    pause: RelayPause
    observer: MailObserver
    /** From then on no letter begins, and no step is repeated. */
    isStopped: () => boolean
    /** The mails of which the store does not take the outcome. Meanwhile, no other one is claimed: it could be sent again and again. */
    unsettled: Set<string>
  }>

/** A mail as the sender has it. `sinceMs`: when the timer said that its claim began, or before. */
export type ClaimedMail = Readonly<{ mail: Mail; sinceMs: number }>

/**
 * Does what is due with a claimed mail (docs/mail.md): deletes one that must not be sent, gives up one that is too old, or sends it and
 * settles what the relay answers. It resolves with whether the store worked, and never rejects.
 *
 * Until it is settled, a crash leaves the mail to the sender that claims it after the lease. Only a crash between the answer of the relay and
 * the commit sends a mail twice, with the same `Message-ID`.
 *
 * @param permit to use the relay. Without one, the mail is only looked at
 */
export const attemptMail =
  (needed: AttemptDependencies) =>
  async ({ mail: claimed, sinceMs }: ClaimedMail, permit: Permit | undefined): Promise<boolean> => {
    const found = await addressMail(needed.store, claimed)()
    if (isLeft(found)) return giveBack(needed, claimed, found.left)
    if (isNone(found.right)) return drop(needed, claimed)
    const addressed = found.right.value
    const { mail } = addressed
    const reason = toUndefined(hopeless(mail, needed.clock() / 1000))
    if (reason === 'expired') return fail(needed, addressed, { code: 'expired', outcome: 'expired' })
    if (reason === 'attempts')
      return fail(needed, addressed, { code: toUndefined(mail.code) ?? 'attempts', outcome: 'failed' })
    if (await countLeakNotice(needed, addressed)) return drop(needed, mail)
    if (permit === undefined) return postpone(needed, mail, { code: 'relay_down', givesBack: true })
    if (needed.isStopped()) return postpone(needed, mail, { code: 'stopped', givesBack: true })
    const letter = await makeLetter(needed, addressed)()
    if (isLeft(letter))
      return letter.left._tag === 'NoPages'
        ? leaveToOthers(needed, mail)
        : giveBack(needed, mail, letter.left)
    if (isNone(letter.right)) return drop(needed, mail)
    const tooLate = tooLateFor(needed, sinceMs)
    if (tooLate !== undefined) return postpone(needed, mail, { code: tooLate, givesBack: true })
    const answer = await ask(needed, letter.right.value, permit)
    switch (answer._tag) {
      case 'Accepted':
        await settle(needed, addressed, (userId) => ({ _tag: 'MailSent', mail, userId }))
        needed.observer.ended(mail.kind, 'sent')
        return true
      case 'Refused':
        return fail(needed, addressed, { code: answer.code, outcome: 'failed' })
      case 'Later': {
        const afterSeconds = triedAgainAfter(mail.attempts)
        if (isNone(afterSeconds)) return fail(needed, addressed, { code: answer.code, outcome: 'failed' })
        needed.observer.ended(mail.kind, 'later')
        return postpone(needed, mail, { code: answer.code, afterSeconds: afterSeconds.value })
      }
      case 'RelayDown': {
        // Others go first: this mail may be why the relay ends the connection.
        const afterSeconds = Math.max(needed.pause.seconds(), givenBackFor(mail))
        return postpone(needed, mail, { code: answer.code, afterSeconds, givesBack: true })
      }
    }
  }

/** Why a letter does not begin any more: the process ends, or was so slow or paused that another sender may get the mail meanwhile. */
const tooLateFor = (
  { isStopped, timer }: AttemptDependencies,
  sinceMs: number,
): 'stopped' | 'late' | undefined => {
  if (isStopped()) return 'stopped'
  return timer.now() - sinceMs > (CLAIM_SECONDS - ATTEMPT_SECONDS) * 1_000 ? 'late' : undefined
}

/** Sends the letter, and notes what the answer shows about the relay. */
const ask = async (
  { desk, timer, observer, pause }: AttemptDependencies,
  letter: Letter,
  permit: Permit,
): Promise<Accepted | Refused | Later | RelayDown> => {
  const begin = timer.now()
  const sent = await desk.mailer.send(letter)()
  observer.answered((timer.now() - begin) / 1000)
  const answer = isRight(sent) ? sent.right : sent.left
  pause.end(permit, answer._tag === 'RelayDown' ? { downBecause: answer.code } : 'works')
  return answer
}

/**
 * Counts a `password_leaked`, and returns whether the user has had one within a day. A thief of the password could send hundreds. A later
 * claim of the mail was counted by the first one, unless that one crashed before: then the notice is sent.
 */
const countLeakNotice = async (
  needed: AttemptDependencies,
  { mail: { kind, claims }, user }: AddressedMail,
): Promise<boolean> => {
  if (kind !== 'password_leaked' || claims > 1 || isNone(user)) return false
  const mayNotice = await needed.mayNoticeLeak(user.value.id)()
  return isRight(mayNotice) && !mayNotice.right
}

const drop = async (needed: AttemptDependencies, mail: Mail): Promise<true> => {
  await firmly(needed, mail, needed.outbox.settle(heldOf(mail)))
  needed.observer.ended(mail.kind, 'dropped')
  return true
}

const fail = async (
  needed: AttemptDependencies,
  addressed: AddressedMail,
  { code, outcome }: Readonly<{ code: string; outcome: MailOutcome }>,
): Promise<true> => {
  const { mail } = addressed
  const keptUntilSeconds = Math.floor(needed.clock() / 1000) + FAILED_KEPT_SECONDS
  const failed = { code, keptUntilSeconds }
  await settle(needed, addressed, (userId) => ({ _tag: 'MailFailed', mail, userId, failed }))
  needed.observer.ended(mail.kind, outcome)
  return true
}

/** Without `afterSeconds`, it stays due. */
const postpone = async (
  needed: AttemptDependencies,
  mail: Mail,
  { code, afterSeconds, givesBack = false }: { code: string; afterSeconds?: number; givesBack?: boolean },
): Promise<true> => {
  const dueAtSeconds = afterSeconds === undefined ? mail.dueAtSeconds : dueAfter(needed, afterSeconds)
  await firmly(needed, mail, needed.outbox.postpone({ ...heldOf(mail), dueAtSeconds, code, givesBack }))
  return true
}

/** To the instances with pages. Without any, the mail expires. */
const leaveToOthers = (needed: AttemptDependencies, mail: Mail): Promise<true> =>
  postpone(needed, mail, { code: 'no_pages', afterSeconds: givenBackFor(mail), givesBack: true })

/** The store failed before the relay was asked. Others go first: perhaps one row cannot be read. If this fails too, the lease ends. */
const giveBack = async (
  needed: AttemptDependencies,
  mail: Mail,
  failure: StoreUnavailable,
): Promise<false> => {
  needed.observer.failed(failure)
  const dueAtSeconds = dueAfter(needed, givenBackFor(mail))
  const code = 'store_unavailable'
  await needed.outbox.postpone({ ...heldOf(mail), dueAtSeconds, code, givesBack: true })()
  return false
}

const dueAfter = ({ clock }: AttemptDependencies, seconds: number): number =>
  Math.floor(clock() / 1000) + seconds

type MailFact = Parameters<AttemptDependencies['record']>[0][0] & { _tag: 'MailSent' | 'MailFailed' }

/**
 * Records what became of a mail. Without a user it is deleted, whatever came of it: the log is about users, and no address of a stranger
 * stays.
 *
 * A `Conflict` means that another sender has the mail, and says what became of it.
 */
const settle = (
  needed: AttemptDependencies,
  { mail, user }: AddressedMail,
  factAbout: (userId: string) => MailFact,
): Promise<void> =>
  firmly(
    needed,
    mail,
    isNone(user)
      ? needed.outbox.settle(heldOf(mail))
      : needed.record([factAbout(user.value.id)], { kind: 'nobody' }, NO_REQUEST),
  )

/**
 * Repeats a step until the store takes it, or another sender has the mail: what the relay took must not be sent again because the store was
 * away.
 */
const firmly = async (
  { timer, observer, isStopped, unsettled }: AttemptDependencies,
  { id }: Pick<Mail, 'id'>,
  step: TaskEither<Conflict | EmailTaken | StoreUnavailable, unknown>,
): Promise<void> => {
  try {
    for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, LONGEST_REPEAT_MS)) {
      const done = await step()
      if (isRight(done) || done.left._tag !== 'StoreUnavailable') return
      observer.failed(done.left)
      if (isStopped()) return
      unsettled.add(id)
      await timer.until(timer.now() + pauseMs)()
    }
  } finally {
    unsettled.delete(id)
  }
}

/** Shorter than a stop waits. */
const LONGEST_REPEAT_MS = 8_000

const heldOf = ({ id, claim }: Mail) => ({ id, claim: isSome(claim) ? claim.value : '' })
