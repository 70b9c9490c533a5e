import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { fromNullable, none, some } from 'fp-ts/lib/Option.js'
import type { SMTPServerOptions } from 'smtp-server'
import { mailsFinding, relayFinding } from '../../adapters/cli/mails-finding.ts'
import { openStorage } from '../../adapters/index.ts'
import { smtpMailer } from '../../adapters/mail/smtp/smtp.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import { newMail } from '../../domain/mail.ts'
import { makeCertificate } from '../support/certificates.ts'
import { startRelay, startScriptedRelay } from '../support/mail-relay.ts'
import { onSqlite } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { settings } from '../support/settings.ts'
import { smtpOptions } from '../support/smtp-mailer.ts'
import type { RelayAnswer } from '../testkit/mailer.ts'

const MAIL = {
  MAIL_FROM: 'noreply@example.com',
  MAIL_CONTACT: 'help@example.com',
  PUBLIC_URL: 'https://auth.internal',
}
const NOW = Date.parse('2026-11-23T10:00:00Z')

type Row = Readonly<{
  what: string
  /** The URL of the relay. By default it is on this machine, without TLS. */
  url?: (port: number) => string
  server?: SMTPServerOptions & Readonly<{ cert?: string }>
  answer?: RelayAnswer
  isAway?: boolean
  /** The days until the certificate ends that Node.js trusts. */
  endsInDays?: number
  ok: boolean
  said: RegExp
}>

const smtps = (port: number) => `smtps://localhost:${port}`

