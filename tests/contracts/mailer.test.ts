import { memoryMailer } from '../support/memory-mailer.ts'
import { openSmtpMailer } from '../support/smtp-mailer.ts'
import { mailerContract, type OpenMailer } from '../testkit/mailer.ts'
import { MAILER_MUTATIONS, type RecordingMailer } from './broken/mailer-mutations.ts'
import { catchesMutations } from './broken/port-mutations.ts'

describe('the contract of Mailer, kept by SMTP', () => mailerContract({ describe, it }, openSmtpMailer))

const openWith =
  (mutate: (good: RecordingMailer) => RecordingMailer = (good) => good): OpenMailer =>
  async ({ answerTo, isAway }) => {
    const mailer = mutate(memoryMailer(isAway ? () => 'is_away' : answerTo))
    return {
      mailer,
      received: () => mailer.received.map(({ to, kind: _, ...letter }) => ({ to: [to], ...letter })),
    }
  }

describe('the contract of Mailer, kept by the fake of the tests', () =>
  mailerContract({ describe, it }, openWith()))

describe('the contract of Mailer is a contract', () =>
  catchesMutations<RecordingMailer>(
    (runner, mutate) => mailerContract(runner, openWith(mutate)),
    MAILER_MUTATIONS,
  ))
