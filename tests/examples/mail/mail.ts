import { createTransport } from 'nodemailer'
import { type Answer, type Keys, portcullis } from './portcullis.ts'
import { sealer } from './sealed.ts'

export type MailSettings = Readonly<{
  portcullisUrl: string
  /** Keys of an application with the scopes `users:recover users:confirm_email`. */
  keys: Keys
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

type Started = Readonly<{ token: string; expires_in: number; notify: string | null }>
type Recovery = Readonly<{ token: string | null; expires_in: number; email: string }>
/** Another e-mail requires `password`, and `user_token` while a second factor is due. */
type Wanted = Readonly<{ user_id: string; email: string; password?: string; user_token?: string }>

/** Starts and completes recoveries and e-mail confirmations, and tells users what happened to their accounts. */
export const accountMail = ({ keys, site, contact, report, ...settings }: MailSettings) => {
  const { call, asApplication } = portcullis(settings.portcullisUrl, keys)
  const links = sealer<{ token: string; tell: string }>(keys.private_api_key, 'link in a mail')
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
    startRecovery: (email: string, endUser: string): Answer => {
      if (running.size >= MOST_AT_ONCE)
        return { ok: false, status: 503, message: 'Too many requests.', errors: [], retryAfter: 5 }
      later(async () => {
        const started = await asApplication<Recovery>('/users/recovery', { body: { email }, endUser })
        if (!started.ok) throw new Error(`status ${started.status} for a recovery`)
        const { token, expires_in, email: address } = started.data
        if (token === null) return
        await send(address, 'Set a new password', [
          'Open this link to set a new password:',
          await linkTo('recovery', { token, tell: address }, expires_in),
          `The link works once, for ${expires_in / 60} minutes.`,
          `If you did not ask for it, ignore this mail. Questions: ${contact}`,
        ])
      })
      return { ok: true, data: {} }
    },

    completeRecovery: async (link: string, passwords: object): Promise<Answer> => {
      const opened = await links.open(link)
      const body = { ...passwords, token: opened?.token }
      const answer = await call('/users/recovery/complete', { body })
      if (opened && answer.ok) tell([opened.tell], 'Your password was reset', setAnother)
      return answer
    },

    /** Sends the link to the new address, and tells the address that it would replace. */
    startEmail: async (wanted: Wanted): Promise<Answer> => {
      const started = await asApplication<Started>('/users/email_confirmation', { body: wanted })
      if (!started.ok) return started
      const { token, expires_in, notify } = started.data
      const tellBoth = notify === null ? '' : `${notify} ${wanted.email}`
      later(async () =>
        send(wanted.email, 'Confirm your e-mail address', [
          'Open this link to confirm that this is your e-mail address:',
          await linkTo('email', { token, tell: tellBoth }, expires_in),
          `The link works once, for ${expires_in / 3600} hours.`,
          `If you did not ask for it, ignore this mail. Questions: ${contact}`,
        ]),
      )
      if (notify !== null) tell([notify], 'Another e-mail address was entered for your account', setAnother)
      return { ok: true, data: {} }
    },

    completeEmail: async (link: string): Promise<Answer> => {
      const opened = await links.open(link)
      const answer = await call('/users/email_confirmation/complete', { body: { token: opened?.token } })
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
