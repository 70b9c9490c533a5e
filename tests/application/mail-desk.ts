import { setImmediate } from 'node:timers/promises'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { aesSealing } from '../../adapters/node/sealing.ts'
import { memoryFailureCounts } from '../../adapters/stores/memory/failure-counts.ts'
import type { MailLinks, MailOutcome } from '../../application/mail/mail-parts.ts'
import { mailSender } from '../../application/mail/send-mails.ts'
import type { Store } from '../../application/ports/store.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { mayNoticeLeak } from '../../application/throttling/leak-notices.ts'
import { type Mail, type MailKind, newMail } from '../../domain/mail.ts'
import { memoryMailer } from '../support/memory-mailer.ts'
import { succeed } from '../support/outcome.ts'
import { countingRandom } from './fakes.ts'
import { newWorld, type World } from './world.ts'

export type RelayAnswers = Parameters<typeof memoryMailer>[0]

/** A world with a sender of mails, a relay that answers as the test says, and a clock that only the test moves. */
export const newMailDesk = async (
  answerTo: RelayAnswers = () => 'takes',
  given: Parameters<typeof newWorld>[0] = {},
) => {
  const world = await newWorld(given)
  const mailer = memoryMailer(answerTo)
  return { ...world, mailer, ...sending(world, mailer), ...mailsOf(world) }
}

const LINKS: MailLinks = {
  recovery: (token) => `https://auth.example.com/account/recovery?token=${token}`,
  emailConfirmation: (token) => `https://auth.example.com/account/email?token=${token}`,
  register: (token) => `https://auth.example.com/account/register?token=${token}`,
  signIn: 'https://auth.example.com/account/sign-in',
  forgotten: 'https://auth.example.com/account/forgotten',
  account: 'https://auth.example.com/account',
}

/** Another sender on the same outbox. */
export const sending = (
  { store, outbox, clock }: Pick<World, 'outbox' | 'clock'> & Readonly<{ store: Store }>,
  mailer: ReturnType<typeof memoryMailer>,
  links: MailLinks = LINKS,
) => {
  const outcomes: Array<readonly [MailKind, MailOutcome]> = []
  const pauses: Array<string | undefined> = []
  const timers: Array<Readonly<{ milliseconds: number; work: () => void }>> = []
  const random = { uuid: () => crypto.randomUUID(), bytes: countingRandom().bytes }
  const sender = mailSender({
    store,
    outbox,
    clock: clock.read,
    timer: { now: clock.read, until: () => async () => setImmediate() },
    random,
    digests: nodeDigests,
    record: recorder({ store, clock: clock.read, random, digests: nodeDigests }),
    mayNoticeLeak: mayNoticeLeak({ counts: memoryFailureCounts(clock.read), clock: clock.read }),
    desk: {
      mailer,
      writeLetter: ({ id, to, wishes, message }) => ({
        kind: message.kind,
        to,
        subject: message.kind,
        text: JSON.stringify(message),
        html: '',
        language: wishes.join(' ') || 'none',
        messageId: `${id}@example.com`,
      }),
    },
    links,
    sealing: aesSealing([{ secret: 's'.repeat(32) }], { now: clock.read }),
    settings: { recoveryTtlSeconds: 3_600, emailConfirmationTtlSeconds: 86_400 },
    connections: 4,
    every: (milliseconds, work) => {
      timers.push({ milliseconds, work })
      return () => {}
    },
    observer: {
      ended: (...outcome) => void outcomes.push(outcome),
      answered: () => {},
      relayDown: (since) => void pauses.push(since?.code),
      failed: () => {},
      crashed: (error) => {
        throw error
      },
    },
  })
  return { sender, look: sender.look, outcomes, pauses, timers }
}

const mailsOf = ({ outbox, clock, ada, shop }: World) => {
  let count = 0
  return {
    /** Puts a mail that is due now, by default about Ada. */
    put: async (kind: MailKind, changed: Partial<Mail> = {}): Promise<Mail> => {
      count += 1
      const id = `20000000-0000-7000-8000-${String(count).padStart(12, '0')}`
      const now = Math.floor(clock.read() / 1000)
      const isRecovery = kind === 'recovery'
      const userId: Option<string> = isRecovery ? none : some(ada.id)
      const applicationId = some(shop.application.id)
      const mail = {
        ...newMail({ id, kind, userId, address: ada.email, language: none, applicationId }, now),
        ...changed,
      }
      await succeed(outbox.put({ mail, unseenAtMost: 10_000 }))
      return mail
    },
    waiting: () => succeed(outbox.list({ state: none, after: '', limit: 1_000 })),
  }
}
