import type { Later, Refused, RelayDown } from '../../../application/ports/mail.ts'

/** Says who is at fault. Of the error, only codes pass: the texts of a relay repeat addresses. */
export const failureOf = (error: unknown): Refused | Later | RelayDown => {
  const { code, command, responseCode } = Object(error) as SmtpError
  const answer = Number(responseCode)
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return relayDown(error)
  // nodemailer found it itself: a bad address, or more than the `SIZE` of the relay.
  const neverLeft = command === 'API' || (code === 'EMESSAGE' && command === 'MAIL FROM')
  if (neverLeft) return { _tag: 'Refused', code }
  const isAboutLetter = command === 'RCPT TO' || command === 'DATA'
  // An answer without a code is no answer of SMTP, so it refuses no letter.
  if (!isAboutLetter || !Number.isInteger(answer) || ABOUT_CONNECTION.has(answer)) return relayDown(error)
  return { _tag: answer >= 500 && answer < 600 ? 'Refused' : 'Later', code: String(answer) }
}

/** The failure of an error that has nothing to do with a letter. */
export const relayDown = (error: unknown): RelayDown => {
  const { code, responseCode, originalCode } = Object(error) as SmtpError
  const codes = [
    NAMED.includes(code ?? '') ? code : undefined,
    Number.isInteger(responseCode) ? String(responseCode) : undefined,
    originalCode,
    code === 'EABORT' ? 'ETIMEDOUT' : code,
  ]
  return { _tag: 'RelayDown', code: codes.find((each) => CODE.test(each ?? '')) ?? 'EUNKNOWN' }
}

type SmtpError = Readonly<{ code?: string; command?: string; responseCode?: number; originalCode?: string }>

/**
 * 421: the relay closes (RFC 5321 §4.2.1). 503: the session is out of step. 530 and 535: the relay wants STARTTLS or AUTH first (RFC 3207
 * §4, RFC 4954 §6).
 */
const ABOUT_CONNECTION: ReadonlySet<number> = new Set([421, 503, 530, 535])

/** They say more than the answer code beside them. */
const NAMED = ['ETLS', 'EAUTH']

const CODE = /^[A-Z0-9][A-Z0-9_]{2,63}$/
