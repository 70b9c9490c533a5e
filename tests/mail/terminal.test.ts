import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { terminalMailer } from '../../adapters/mail/terminal/terminal.ts'

const LETTER = {
  kind: 'welcome',
  to: 'ada@example.com',
  subject: 'Welcome',
  text: 'Hello\n\nhttps://auth.example.com/account\n',
  html: '<p>Hello</p>',
  language: 'en',
  messageId: '1@example.com',
} as const

describe('the mailer of a first run', () => {
  it('prints a letter as one piece, and its link on a line', async () => {
    const printed: Array<ReadonlyArray<string>> = []
    const mailer = terminalMailer(async (lines) => {
      printed.push(lines)
      return undefined
    })
    expect(await mailer.check()()).to.deep.equal(
      right({ tlsVersion: undefined, certificateEndsAtSeconds: undefined }),
    )
    expect(await mailer.send(LETTER)()).to.deep.equal(right({ _tag: 'Accepted', code: '250' }))
    await mailer.close()
    expect(printed).to.deep.equal([
      [
        ...['', '--- mail ---', 'To: ada@example.com', 'Subject: Welcome', ''],
        ...['Hello', '', 'https://auth.example.com/account', '--- end of mail ---'],
      ],
    ])
  })

  it('lets a letter wait that nothing shows', async () => {
    const mailer = terminalMailer(async () => 'EPIPE')
    expect(await mailer.send(LETTER)()).to.deep.equal(left({ _tag: 'RelayDown', code: 'EOUTPUT' }))
  })
})
