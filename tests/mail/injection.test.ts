import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { type SmtpOptions, smtpMailer } from '../../adapters/mail/smtp/smtp.ts'
import type { Letter } from '../../application/ports/mail.ts'
import { type MailRelay, startRelay } from '../support/mail-relay.ts'
import { smtpOptions } from '../support/smtp-mailer.ts'
import { letter, russianLetter, writerOf } from './letters.ts'

const EVIL = 'evil@attacker.example'

/** What has ended lines, headers, addresses and letters in mail programs and relays. */
const ATTEMPTS = [
  `x\r\nBcc: ${EVIL}\r\n`,
  `x\nBcc: ${EVIL}`,
  `x\rBcc: ${EVIL}`,
  `x\r\n\r\nanother body`,
  `x, ${EVIL}`,
  `x; ${EVIL}`,
  `x> <${EVIL}`,
  `x <${EVIL}>`,
  `"x" <${EVIL}>`,
  `x\r\n.\r\nMAIL FROM:<${EVIL}>\r\nRCPT TO:<${EVIL}>\r\nDATA\r\n`,
  `x\n.\nMAIL FROM:<${EVIL}>`,
  `x\r.\rMAIL FROM:<${EVIL}>`,
  `x\n.\r\nRSET`,
  `x\r\n.\nRSET`,
  `x\r\n.\rRSET`,
  `x\u0000y`,
  `x\u2028Bcc: ${EVIL}`,
  `=?utf-8?Q?x=0D=0ABcc:_${EVIL}?=`,
  `(${EVIL})`,
  `x\\`,
]

/** What a relay reads in a session: the commands, and the letter up to its end. */
const sessionOf = (received: string) => {
  const begins = received.indexOf('\r\nDATA\r\n') + 8
  const ends = received.indexOf('\r\n.\r\n', begins) + 5
  return {
    commands: (received.slice(0, begins) + received.slice(ends)).split('\r\n'),
    letter: received.slice(begins, ends),
  }
}

describe('what goes into a letter', () => {
  let relay: MailRelay
  beforeEach(async () => {
    relay = await startRelay({ hidePIPELINING: true })
  })
  afterEach(() => relay.stop())

  const send = async (given: Letter, changed: Partial<Pick<SmtpOptions, 'from'>> = {}) => {
    const mailer = smtpMailer(smtpOptions(relay.port, changed))
    const answered = await mailer.send(given)()
    await mailer.close()
    return answered
  }

  /** In each session: one recipient, one sender, one end, and only the headers of a letter. */
  const expectOneLetterEach = (sessions: number) => {
    expect(relay.received()).to.have.lengthOf(sessions)
    expect(relay.taken).to.have.lengthOf(sessions)
    for (const received of relay.received()) {
      const { commands, letter: sent } = sessionOf(received)
      expect(
        commands.filter((line) => /^(?:MAIL|RCPT|DATA|RSET)/i.test(line)),
        sent,
      ).to.deep.equal(['MAIL FROM:<noreply@example.com>', 'RCPT TO:<ada@lovelace.example>', 'DATA'])
      expect(sent.match(/(?:^|\r|\n)\.(?:\r|\n|$)/g), sent).to.have.lengthOf(1)
      expect(sent.replaceAll('\r\n', ''), 'no line end of another kind').not.to.match(/[\r\n\0]/)
      const head = sent.slice(0, sent.indexOf('\r\n\r\n')).split('\r\n')
      expect(
        head.filter((line) => !/^[ \t]/.test(line)).map((line) => line.split(':')[0]?.toLowerCase()),
      ).to.have.members(HEADERS)
    }
    for (const { to } of relay.taken) expect(to).to.deep.equal(['ada@lovelace.example'])
  }

  const FIELDS: Readonly<Record<string, (attempt: string) => ReturnType<typeof send>>> = {
    'a subject': (subject) => send(letter({ subject })),
    'a text': (text) => send(letter({ text })),
    HTML: (html) => send(letter({ html })),
    'a language': (language) => send(letter({ language })),
    'an id': (id) => send(letter({ messageId: `${id}@example.com` })),
    'the name of the sender': (name) => send(letter(), { from: { name, address: 'noreply@example.com' } }),
    'the name of a device or of the service': (text) =>
      send(
        writerOf({ name: text })({
          id: '0198',
          to: 'ada@lovelace.example',
          wishes: ['de'],
          message: { kind: 'new_sign_in', atSeconds: 0, device: text },
        }),
      ),
  }
  for (const [what, sendWith] of Object.entries(FIELDS))
    it(`cannot be more than ${what}`, async () => {
      await Promise.all(ATTEMPTS.map(sendWith))
      expectOneLetterEach(ATTEMPTS.length)
    })

  it('is no address that is more than one', async () => {
    for (const attempt of ATTEMPTS) {
      const refused = left({ _tag: 'Refused', code: 'EENVELOPE' })
      expect(await send(letter({ to: `ada${attempt}@lovelace.example` }))).to.deep.equal(refused)
      expect(await send(letter({ to: `ada@lovelace.example${attempt}` }))).to.deep.equal(refused)
    }
    expect(relay.received()).to.deep.equal([])
  })

  it('is quoted-printable, also in ASCII, so that no relay changes it', async () => {
    await send(letter())
    const [mail] = relay.taken
    expect(mail?.raw.match(/^Content-Transfer-Encoding: .*$/gim)).to.deep.equal([
      'Content-Transfer-Encoding: quoted-printable',
      'Content-Transfer-Encoding: quoted-printable',
    ])
    await send(russianLetter)
    expect(relay.taken[1]?.raw).to.match(/^[\x20-\x7e\r\n\t]*$/)
    expect(relay.taken[1]?.text).to.equal(russianLetter.text)
  })

  it('tells nothing of the program, and no lines over 78 characters', async () => {
    await send(letter({ text: 'x'.repeat(500), subject: 'y '.repeat(200) }))
    const [mail] = relay.taken
    expect(mail?.headers).not.to.have.any.keys('x-mailer', 'user-agent', 'received')
    for (const line of mail?.raw.split('\r\n') ?? []) expect(line.length).to.be.at.most(78)
  })
})

const HEADERS = [
  'auto-submitted',
  'x-auto-response-suppress',
  'content-language',
  'from',
  'to',
  'subject',
  'message-id',
  'date',
  'mime-version',
  'content-type',
]
