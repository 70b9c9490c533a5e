import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { smtpMailer } from '../../adapters/mail/smtp/smtp.ts'
import { needs } from '../faults/machine.ts'
import { type Certificate, makeCertificate } from '../support/certificates.ts'
import { freePort } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { type MailRelay, startRelay } from '../support/mail-relay.ts'
import { smtpOptions } from '../support/smtp-mailer.ts'
import { letter, russianLetter } from './letters.ts'

const MASTER = '/usr/lib/postfix/sbin/master'

/** A relay that requires TLS, and gives all that it takes to another one. */
const layOutPostfix = (
  folder: string,
  ports: Readonly<{ starttls: number; implicit: number; next: number }>,
): void => {
  chmodSync(folder, 0o755) // its daemons run as another user
  for (const name of ['data', 'queue']) mkdirSync(join(folder, name))
  chownSync(join(folder, 'data'), Number(execFileSync('id', ['-u', 'postfix'])), 0)
  writeFileSync(
    join(folder, 'main.cf'),
    [
      'compatibility_level = 3.6',
      `queue_directory = ${folder}/queue`,
      `data_directory = ${folder}/data`,
      'command_directory = /usr/sbin',
      'daemon_directory = /usr/lib/postfix/sbin',
      `maillog_file = ${folder}/mail.log`,
      `maillog_file_prefixes = ${folder}`,
      'inet_interfaces = 127.0.0.1',
      'inet_protocols = ipv4',
      'mydestination =',
      'mynetworks = 127.0.0.0/8',
      'myhostname = localhost',
      `relayhost = [127.0.0.1]:${ports.next}`,
      `smtpd_tls_chain_files = ${folder}/certificate.pem`,
      'smtpd_tls_security_level = encrypt',
      'smtpd_peername_lookup = no',
      'smtpd_recipient_restrictions = check_recipient_access inline:{{refused@lovelace.example = 550 5.1.1 unknown}, {later@lovelace.example = 450 4.2.0 greylisted}}, permit_mynetworks, reject',
      '',
    ].join('\n'),
  )
  writeFileSync(
    join(folder, 'master.cf'),
    [
      `127.0.0.1:${ports.starttls} inet n - n - - smtpd`,
      `127.0.0.1:${ports.implicit} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes`,
      'cleanup unix n - n - 0 cleanup',
      'qmgr unix n - n 300 1 qmgr',
      'rewrite unix - - n - - trivial-rewrite',
      ...['bounce', 'defer', 'trace'].map((name) => `${name} unix - - n - 0 bounce`),
      ...['smtp', 'error', 'proxymap'].map((name) => `${name} unix - - n - - ${name}`),
      ...['relay unix - - n - - smtp', 'retry unix - - n - - error'],
      ...['verify', 'anvil', 'scache'].map((name) => `${name} unix - - n - 1 ${name}`),
      'tlsmgr unix - - n 1000? 1 tlsmgr',
      'postlog unix-dgram n - n - 1 postlogd',
      '',
    ].join('\n'),
  )
}

describe('Postfix', () => {
  let folder: string
  let next: MailRelay
  let postfix: ChildProcess | undefined
  let certificate: Certificate
  let ports: Parameters<typeof layOutPostfix>[1]

  before(async function () {
    this.timeout(60_000)
    needs(this, 'Postfix that root may start', ['sh', '-c', `test -x ${MASTER} && test "$(id -u)" = 0`])
    folder = mkdtempSync(join(tmpdir(), 'portcullis-postfix-'))
    certificate = makeCertificate('localhost', 30)
    next = await startRelay()
    ports = { starttls: await freePort(), implicit: await freePort(), next: next.port }
    writeFileSync(join(folder, 'certificate.pem'), certificate.key + certificate.cert, { mode: 0o600 })
    layOutPostfix(folder, ports)
    execFileSync('/usr/sbin/postfix', ['-c', folder, 'check'], { stdio: 'pipe' })
    postfix = spawn(MASTER, ['-c', folder, '-d'], { stdio: 'ignore', detached: true }) // it ends its group
    await eventually('Postfix listens', () => answers(ports.implicit))
  })
  after(async () => {
    if (postfix === undefined) return // it is missing
    const ended = once(postfix, 'exit')
    postfix.kill()
    await ended
    await next.stop()
    rmSync(folder, { recursive: true })
  })

  for (const tls of ['starttls', 'implicit'] as const)
    it(`takes letters over TLS (${tls}), passes them on unchanged, and refuses others`, async () => {
      const mailer = smtpMailer(
        smtpOptions(ports[tls], { relay: { host: 'localhost', tls }, ca: certificate.cert }),
      )
      const before = next.taken.length
      try {
        expect(await mailer.check()()).to.have.nested.property('right.tlsVersion', 'TLSv1.3')
        const answered = await Promise.all(
          [
            letter({ text: '.\n..\nHello\n' }),
            russianLetter,
            letter({ to: 'refused@lovelace.example' }),
            letter({ to: 'later@lovelace.example' }),
          ].map((each) => mailer.send(each)()),
        )
        expect(answered).to.deep.equal([
          { _tag: 'Right', right: { _tag: 'Accepted', code: '250' } },
          { _tag: 'Right', right: { _tag: 'Accepted', code: '250' } },
          { _tag: 'Left', left: { _tag: 'Refused', code: '550' } },
          { _tag: 'Left', left: { _tag: 'Later', code: '450' } },
        ])
      } finally {
        await mailer.close()
      }
      const taken = await eventually('both letters arrive', async () =>
        next.taken.length === before + 2 ? next.taken.slice(before) : undefined,
      )
      expect(taken.map(({ to }) => to)).to.deep.equal([['ada@lovelace.example'], ['ada@lovelace.example']])
      expect(taken.map(({ text }) => text)).to.have.members(['.\n..\nHello\n', russianLetter.text])
      for (const { headers } of taken) expect(headers.received).to.include('with ESMTPS')
    })
})

const answers = async (port: number): Promise<true | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(undefined))
    socket.once('connect', () => socket.destroy())
  })
