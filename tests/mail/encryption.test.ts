import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import type { SMTPServerOptions } from 'smtp-server'
import { connectionOptions } from '../../adapters/mail/smtp/relay-options.ts'
import { type SmtpOptions, smtpMailer } from '../../adapters/mail/smtp/smtp.ts'
import { type Certificate, makeCertificate } from '../support/certificates.ts'
import { startRelay, startScriptedRelay } from '../support/mail-relay.ts'
import { smtpOptions } from '../support/smtp-mailer.ts'
import { letter } from './letters.ts'

const CREDENTIALS = { user: 'portcullis', password: 'hunter2hunter2' }

const down = (code: string) => left({ _tag: 'RelayDown', code })

/** What came of a check and of a letter, and whether the relay saw the password. */
const tryRelay = async (
  server: SMTPServerOptions,
  { ca, ...relay }: Partial<SmtpOptions['relay']> & Readonly<{ ca?: string }>,
) => {
  const attempts: Array<string> = []
  const running = await startRelay({
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth: ({ username = '', password = '' }, _, done) => {
      attempts.push(`${username}:${password}`)
      done(null, { user: username })
    },
    ...server,
  })
  const mailer = smtpMailer(
    smtpOptions(running.port, {
      relay: { host: 'localhost', credentials: CREDENTIALS, ...relay },
      ...(ca !== undefined && { ca }),
    }),
  )
  const checked = await mailer.check()()
  const sent = await mailer.send(letter())()
  await mailer.close()
  await running.stop()
  return { checked, sent, attempts, taken: running.taken, received: running.received().join('') }
}

