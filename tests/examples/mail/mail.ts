import { createTransport } from 'nodemailer'
import { portcullis, type Refused } from 'portcullis-client'
import { sealer } from './sealed.ts'

export type MailSettings = Readonly<{
  portcullisUrl: string
  /** Keys of an application with the scopes `users:recover users:confirm_email`. */
  keys: Readonly<{ publicApiKey: string; privateApiKey: string }>
  /** Your mail relay: `smtps://user:password@smtp.example.com`. */
  smtpUrl: string
  from: string
  /** Where users report what they did not do. */
  contact: string
  /** The URL of your application. It has forms at `/recovery?link=…` and `/email?link=…`. */
  site: string
  /** Learns why a mail was not sent. */
  report: (why: string) => void
}>

/** While this many jobs wait or run, no recovery starts, so that a flood of requests cannot fill the memory. */
const MOST_AT_ONCE = 100

/** Another e-mail requires `password`, and `userToken` while a second factor is due. */
type Wanted = Readonly<{
  userId: string
  email: string | undefined
  password?: string | undefined
  userToken?: string
}>
type NewPassword = Readonly<{ newPassword: string | undefined; newPasswordCheck: string | undefined }>
type Answer = Readonly<{ ok: true }> | Refused

const STARTED = { ok: true } as const
const TOO_MANY: Refused = {
  ok: false,
  refusal: 'throttled',
  retryAfter: 5,
  problems: [{ field: '', reason: 'throttled', code: 503, message: 'Too many requests.' }],
}

/** Starts and completes recoveries and e-mail confirmations, and tells users what happened to their accounts. */
export const accountMail = ({ keys, site, contact, report, ...settings }: MailSettings) => {
  const auth = portcullis({ url: settings.portcullisUrl, ...keys })
  const links = sealer<{ token: string; tell: string }>(keys.privateApiKey, 'link in a mail')
  const transport = createTransport(
    { url: settings.smtpUrl, pool: true, connectionTimeout: 10_000, socketTimeout: 30_000 },
    { from: settings.from, headers: { 'Auto-Submitted': 'auto-generated' } },
  )

  const running = new Set<Promise<unknown>>()
  /** Runs a job behind the answer to the browser. */
  const later = (job: () => Promise<unknown>): void => {
    // The messages of mail servers contain addresses, so only the code is reported.
    const run = job()
      .catch(({ code, message }) => report(code ?? message))
      .finally(() => running.delete(run))
    running.add(run)
  }

  /** An object is always one recipient. In a string, a comma would begin another one. */
  const send = (address: string, subject: string, lines: ReadonlyArray<string>) =>
    transport.sendMail({ to: { name: '', address }, subject, text: `${lines.join('\n\n')}\n` })

  const linkTo = async (page: string, { token, tell }: { token: string; tell: string }, seconds: number) =>
    `${site}/${page}?link=${await links.seal({ token, tell }, seconds)}`

  /** Tells an address what happened, and what to do if it was someone else (NIST SP 800-63B-4 §4.6). */
  const sendNotice = (address: string, what: string, { advice = '', at = new Date() } = {}) =>
    send(address, what, [
      `${what} at ${at.toUTCString()}.`,
      'If you did this, ignore this mail.',
      `If you did not: ${advice}write to ${contact} at once.`,
    ])
  const tell = (addresses: ReadonlyArray<string>, what: string, advice = ''): void => {
    for (const address of addresses) later(() => sendNotice(address, what, { advice }))
  }
  const setAnother = `set another password at ${site}, and `
  /** A new password keeps all factors. */
  const lookAtFactors = `set another password at ${site}, remove each factor that is not yours, and `

  return {
    /** Sends the link to the address on record. It returns at once, and what it returns says nothing about the account. */
    startRecovery: (email: string | undefined, endUser: string): Answer => {
      if (running.size >= MOST_AT_ONCE) return TOO_MANY
      later(async () => {
        const started = await auth.startRecovery({ email }, { endUserAddress: endUser })
        if (!started.ok) throw new Error(`${started.problems[0].reason} for a recovery`)
        const { token, expiresIn, email: address } = started
        if (token === null || address === null) return
        await send(address, 'Set a new password', [
          'Open this link to set a new password:',
          await linkTo('recovery', { token, tell: address }, expiresIn),
          `The link works once, for ${expiresIn / 60} minutes.`,
          `If you did not ask for it, ignore this mail. Questions: ${contact}`,
        ])
      })
      return STARTED
    },

    completeRecovery: async (link: string, passwords: NewPassword): Promise<Answer> => {
      const opened = await links.open(link)
      const answer = await auth.completeRecovery({ ...passwords, token: opened?.token })
      if (opened && answer.ok) tell([opened.tell], 'Your password was reset', setAnother)
      return answer
    },

    /** Sends the link to the new address, and tells the address that it would replace. */
    startEmail: async (wanted: Wanted): Promise<Answer> => {
      const started = await auth.startEmailConfirmation(wanted)
      if (!started.ok) return started
      const { token, expiresIn, notify } = started
      const { email = '' } = wanted
      const tellBoth = notify === null ? '' : `${notify} ${email}`
      later(async () =>
        send(email, 'Confirm your e-mail address', [
          'Open this link to confirm that this is your e-mail address:',
          await linkTo('email', { token, tell: tellBoth }, expiresIn),
          `The link works once, for ${expiresIn / 3600} hours.`,
          `If you did not ask for it, ignore this mail. Questions: ${contact}`,
        ]),
      )
      if (notify !== null) tell([notify], 'Another e-mail address was entered for your account', setAnother)
      return STARTED
    },

    completeEmail: async (link: string): Promise<Answer> => {
      const opened = await links.open(link)
      const answer = await auth.completeEmailConfirmation({ token: opened?.token })
      if (opened?.tell && answer.ok) tell(opened.tell.split(' '), 'Your e-mail address was changed')
      return answer
    },

    passwordChanged: (email: string): void => tell([email], 'Your password was changed', setAnother),
    accountRemoved: (email: string): void => tell([email], 'Your account was removed'),
    /** Rejects if a mail was not sent. */
    factorsChanged: (addresses: ReadonlyArray<string>, what: string, at: Date): Promise<unknown> =>
      Promise.all(addresses.map((address) => sendNotice(address, what, { advice: lookAtFactors, at }))),

    /** Sends what is left. */
    close: async (): Promise<void> => {
      await Promise.all(running)
      transport.close()
    },
  }
}
