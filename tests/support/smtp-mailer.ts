import { asciiEmail } from '../../adapters/config/addresses/ascii-domains.ts'
import { type SmtpOptions, smtpMailer } from '../../adapters/mail/smtp/smtp.ts'
import type { OpenMailer, ReceivedLetter } from '../testkit/mailer.ts'
import { headerText } from './mail-content.ts'
import { startRelay, type TakenMail } from './mail-relay.ts'

type Changed = Partial<Omit<SmtpOptions, 'relay'>> & Readonly<{ relay?: Partial<SmtpOptions['relay']> }>

/** The options of a mailer for a relay on this machine. */
export const smtpOptions = (port: number, { relay, ...changed }: Changed = {}): SmtpOptions => ({
  relay: { host: '127.0.0.1', port, tls: 'offered', credentials: undefined, ...relay },
  from: { name: 'Otterworks', address: 'noreply@example.com' },
  connections: 4,
  hostName: 'auth.example.com',
  clock: () => 1_796_692_110_000,
  ...changed,
})

/** A mailer with a real relay. */
export const openSmtpMailer: OpenMailer = async ({ answerTo, isAway }) => {
  const relay = await startRelay({}, answerTo)
  if (isAway) await relay.stop()
  return {
    mailer: smtpMailer(smtpOptions(relay.port)),
    received: () => relay.taken.map(shown),
    ...(!isAway && { close: relay.stop }),
  }
}

const shown = ({ to, headers, text, html }: TakenMail): ReceivedLetter => ({
  to: to.map(asciiEmail), // smtp-server decodes A-labels
  subject: headerText(headers.subject ?? ''),
  text,
  html,
  language: headers['content-language'] ?? '',
  messageId: (headers['message-id'] ?? '').replace(/^<|>$/g, ''),
})
