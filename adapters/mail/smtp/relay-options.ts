import { isIP, isIPv4, isIPv6 } from 'node:net'
import type { SMTPConnectionOptions } from 'nodemailer'
import type { Clock } from '../../../application/ports/environment.ts'
import { ATTEMPT_SECONDS } from '../../../domain/mail.ts'

/** What letters need of the outside. */
export type SmtpOptions = Readonly<{
  relay: Readonly<{
    host: string
    port: number
    /**
     * `implicit`: TLS from the first byte. `starttls`: TLS before all else, or no letter. `offered`: TLS if the relay offers it, only for a
     * relay on this machine.
     */
    tls: 'implicit' | 'starttls' | 'offered'
    credentials: Readonly<{ user: string; password: string }> | undefined
  }>
  from: Readonly<{ name: string | undefined; address: string }>
  /** The largest number of connections. */
  connections: number
  /** The host name of the service, with which it greets the relay. */
  hostName: string
  clock: Clock
  /** Certificates that the relay's is verified with, in PEM. Without them, those of Node.js. */
  ca?: string
  limits?: Partial<Limits>
}>

type Limits = Readonly<{
  connectMs: number
  /** Until the relay greets, and until STARTTLS is done. */
  greetingMs: number
  /** The longest silence of the relay. */
  silenceMs: number
  attemptMs: number
  /** How long letters on their way have at `close`. */
  closeMs: number
}>

export const limitsOf = ({ limits }: SmtpOptions): Limits => ({
  connectMs: 10_000,
  greetingMs: 10_000,
  silenceMs: 30_000,
  attemptMs: ATTEMPT_SECONDS * 1000,
  closeMs: 10_000,
  ...limits,
})

/** The options of a connection. They are ours: nodemailer never reads a URL, which could carry options. */
export const connectionOptions = (options: SmtpOptions) => {
  const { relay, hostName, ca } = options
  const { connectMs, greetingMs, silenceMs } = limitsOf(options)
  return {
    // nodemailer asks a DNS server for `localhost` too, which could lead plain text elsewhere.
    host: relay.tls === 'offered' && isIP(relay.host) === 0 ? '127.0.0.1' : relay.host,
    port: relay.port,
    secure: relay.tls === 'implicit',
    requireTLS: relay.tls === 'starttls',
    name: greetingName(hostName),
    connectionTimeout: connectMs,
    greetingTimeout: greetingMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
    maxResponseSize: 65_536,
    logger: false,
    tls: {
      minVersion: 'TLSv1.2',
      // Plain text may go to this machine. So a certificate that no authority signed, like that of Debian's Postfix, is no worse.
      rejectUnauthorized: relay.tls !== 'offered',
      ...(ca !== undefined && { ca }),
    },
  } as const satisfies SMTPConnectionOptions
}

/** RFC 5321 §4.1.3 writes addresses in brackets. */
const greetingName = (hostName: string): string => {
  const address = hostName.replace(/^\[(.+)\]$/, '$1')
  if (isIPv4(address)) return `[${address}]`
  return isIPv6(address) ? `[IPv6:${address}]` : hostName
}
