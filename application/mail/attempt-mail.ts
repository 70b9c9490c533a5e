import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isNone, isSome, toUndefined } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { FAILED_KEPT_SECONDS, hopeless, type Mail, triedAgainAfter } from '../../domain/mail.ts'
import type { User } from '../../domain/user.ts'
import type { Timer } from '../ports/environment.ts'
import type { Accepted, Later, Letter, Refused, RelayDown } from '../ports/mail.ts'
import type { Conflict, EmailTaken, StoreUnavailable } from '../ports/store.ts'
import { NO_REQUEST } from '../recording/recorder.ts'
import type { mayNoticeLeak } from '../throttling/leak-notices.ts'
import type { MailDesk, MailObserver, MailOutcome, SenderOutbox } from './mail-parts.ts'
import { type MailReads, mailUser } from './mail-user.ts'
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
    /** From then on no step is repeated. */
    isStopped: () => boolean
  }>

/**
 * Does what is due with a claimed mail (docs/mail.md): deletes one that must not be sent, gives up one that is too old, or sends it and
 * settles what the relay answers. It never rejects.
 *
 * Until it is settled, a crash leaves the mail to the sender that claims it after the lease. Only a crash between the answer of the relay and
 * the commit sends a mail twice, with the same `Message-ID`.
 *
 * @param permit to use the relay. Without one, the mail is only looked at
 */
export const attemptMail =
  (needed: AttemptDependencies) =>
  async (mail: Mail, permit: Permit | undefined): Promise<void> => {
    const { clock, observer, store } = needed
    const user = await mailUser(store, mail)()
    if (isLeft(user)) return giveBack(needed, mail, user.left)
    if (isNone(user.right)) return drop(needed, mail)
    const account = user.right.value
    const reason = toUndefined(hopeless(mail, clock() / 1000))
    if (reason === 'expired') return fail(needed, { mail, account, code: 'expired', outcome: 'expired' })
    if (reason === 'attempts')
      return fail(needed, { mail, account, code: toUndefined(mail.code) ?? 'attempts', outcome: 'failed' })
    if (await isSuppressed(needed, mail, account)) return drop(needed, mail)
    if (permit === undefined) return postpone(needed, mail, { code: 'relay_down', givesBack: true })
    const letter = await makeLetter(needed, mail, account)()
    if (isLeft(letter)) return giveBack(needed, mail, letter.left)
    if (isNone(letter.right)) return drop(needed, mail)
    const answer = await ask(needed, letter.right.value, permit)
    switch (answer._tag) {
      case 'Accepted':
        await record(needed, { _tag: 'MailSent', mail, userId: account.id })
        return observer.ended(mail.kind, 'sent')
      case 'Refused':
        return fail(needed, { mail, account, code: answer.code, outcome: 'failed' })
      case 'Later': {
        const afterSeconds = triedAgainAfter(mail.attempts)
        if (isNone(afterSeconds)) return fail(needed, { mail, account, code: answer.code, outcome: 'failed' })
        observer.ended(mail.kind, 'later')
        return postpone(needed, mail, { code: answer.code, afterSeconds: afterSeconds.value })
      }
      case 'RelayDown': {
        // Others go first: this mail may be why the relay ends the connection.
        const afterSeconds = Math.max(1, needed.pause.seconds())
        return postpone(needed, mail, { code: answer.code, afterSeconds, givesBack: true })
      }
    }
  }

/** Sends the letter, and notes what the answer shows about the relay. */
const ask = async (
  { desk, timer, clock, observer, pause }: AttemptDependencies,
  letter: Letter,
  permit: Permit,
): Promise<Accepted | Refused | Later | RelayDown> => {
  const begin = timer.now()
  const sent = await desk.mailer.send(letter)()
  observer.answered((timer.now() - begin) / 1000)
  const answer = isRight(sent) ? sent.right : sent.left
  const wasPaused = pause.seconds() > 0
  pause.end(permit, answer._tag === 'RelayDown' ? 'down' : 'works')
  const isPaused = pause.seconds() > 0
  if (answer._tag === 'RelayDown' && !wasPaused && isPaused)
    observer.relayDown({ atMilliseconds: clock(), code: answer.code })
  if (wasPaused && !isPaused) observer.relayDown(undefined)
  return answer
}