describe('a relay', () => {
  const MODES = [
    ['implicit', { secure: true }],
    ['starttls', {}],
  ] as const
  let good: Certificate
  before(() => {
    good = makeCertificate('localhost', 30)
  })

  for (const [tls, server] of MODES) {
    it(`gets letters over TLS (${tls})`, async () => {
      const { checked, sent, attempts, taken } = await tryRelay(
        { ...good, ...server },
        { tls, ca: good.cert },
      )
      expect(sent).to.have.property('_tag', 'Right')
      expect(taken).to.have.lengthOf(1)
      expect(new Set(attempts)).to.deep.equal(new Set(['portcullis:hunter2hunter2']))
      expect(checked).to.have.nested.property('right.tlsVersion', 'TLSv1.3')
      const ends = checked._tag === 'Right' ? checked.right.certificateEndsAtSeconds : undefined
      expect((ends ?? 0) - Date.now() / 1000).to.be.within(29 * 86_400, 30 * 86_400)
    })

    const BAD: ReadonlyArray<
      readonly [what: string, host: string, days: number, isTrusted: boolean, code: string]
    > = [
      ['nobody vouches for', 'localhost', 30, false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ['has ended', 'localhost', -1, true, 'CERT_HAS_EXPIRED'],
      ['is for another host', 'other.example', 30, true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ]
    for (const [what, host, days, isTrusted, code] of BAD)
      it(`gets no password and no letter with a certificate that ${what} (${tls})`, async () => {
        const bad = makeCertificate(host, days)
        const { checked, sent, attempts, taken } = await tryRelay(
          { ...bad, ...server },
          { tls, ca: isTrusted ? bad.cert : good.cert },
        )
        expect({ checked, sent, attempts, taken }).to.deep.equal({
          checked: down(code),
          sent: down(code),
          attempts: [],
          taken: [],
        })
      })

    it(`gets no letter with a TLS older than 1.2 (${tls})`, async () => {
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
      const { sent, attempts, taken } = await tryRelay({ ...good, ...server, ...old }, { tls, ca: good.cert })
      expect(sent).to.have.nested.property('left._tag', 'RelayDown')
      expect({ attempts, taken }).to.deep.equal({ attempts: [], taken: [] })
    })
  }

  it('gets no password and no letter without STARTTLS', async () => {
    const { checked, sent, received, attempts, taken } = await tryRelay({}, { tls: 'starttls' })
    expect({ checked, sent, attempts, taken }).to.deep.equal({
      checked: down('ETLS'),
      sent: down('ETLS'),
      attempts: [],
      taken: [],
    })
    expect(received).not.to.match(/AUTH|MAIL|RCPT|DATA/)
  })

  const STRIPPERS: Readonly<Record<string, readonly [starttls: string, code: string]>> = {
    'refuses it': ['454 4.7.0 TLS not available', 'ETLS'],
    'knows no such command': ['502 5.5.1 what?', 'ETLS'],
    'pretends to begin': ['220 go\r\n250-relay\r\n250 AUTH PLAIN LOGIN', 'ETIMEDOUT'],
    'answers in plain text': ['220 go\r\n250 ok\r\n235 ok\r\n250 ok', 'ETIMEDOUT'],
  }
  for (const [what, [starttls, code]] of Object.entries(STRIPPERS))
    it(`gets no password and no letter if something between strips STARTTLS, and ${what}`, async () => {
      const relay = await startScriptedRelay(
        (client) => client.write('220 relay\r\n'),
        (line, client) =>
          client.write(
            /^EHLO/.test(line)
              ? '250-relay\r\n250 AUTH PLAIN LOGIN\r\n'
              : line === 'STARTTLS'
                ? `${starttls}\r\n`
                : '250 ok\r\n',
          ),
      )
      const mailer = smtpMailer(
        smtpOptions(relay.port, {
          relay: { tls: 'starttls', credentials: CREDENTIALS },
          limits: { greetingMs: 200, silenceMs: 200 },
        }),
      )
      const sent = await mailer.send(letter())()
      await mailer.close()
      await relay.stop()
      expect(sent).to.have.nested.property('left._tag', 'RelayDown')
      if (code !== 'ETIMEDOUT') expect(sent).to.deep.equal(down(code))
      expect(relay.lines.slice(0, 2)).to.deep.equal(['EHLO auth.example.com', 'STARTTLS'])
      expect(relay.lines.join('\n')).not.to.match(/AUTH|MAIL|RCPT|DATA/)
    })

  it('gets no TLS by smtps that it does not speak', async () => {
    const { sent, received } = await tryRelay({}, { tls: 'implicit' })
    expect(sent).to.deep.equal(down('ERR_SSL_WRONG_VERSION_NUMBER'))
    expect(received).not.to.match(/EHLO|AUTH/)
  })

  it('on this machine may do without TLS', async () => {
    const { checked, sent, taken } = await tryRelay(
      { authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'] },
      { tls: 'offered', credentials: undefined },
    )
    expect(sent).to.have.property('_tag', 'Right')
    expect(checked).to.have.nested.property('right.tlsVersion', undefined)
    expect(taken).to.have.lengthOf(1)
  })

  it('on this machine is found without a DNS server, which could name another machine', () => {
    const hostOf = (host: string, tls: SmtpOptions['relay']['tls']) =>
      connectionOptions(smtpOptions(25, { relay: { host, tls } })).host
    for (const name of ['localhost', 'LOCALHOST']) expect(hostOf(name, 'offered')).to.equal('127.0.0.1')
    for (const address of ['127.0.0.9', '::1']) expect(hostOf(address, 'offered')).to.equal(address)
    expect(hostOf('localhost', 'implicit'), 'its certificate proves it').to.equal('localhost')
  })

  it('on this machine gets letters over the TLS that it offers, whoever vouches for it', async () => {
    const { checked, sent, received } = await tryRelay({ ...good }, { tls: 'offered' })
    expect(sent).to.have.property('_tag', 'Right')
    expect(checked).to.have.nested.property('right.tlsVersion', 'TLSv1.3')
    expect(received).not.to.include('MAIL FROM')
  })

  it('that takes no password gets no letter if one is set', async () => {
    const { checked, sent, taken } = await tryRelay(
      { ...good, secure: true, disabledCommands: ['AUTH'] },
      { tls: 'implicit', ca: good.cert },
    )
    expect({ checked, sent, taken }).to.deep.equal({ checked: down('EAUTH'), sent: down('EAUTH'), taken: [] })
  })
})
