import type { Later, Refused, RelayDown } from '../../application/ports/mail.ts'

/** One sentence about what a relay refuses, with its code and what to do. */
export const relayProblem = (relay: string, { _tag, code }: Refused | Later | RelayDown): string => {
  switch (_tag) {
    case 'Refused':
      return `The relay ${relay} refuses this mail (${code}). Check the address, and what the relay allows the sender.`
    case 'Later':
      return `The relay ${relay} refuses this mail for now (${code}). Try again later.`
    case 'RelayDown':
      return `The relay ${relay} cannot be used (${code}). ${adviceOn(code)}`
  }
}

/** What to do about a code of `RelayDown`. */
export const adviceOn = (code: string): string =>
  ADVICE.find(([pattern]) => pattern.test(code))?.[1] ?? SENDER

const SENDER = 'Check MAIL_URL, and whether the relay accepts the sender of MAIL_FROM.'

const ADVICE: ReadonlyArray<readonly [code: RegExp, advice: string]> = [
  [/^EAUTH$/, 'It refuses the user or the password of MAIL_URL, or takes none.'],
  [/^ETLS$/, 'It offers no usable STARTTLS. Without encryption, no mail is sent.'],
  [
    /CERT|SIGNATURE|SELF_SIGNED|ISSUER/,
    'Its TLS certificate is refused. Check the name in MAIL_URL, and the certificate.',
  ],
  [
    /^ERR_(?:SSL|TLS)|^EPROTO$/,
    'It does not speak this TLS. With smtp: it needs STARTTLS, with smtps: TLS from the first byte.',
  ],
  [/^(?:EDNS|ENOTFOUND|EAI_AGAIN)$/, 'The name in MAIL_URL is not found.'],
  [
    /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ESOCKET|ECONNECTION|ECONNRESET)$/,
    'It does not answer. Check host and port in MAIL_URL, and the firewall.',
  ],
  [/^4\d\d$/, 'It is busy. Try again later.'],
]