/**
 * Whether a user has had such a notice within a day. A thief of the password could send hundreds. A later claim of the mail was counted by
 * the first one, unless that one crashed before: then the notice is sent.
 */
const isSuppressed = async (
  needed: AttemptDependencies,
  { kind, claims }: Mail,
  { id }: User,
): Promise<boolean> => {
  if (kind !== 'password_leaked' || claims > 1) return false
  const mayNotice = await needed.mayNoticeLeak(id)()
  return isRight(mayNotice) && !mayNotice.right
}

const drop = async (needed: AttemptDependencies, mail: Mail): Promise<void> => {
  await firmly(needed, needed.outbox.settle(heldOf(mail)))
  needed.observer.ended(mail.kind, 'dropped')
}

const fail = async (
  needed: AttemptDependencies,
  {
    mail,
    account,
    code,
    outcome,
  }: Readonly<{ mail: Mail; account: User; code: string; outcome: MailOutcome }>,
): Promise<void> => {
  const keptUntilSeconds = Math.floor(needed.clock() / 1000) + FAILED_KEPT_SECONDS
  const failed = { code, keptUntilSeconds }
  await record(needed, { _tag: 'MailFailed', mail, userId: account.id, failed })
  needed.observer.ended(mail.kind, outcome)
}

/** Without `afterSeconds`, it stays due. */
const postpone = async (
  needed: AttemptDependencies,
  mail: Mail,
  { code, afterSeconds, givesBack = false }: { code: string; afterSeconds?: number; givesBack?: boolean },
): Promise<void> => {
  const dueAtSeconds =
    afterSeconds === undefined ? mail.dueAtSeconds : Math.floor(needed.clock() / 1000) + afterSeconds
  await firmly(needed, needed.outbox.postpone({ ...heldOf(mail), dueAtSeconds, code, givesBack }))
}

/** The store failed before the relay was asked. If this fails too, the lease ends. */
const giveBack = async (
  { outbox, observer }: AttemptDependencies,
  mail: Mail,
  failure: StoreUnavailable,
): Promise<void> => {
  observer.failed(failure)
  const { dueAtSeconds } = mail
  await outbox.postpone({ ...heldOf(mail), dueAtSeconds, code: 'store_unavailable', givesBack: true })()
}

type MailFact = Parameters<AttemptDependencies['record']>[0][0] & { _tag: 'MailSent' | 'MailFailed' }

/** A `Conflict` means that another sender has the mail, and says what became of it. */
const record = (needed: AttemptDependencies, fact: MailFact): Promise<void> =>
  firmly(needed, needed.record([fact], { kind: 'nobody' }, NO_REQUEST))

/**
 * Repeats a step while the store is unavailable, for about a minute: what the relay took must not be sent again because the store was away.
 */
const firmly = async (
  { timer, observer, isStopped }: AttemptDependencies,
  step: TaskEither<Conflict | EmailTaken | StoreUnavailable, unknown>,
): Promise<void> => {
  for (let pauseMs = 1_000; ; pauseMs *= 2) {
    const done = await step()
    if (isRight(done) || done.left._tag !== 'StoreUnavailable') return
    observer.failed(done.left)
    if (pauseMs > LONGEST_REPEAT_MS || isStopped()) return
    await timer.until(timer.now() + pauseMs)()
  }
}

const LONGEST_REPEAT_MS = 32_000

const heldOf = ({ id, claim }: Mail) => ({ id, claim: isSome(claim) ? claim.value : '' })
