import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeCertificate } from '../support/certificates.ts'
import { headerText } from '../support/mail-content.ts'
import { type MailRelay, startRelay } from '../support/mail-relay.ts'
import { workplace } from '../support/workplace.ts'

describe('portcullis mail test', () => {
  let relay: MailRelay
  const place = workplace(() => ({
    PUBLIC_URL: 'https://auth.example.com',
    MAIL_URL: `smtp://127.0.0.1:${relay.port}`,
    MAIL_FROM: 'Otterworks <noreply@example.com>',
    MAIL_CONTACT: 'help@example.com',
    PAGES_NAME: 'Otterworks',
  }))
  const { portcullis, remove } = place
  after(remove)
  afterEach(() => relay.stop())

  it('sends one mail without a store, and prints the answer and the encryption', async () => {
    relay = await startRelay(makeCertificate('localhost', 10))
    const { status, out, err } = await portcullis('mail test Ada@lovelace.example')
    expect([status, err]).to.deep.equal([0, `The relay smtp://127.0.0.1:${relay.port} took the mail.\n`])
    expect(out).to.match(/^answer {15}250\ntls {18}TLSv1\.3\ncertificate_ends_at {2}\d{4}-.*Z\n$/)
    expect(relay.taken.map(({ to, headers }) => [to, headerText(headers.subject ?? '')])).to.deep.equal([
      [['Ada@lovelace.example'], 'Test mail of Otterworks'],
    ])
  })

  it('prints the same as JSON, in the language of the service', async () => {
    relay = await startRelay()
    const { out } = await portcullis('mail test ada@lovelace.example --json', {
      environment: { PAGES_LANGUAGE: 'de' },
    })
    expect(JSON.parse(out)).to.deep.equal({ answer: 250, tls: null, certificate_ends_at: null })
    expect(relay.taken[0]?.headers).to.include({
      'content-language': 'de',
      subject: 'Testmail von Otterworks',
    })
  })

  const REFUSALS = [
    [
      'refuses_recipient',
      'refuses this mail (550). Check the address, and what the relay allows the sender.',
    ],
    ['postpones_letter', 'refuses this mail for now (451). Try again later.'],
    [
      'refuses_sender',
      'cannot be used (553). Check MAIL_URL, and whether the relay accepts the sender of MAIL_FROM.',
    ],
  ] as const
  for (const [answer, said] of REFUSALS)
    it(`says what is wrong if the relay ${answer.replace('_', ' ')}, without its text`, async () => {
      relay = await startRelay({}, (to) => ((to === '') === (answer === 'refuses_sender') ? answer : 'takes'))
      const { status, out, err } = await portcullis('mail test ada@lovelace.example')
      expect([status, out, err]).to.deep.equal([1, '', `The relay smtp://127.0.0.1:${relay.port} ${said}\n`])
    })

  it('says what is wrong if there is no relay, or no TLS, and never shows the password', async () => {
    relay = await startRelay()
    const run = (MAIL_URL: string) =>
      portcullis('mail test ada@lovelace.example', { environment: { MAIL_URL } })
    const url = `smtps://ada:hunter2@127.0.0.1:${relay.port}`
    expect(await run(url)).to.deep.include({
      status: 1,
      err: `The relay smtps://127.0.0.1:${relay.port} cannot be used (ERR_SSL_WRONG_VERSION_NUMBER). It does not speak this TLS. With smtp: it needs STARTTLS, with smtps: TLS from the first byte.\n`,
    })
    expect((await run(`smtp://ada:hunter2@127.0.0.1:${relay.port}`)).err).to.equal(
      `The relay smtp://127.0.0.1:${relay.port} cannot be used (EAUTH). It refuses the user or the password of MAIL_URL, or takes none.\n`,
    )
    expect(await run('smtps://ada:hunter2@127.0.0.1/x')).to.deep.include({ status: 78, out: '' })
    expect((await run('smtps://ada:hunter2@127.0.0.1/x')).err).not.to.include('hunter2')
  })

  it('refuses what is no address, and a service without MAIL_URL', async () => {
    relay = await startRelay()
    expect(await portcullis(['mail', 'test', 'ada@lovelace.example, eve@evil.example'])).to.deep.include({
      status: 2,
      err: '<address> must be an e-mail address, got "***@evil.example".\n',
    })
    const none = { MAIL_URL: '', MAIL_FROM: '', MAIL_CONTACT: '', PAGES_NAME: '' }
    expect(await portcullis('mail test ada@lovelace.example', { environment: none })).to.deep.include({
      status: 78,
      err: 'mail test requires MAIL_URL. Set that too.\n',
    })
    expect(relay.taken).to.deep.equal([])
  })

  it('and every command refuse a wrong PAGES_FOLDER, naming the file', async () => {
    relay = await startRelay()
    const folder = join(place.folder, 'wrong')
    mkdirSync(join(folder, 'mail'), { recursive: true })
    writeFileSync(join(folder, 'mail/recovery.txt'), 'Subject: A\nno link')
    writeFileSync(join(folder, 'banner.png'), '')
    const environment = { PAGES_FOLDER: folder }
    for (const command of ['mail test ada@lovelace.example', 'texts check', 'serve'])
      expect(await portcullis(command, { environment })).to.deep.include({
        status: 78,
        err: [
          'These settings are wrong:',
          `PAGES_FOLDER=${JSON.stringify(folder)}: banner.png means nothing here`,
          `PAGES_FOLDER=${JSON.stringify(folder)}: mail/recovery.txt: it must have {link}\n`,
        ].join('\n  '),
      })
  })

  it('and the start name missing texts of a language, which texts check refuses', async () => {
    relay = await startRelay()
    const folder = join(place.folder, 'french')
    mkdirSync(join(folder, 'texts'), { recursive: true })
    writeFileSync(join(folder, 'texts/fr.json'), '{"mail.if_you": "Oui."}')
    const environment = { PAGES_FOLDER: folder, PAGES_LANGUAGE: 'fr' }
    const checked = await portcullis('texts check', { environment })
    expect(checked.status).to.equal(1)
    expect(checked.err).to.match(/^texts\/fr\.json lacks .+, mail\.minutes, mail\.hours, /)
    expect(checked.err).to.include('sign_in.heading, ').and.not.include('mail.if_you,')
    const server = await place.serve('serve', environment)
    expect(await server.end()).to.equal(0)
    expect((await server.ended).err).to.match(
      /^Warning: texts\/fr\.json lacks .*, mail\.minutes, .*\. English stands in for them\.$/m,
    )
    expect((await portcullis('mail test ada@lovelace.example', { environment })).status).to.equal(0)
    expect(relay.taken[0]?.headers['content-language']).to.equal('fr')
  })

  it('refuses a PAGES_LANGUAGE that does not exist', async () => {
    relay = await startRelay()
    const environment = { PAGES_LANGUAGE: 'fr' }
    expect((await portcullis('texts check', { environment })).err).to.equal(
      'These settings are wrong:\n  PAGES_LANGUAGE must be one of de, en, got "fr"\n',
    )
    expect(await portcullis('texts check')).to.deep.include({
      status: 0,
      err: 'Every language has all texts.\n',
    })
  })
})
