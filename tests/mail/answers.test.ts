import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { failureOf } from '../../adapters/mail/smtp/failures.ts'
import { smtpMailer } from '../../adapters/mail/smtp/smtp.ts'
import type { Letter } from '../../application/ports/mail.ts'
import { startRelay, startScriptedRelay } from '../support/mail-relay.ts'
import { smtpOptions } from '../support/smtp-mailer.ts'
import { letter } from './letters.ts'

describe('the answer of a relay', () => {
  const CASES: ReadonlyArray<readonly [error: object | undefined, tag: string, code: string]> = [
    [{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }, 'Refused', '550'],
    [{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 450 }, 'Later', '450'],
    [{ code: 'EENVELOPE', command: 'DATA', responseCode: 554 }, 'Refused', '554'],
    [{ code: 'EMESSAGE', command: 'DATA', responseCode: 552 }, 'Refused', '552'],
    [{ code: 'EMESSAGE', command: 'DATA', responseCode: 432 }, 'Later', '432'],
    [{ code: 'EENVELOPE', command: 'API' }, 'Refused', 'EENVELOPE'],
    [{ code: 'EMESSAGE', command: 'MAIL FROM' }, 'Refused', 'EMESSAGE'],
    // These are about the connection or the sender, so no letter is to blame.
    [{ code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 553 }, 'RelayDown', '553'],
    [{ code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 451 }, 'RelayDown', '451'],
    [{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 421 }, 'RelayDown', '421'],
    [{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 530 }, 'RelayDown', '530'],
    [{ code: 'EENVELOPE', command: 'DATA', responseCode: 503 }, 'RelayDown', '503'],
    [{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 535 }, 'RelayDown', '535'],
    [{ code: 'EENVELOPE', command: 'MAIL FROM' }, 'RelayDown', 'EENVELOPE'],
    [{ code: 'EENVELOPE', command: 'RCPT TO' }, 'RelayDown', 'EENVELOPE'],
    [{ code: 'EMESSAGE', command: 'DATA' }, 'RelayDown', 'EMESSAGE'],
    [{ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }, 'RelayDown', 'EAUTH'],
    [{ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 454 }, 'RelayDown', 'EAUTH'],
    [{ code: 'ETLS', command: 'STARTTLS', responseCode: 454 }, 'RelayDown', 'ETLS'],
    [{ code: 'EPROTOCOL', command: 'CONN', responseCode: 554 }, 'RelayDown', '554'],
    [{ code: 'ECONNECTION', command: 'CONN' }, 'RelayDown', 'ECONNECTION'],
    [{ code: 'ESOCKET', originalCode: 'ECONNREFUSED' }, 'RelayDown', 'ECONNREFUSED'],
    [{ code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' }, 'RelayDown', 'CERT_HAS_EXPIRED'],
    [{ code: 'EABORT' }, 'RelayDown', 'ETIMEDOUT'],
    // Texts never pass.
    [{ code: 'ada@lovelace.example refused' }, 'RelayDown', 'EUNKNOWN'],
    [{ code: 'ESOCKET', originalCode: '<ada@lovelace.example>' }, 'RelayDown', 'ESOCKET'],
    [new Error('ada@lovelace.example'), 'RelayDown', 'EUNKNOWN'],
    [undefined, 'RelayDown', 'EUNKNOWN'],
  ]
  for (const [error, _tag, code] of CASES)
    it(`of ${JSON.stringify(error)} is ${_tag} ${code}`, () =>
      expect(failureOf(error)).to.deep.equal({ _tag, code }))
})

/** Sends a letter to a relay of given words, and returns what came of it. */
const sendTo = async (
  greeting: string,
  answers: Readonly<Record<string, string | undefined>>,
  limits: Readonly<Partial<Record<'connectMs' | 'greetingMs' | 'silenceMs' | 'attemptMs', number>>> = {},
) => {
  let isLetter = false
  const relay = await startScriptedRelay(
    (client) => client.write(greeting),
    (line, client) => {
      if (isLetter && line !== '.') return
      const [word = ''] = line.split(' ')
      isLetter = word === 'DATA' && answers.DATA === undefined
      const answer = word in answers ? answers[word] : word === 'DATA' ? '354 go' : '250 ok'
      if (answer === 'END') client.destroy()
      else if (answer !== undefined) client.write(`${answer}\r\n`)
    },
  )
  const mailer = smtpMailer(smtpOptions(relay.port, { limits }))
  const sent = await mailer.send(letter())()
  await mailer.close()
  await relay.stop()
  return sent
}

describe('a relay that', () => {
  const down = (code: string) => left({ _tag: 'RelayDown', code })
  const HELLO = '220 relay\r\n'
  const SHORT = { greetingMs: 60, silenceMs: 60, attemptMs: 5_000 }
  const CASES: ReadonlyArray<
    readonly [
      does: string,
      greeting: string,
      answers: Readonly<Record<string, string | undefined>>,
      expected: object,
    ]
  > = [
    ['never greets', '', {}, down('ETIMEDOUT')],
    ['refuses at once', '554 5.7.1 not you <ada@lovelace.example>\r\n', {}, down('554')],
    ['closes at once', '421 4.3.2 too many connections\r\n', {}, down('421')],
    ['is no relay', 'HTTP/1.1 400 Bad Request\r\n', {}, down('EPROTOCOL')],
    ['is silent after the greeting', HELLO, { EHLO: undefined }, down('ETIMEDOUT')],
    ['is silent after the sender', HELLO, { MAIL: undefined }, down('ETIMEDOUT')],
    ['is silent after the letter', HELLO, { '.': undefined }, down('ETIMEDOUT')],
    ['refuses the sender', HELLO, { MAIL: '553 5.7.1 not yours' }, down('553')],
    [
      'refuses the recipient',
      HELLO,
      { RCPT: '550 5.1.1 <ada@lovelace.example> unknown' },
      left({ _tag: 'Refused', code: '550' }),
    ],
    ['is over its quota', HELLO, { RCPT: '452 4.2.2 full' }, left({ _tag: 'Later', code: '452' })],
    ['refuses letters', HELLO, { DATA: '554 5.5.1 no' }, left({ _tag: 'Refused', code: '554' })],
    ['greylists after the letter', HELLO, { '.': '451 4.7.1 later' }, left({ _tag: 'Later', code: '451' })],
    ['closes after the letter', HELLO, { '.': '421 4.3.0 bye' }, down('421')],
    ['answers the recipient without a code', HELLO, { RCPT: 'what?' }, down('EENVELOPE')],
    ['answers the start of the letter without a code', HELLO, { DATA: 'what?' }, down('EENVELOPE')],
    ['answers the letter without a code', HELLO, { '.': 'what?' }, down('EMESSAGE')],
    ['ends the connection before its answer', HELLO, { '.': 'END' }, down('ECONNECTION')],
    ['ends the connection at the recipient', HELLO, { RCPT: 'END' }, down('ECONNECTION')],
  ]
  for (const [does, greeting, answers, expected] of CASES)
    it(`${does}: no text of it gets through`, async () =>
      expect(await sendTo(greeting, answers, SHORT)).to.deep.equal(expected))

  it('trickles its answer is given up', async () => {
    const relay = await startScriptedRelay(
      (client) => client.write('220 relay\r\n'),
      (line, client) => {
        if (/^EHLO/.test(line)) client.write('250 relay\r\n')
        else if (/^MAIL/.test(line)) {
          const drip = setInterval(() => client.write('250-more\r\n'), 10)
          client.once('close', () => clearInterval(drip))
        }
      },
    )
    const mailer = smtpMailer(smtpOptions(relay.port, { limits: { silenceMs: 5_000, attemptMs: 100 } }))
    expect(await mailer.send(letter())()).to.deep.equal(down('ETIMEDOUT'))
    expect(await mailer.check()()).to.deep.equal(down('ETIMEDOUT'))
    await mailer.close()
    await relay.stop()
  })

  it('answers never does not delay the end for longer than it may', async () => {
    const relay = await startScriptedRelay((client) => client.write('220 relay\r\n'))
    const mailer = smtpMailer(smtpOptions(relay.port, { limits: { closeMs: 20 } }))
    const sending = mailer.send(letter())()
    await mailer.close()
    expect(await sending).to.have.nested.property('left._tag', 'RelayDown')
    await relay.stop()
  })

  it('is asked for at most so many connections as are set', async () => {
    const relay = await startRelay()
    const mailer = smtpMailer(smtpOptions(relay.port, { connections: 2 }))
    const letters: ReadonlyArray<Letter> = Array.from({ length: 12 }, () => letter())
    await Promise.all(letters.map((each) => mailer.send(each)()))
    await mailer.close()
    await relay.stop()
    expect(relay.taken).to.have.lengthOf(12)
    expect(relay.received()).to.have.lengthOf(2)
  })

  const GREETINGS = [
    ['auth.example.com', 'auth.example.com'],
    ['192.0.2.1', '[192.0.2.1]'],
    ['[2001:db8::1]', '[IPv6:2001:db8::1]'],
  ] as const
  for (const [hostName, greeted] of GREETINGS)
    it(`is greeted as ${greeted} by a service at ${hostName}`, async () => {
      const relay = await startRelay()
      const mailer = smtpMailer(smtpOptions(relay.port, { hostName }))
      await mailer.check()()
      await mailer.close()
      await relay.stop()
      expect(relay.received()[0]).to.match(/^EHLO /)
      expect(relay.received()[0]?.split('\r\n').slice(0, 3)).to.deep.equal([
        `EHLO ${greeted}`,
        'MAIL FROM:<noreply@example.com>',
        'RSET',
      ])
    })
})
