import { left, right } from 'fp-ts/lib/Either.js'
import { createTransport } from 'nodemailer'
import type { Accepted, Later, Letter, Mailer, Refused, RelayDown } from '../../../application/ports/mail.ts'
import { isEmail } from '../../../domain/user.ts'
import { checkRelay } from './check-relay.ts'
import { failureOf, relayDown } from './failures.ts'
import { connectionOptions, limitsOf, type SmtpOptions } from './relay-options.ts'

export type { SmtpOptions }

/** Sends letters by SMTP (RFC 5321), on connections that it keeps for a while. */
export const smtpMailer = (options: SmtpOptions): Mailer => {
  const { relay, from, clock, connections } = options
  const { attemptMs, closeMs } = limitsOf(options)
  const transport = createTransport({
    ...connectionOptions(options),
    pool: true,
    maxConnections: connections,
    maxRequeues: 1, // for a kept connection that the relay has closed meanwhile: the letter did not begin
    idleTimeout: IDLE_MS,
    ...(relay.credentials !== undefined && {
      auth: { user: relay.credentials.user, pass: relay.credentials.password },
      forceAuth: true, // a relay that offers no AUTH is another one than was meant
    }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const onTheirWay = new Set<Promise<unknown>>()

  const attempt = async ({ messageId, language, ...letter }: Letter) => {
    // nodemailer makes another address of one that is malformed.
    if (!isEmail(letter.to)) return left<Refused>({ _tag: 'Refused', code: 'EENVELOPE' })
    try {
      const { response } = await transport.sendMail({
        ...{ subject: letter.subject, text: letter.text, html: letter.html },
        messageId: `<${messageId}>`,
        date: new Date(clock()),
        from: { name: from.name ?? '', address: from.address },
        to: { name: '', address: letter.to },
        envelope: { from: from.address, to: [letter.to] },
        textEncoding: 'quoted-printable',
        encoding: 'quoted-printable',
        xMailer: false,
        headers: {
          'Auto-Submitted': 'auto-generated', // RFC 3834: no vacation notice answers
          'X-Auto-Response-Suppress': 'All', // the same for Exchange
          'Content-Language': language,
        },
        signal: AbortSignal.timeout(attemptMs),
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      return right<Refused | Later | RelayDown, Accepted>({ _tag: 'Accepted', code: response.slice(0, 3) })
    } catch (error) {
      return left(failureOf(error))
    }
  }

  return {
    send: (letter) => async () => {
      const attempted = attempt(letter)
      onTheirWay.add(attempted)
      try {
        return await attempted
      } finally {
        onTheirWay.delete(attempted)
      }
    },
    check: () => async () => {
      try {
        return right(await checkRelay(options))
      } catch (error) {
        return left(relayDown(error))
      }
    },
    close: async () => {
      const force = setTimeout(() => transport.close({ force: true }), closeMs)
      await Promise.all(onTheirWay)
      clearTimeout(force)
      transport.close({ force: true })
    },
  }
}

/** Less than the silence after which nodemailer takes a connection for dead. */
const IDLE_MS = 15_000