const ROWS: ReadonlyArray<Row> = [
  { what: 'takes mails', ok: true, said: /^The relay smtp:\/\/127\.0\.0\.1:\d+ takes mails, without TLS\.$/ },
  {
    what: 'is away',
    isAway: true,
    ok: false,
    said: /^The relay \S+ cannot be used \(ECONNREFUSED\)\. It does not answer\. Check host and port in MAIL_URL, and the firewall\. Mails wait until then\.$/,
  },
  {
    what: 'refuses the sender',
    answer: 'refuses_sender',
    ok: false,
    said: /\(553\)\. Check MAIL_URL, and whether/,
  },
  {
    what: 'takes no password',
    url: (port) => `smtp://ada:hunter2@127.0.0.1:${port}`,
    ok: false,
    said: /^The relay smtp:\/\/127\.0\.0\.1:\d+ cannot be used \(EAUTH\)\. It refuses the user or the password/,
  },
  { what: 'speaks no TLS', url: smtps, ok: false, said: /\(ERR_SSL_WRONG_VERSION_NUMBER\)/ },
  {
    what: 'is on this machine, where its certificate is not verified',
    server: makeCertificate('localhost', 9),
    ok: true,
    said: /takes mails, with TLSv1\.3\. Its certificate ends at \S+Z\.$/,
  },
  {
    what: 'has a certificate that no authority vouches for',
    url: smtps,
    server: { ...makeCertificate('localhost', 90), secure: true },
    ok: false,
    said: /\(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Its TLS certificate is refused\./,
  },
  {
    what: 'has a certificate that lives for 15 days',
    url: smtps,
    endsInDays: 15,
    ok: true,
    said: /^The relay smtps:\/\/localhost:\d+ takes mails, with TLSv1\.3\. Its certificate ends at \S+Z\.$/,
  },
  {
    what: 'has a certificate that ends in 13 days',
    url: smtps,
    endsInDays: 13,
    ok: false,
    said: /Its certificate ends at \S+Z\. That is within 14 days: mails wait from then on\./,
  },
  {
    what: 'has a certificate that has ended',
    url: smtps,
    endsInDays: -1,
    ok: false,
    said: /\(CERT_HAS_EXPIRED\)/,
  },
]

onSqlite('portcullis doctor with MAIL_URL', (stores) => {
  const { folder, portcullis, asProcess, serve, url: storeUrl, remove } = stores.workplace()
  before(() => portcullis('application create --name shop'))
  after(remove)

  const findingOf = async (
    run: typeof portcullis,
    name: string,
    environment: Readonly<Record<string, string>>,
  ) => {
    const { out } = await run('doctor --json', { environment })
    return (JSON.parse(out).checks as ReadonlyArray<Finding>).find((finding) => finding.name === name)
  }

  for (const {
    what,
    url = (port: number) => `smtp://127.0.0.1:${port}`,
    server,
    answer,
    isAway,
    endsInDays,
    ok,
    said,
  } of ROWS)
    it(`${ok ? 'is content with' : 'names'} a relay that ${what}`, async () => {
      const trusted = endsInDays === undefined ? undefined : makeCertificate('localhost', endsInDays)
      const relay = await startRelay(
        { ...server, ...(trusted && { ...trusted, secure: true }) },
        () => answer ?? 'takes',
      )
      if (isAway) await relay.stop()
      const environment = { ...MAIL, MAIL_URL: url(relay.port) }
      const authority = join(folder, 'authority.pem')
      if (trusted !== undefined) writeFileSync(authority, trusted.cert)
      const found =
        trusted === undefined
          ? await findingOf(portcullis, 'relay', environment)
          : await findingOf(asProcess.portcullis, 'relay', {
              ...environment,
              DATABASE_URL: storeUrl(),
              NODE_EXTRA_CA_CERTS: authority,
            })
      if (!isAway) await relay.stop()
      expect(found?.ok, found?.detail).to.equal(ok)
      expect(found?.detail).to.match(said).and.not.include('hunter2')
      expect(relay.taken).to.deep.equal([])
      expect(relay.received().join('')).not.to.match(/RCPT|DATA/)
    })

  it('does not wait for a relay that says nothing', async () => {
    const relay = await startScriptedRelay(() => {})
    const mailer = smtpMailer(smtpOptions(relay.port, { limits: { greetingMs: 100 } }))
    const desk = {
      mailer,
      now: Date.now,
      newId: () => '',
      writeLetter: () => {
        throw new Error('no letter')
      },
    }
    const composition = { openMail: async () => some(desk) }
    const [found] = await relayFinding(
      composition,
      settings({ ...MAIL, MAIL_URL: 'smtps://relay.example' }),
      NOW,
    )
    await relay.stop()
    expect(found).to.deep.equal({
      name: 'relay',
      ok: false,
      detail:
        'The relay smtps://relay.example:465 cannot be used (ETIMEDOUT). It does not answer. Check host and port in MAIL_URL, and the firewall. Mails wait until then.',
    })
  })

  it('tells of the relay also if the store cannot be opened, and has neither check without MAIL_URL', async () => {
    const relay = await startRelay()
    const environment = { ...MAIL, MAIL_URL: `smtp://127.0.0.1:${relay.port}` }
    const missing = { ...environment, DATABASE_URL: `sqlite:${folder}/none.db` }
    expect(await findingOf(portcullis, 'relay', missing)).to.include({ ok: true })
    await relay.stop()
    for (const name of ['relay', 'mails']) expect(await findingOf(portcullis, name, {})).to.equal(undefined)
  })

  it('counts the mails of the store, names a server with other settings, and a service connects to no relay', async () => {
    const relay = await startRelay()
    const environment = { ...MAIL, MAIL_URL: `smtp://127.0.0.1:${relay.port}` }
    const server = await serve('serve', environment)
    expect(await findingOf(portcullis, 'servers', environment)).to.include({ ok: true })
    const other = await findingOf(portcullis, 'servers', {
      ...environment,
      MAIL_CONTACT: 'other@example.com',
    })
    expect(other?.ok).to.equal(false)
    expect(other?.detail).to.include('MAIL_CONTACT has another value')
    expect(await server.end()).to.equal(0)
    const checks = relay.received().length
    expect(checks, 'two of doctor, none of the service').to.equal(2)

    const { store, outbox } = await openStorage(settings({ DATABASE_URL: storeUrl() }), { clock: Date.now })
    const id = '01a20174-dd5e-740b-ab17-657534108363'
    const mail = newMail(
      { id, kind: 'recovery', userId: none, address: 'ada@lovelace.example', language: none },
      0,
    )
    if (outbox !== undefined) await succeed(outbox.put({ mail, unseenAtMost: 1 }))
    await store.close()
    const late = await findingOf(portcullis, 'mails', environment)
    expect(late?.ok).to.equal(false)
    expect(late?.detail).to.include('1 waits. 0 failed. The oldest is due since 1970-01-01T00:00:00.000Z')
    await relay.stop()
  })
})

const MINUTE = 60
const WAITS = (minutes: number) => NOW / 1000 - minutes * MINUTE
const FAILED =
  ' To see the codes: portcullis mail list --state failed. Then send them again (portcullis mail retry --all), or let them go after seven days.'

describe('the check of mails by doctor', () => {
  const findingOf = (
    [waiting, failed, oldest]: readonly [waiting: number, failed: number, oldest?: number],
    hasRelay = true,
  ) =>
    mailsFinding(
      {
        settings: settings(hasRelay ? { ...MAIL, MAIL_URL: 'smtps://relay.example' } : {}),
        mails: {
          counts: () => async () => right({ waiting, failed, oldestDueAtSeconds: fromNullable(oldest) }),
        } as never,
      },
      NOW,
    )

  for (const [counts, ok, detail] of [
    [[0, 0], true, '0 wait. 0 failed.'],
    [[3, 0, WAITS(15)], true, '3 wait. 0 failed.'],
    [[1, 0, WAITS(-60)], true, '1 waits. 0 failed.'],
    [[1, 2, WAITS(14)], true, `1 waits. 2 failed.${FAILED}`],
    [
      [3, 1, WAITS(16)],
      false,
      `3 wait. 1 failed. The oldest is due since 2026-11-23T09:44:00.000Z, for more than 15 minutes. Start a service with these settings. If one runs, its log and the check relay say why mails wait.${FAILED}`,
    ],
  ] as const)
    it(`says of ${counts.slice(0, 2).join(' and ')}: ${detail.slice(0, 40)}`, async () => {
      expect(await findingOf(counts)).to.deep.equal([{ name: 'mails', ok, detail }])
    })

  it('fails if mails wait without MAIL_URL, and else says nothing of them', async () => {
    const [found] = await findingOf([2, 0, WAITS(1)], false)
    expect(found?.ok).to.equal(false)
    expect(found?.detail).to.match(
      /^2 wait\. 0 failed\. MAIL_URL is not set here, so none is sent\. .* portcullis mail drop --all\.$/,
    )
    expect(await findingOf([0, 0], false)).to.deep.equal([])
    expect((await findingOf([0, 1], false))[0]).to.include({ ok: true })
  })

  it('fails if the store fails, and does without a storage for mails', async () => {
    const failing = {
      counts: () => async () => left({ _tag: 'StoreUnavailable', reason: 'SQLITE_IOERR' }),
    } as never
    expect(await mailsFinding({ settings: settings(), mails: failing }, NOW)).to.deep.equal([
      { name: 'mails', ok: false, detail: 'The store is unavailable: SQLITE_IOERR.' },
    ])
    expect(await mailsFinding({ settings: settings(), mails: undefined }, NOW)).to.deep.equal([])
  })
})
