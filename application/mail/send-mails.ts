import { isLeft } from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import { CLAIM_SECONDS } from '../../domain/mail.ts'
import { type AttemptDependencies, attemptMail } from './attempt-mail.ts'
import { type Permit, relayPause, type Shown } from './relay-pause.ts'

/** Sends the mails of the outbox in the background (docs/mail.md). Several instances may send from one outbox. */
export type MailSender = Readonly<{
  /** Looks for due mails once a second. A second call does nothing. */
  start(): void
  /** Looks now, without an answer. */
  wake(): void
  /** Looks now, and resolves when this sender has nothing more to do. It never rejects. */
  look: Task<void>
  /** Claims no more. It resolves when no mail is in flight, and after `STOP_MS` at the latest. A mail that is lost so is sent again. */
  stop: Task<void>
}>

/**
 * Claims mails and attempts them, at most `connections` at once. While the relay is down it only looks at new request mails, and deletes those for
 * unknown addresses: otherwise a flood of them would fill the outbox, and one whose relay works again would begin with them.
 *
 * @param every repeats work until its result is called
 */
export const mailSender = ({
  connections,
  every,
  ...needed
}: Omit<AttemptDependencies, 'pause' | 'isStopped' | 'unsettled'> &
  Readonly<{
    connections: number
    every: (milliseconds: number, work: () => void) => () => void
  }>): MailSender => {
  const { outbox, observer, clock, random, timer, desk } = needed
  let isStopped = false
  let end: (() => void) | undefined
  const pause = relayPause(needed)
  const unsettled = new Set<string>()
  const attempt = attemptMail({ ...needed, pause, isStopped: () => isStopped, unsettled })
  const workers = new Set<Promise<void>>()
  const mayClaim = (): boolean => !isStopped && unsettled.size === 0

  /** Each worker that finds a mail calls the next one. So an empty outbox is asked once. */
  const engage = (): void => {
    if (!mayClaim() || workers.size >= connections) return
    const worker = work().finally(() => workers.delete(worker))
    workers.add(worker)
  }

  const work = async (): Promise<void> => {
    while (mayClaim() && (await workWith(pause.begin()))) {}
  }

  /** Resolves with whether there may be more to do. */
  const workWith = async (permit: Permit | undefined): Promise<boolean> => {
    let shown: Shown = 'nothing'
    try {
      if (permit?.isProbe) {
        shown = await probe()
        if (shown !== 'works' || isStopped) return true
      }
      const sinceMs = timer.now()
      const claimed = await outbox.claim({
        claim: random.uuid(),
        nowSeconds: Math.floor(clock() / 1000),
        leaseSeconds: CLAIM_SECONDS,
        limit: 1,
        unseenRequestsOnly: permit === undefined,
      })()
      if (isLeft(claimed)) {
        observer.failed(claimed.left)
        return false
      }
      const [mail] = claimed.right
      if (mail === undefined) return false
      engage()
      return await attempt({ mail, sinceMs }, permit)
    } catch (error) {
      observer.crashed(error)
      return false
    } finally {
      if (permit !== undefined) pause.end(permit, shown)
    }
  }

  /** Asks the relay without a letter. So an outage makes no one-time tokens, and no mail waits for the answer. */
  const probe = async (): Promise<Shown> => {
    const checked = await desk.mailer.check()()
    return isLeft(checked) ? { downBecause: checked.left.code } : 'works'
  }

  const settled = async (): Promise<void> => {
    while (workers.size > 0) await Promise.all(workers)
  }

  const look = async (): Promise<void> => {
    engage()
    await settled()
  }

  return {
    start: () => {
      end ??= every(LOOK_MS, engage)
    },
    wake: engage,
    look,
    stop: async () => {
      isStopped = true
      end?.()
      let endWait = (): void => {}
      const atMost = new Promise<void>((resolve) => {
        endWait = every(STOP_MS, resolve)
      })
      await Promise.race([settled(), atMost])
      endWait()
    },
  }
}

const LOOK_MS = 1_000

/** So that a process that is asked to end does so within the usual grace of 30 seconds. */
const STOP_MS = 10_000
