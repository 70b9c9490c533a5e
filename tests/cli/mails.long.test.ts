import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { openStorage } from '../../adapters/index.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import { type MailKind, newMail } from '../../domain/mail.ts'
import { ROOT } from '../architecture/root.ts'
import { main, processWorkplace } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { jsonLines } from '../support/json-lines.ts'
import { startRelay } from '../support/mail-relay.ts'
import { onSqlite } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { runHere } from '../support/run-here.ts'
import { settings } from '../support/settings.ts'

const idOf = (index: number): string => `01a20174-dd5e-740b-ab17-00000000000${index}`
const UNKNOWN = idOf(9)
const USER = '01a20174-df88-73a9-824c-e68568364965'
const DUE = Date.parse('2026-11-22T04:12:46Z') / 1000
const KEPT = Math.floor(Date.now() / 1000) + 604_800

/** A notice that failed, one that waits for a day to come, and a request mail that failed. None is for an account that exists. */
const fill = async (outbox: Outbox): Promise<void> => {
  const put = (index: number, kind: MailKind, dueAtSeconds: number, userId: Option<string> = some(USER)) => {
    const mail = { id: idOf(index), kind, userId, address: 'ada@lovelace.example', language: none }
    return succeed(outbox.put({ mail: newMail(mail, DUE, dueAtSeconds), unseenAtMost: 10 }))
  }
  await put(1, 'password_changed', DUE)
  await put(3, 'recovery', DUE, none)
  await succeed(outbox.claim({ claim: 'one', nowSeconds: DUE, leaseSeconds: 60, limit: 2 }))
  for (const index of [1, 3])
    await succeed(
      outbox.settle({ id: idOf(index), claim: 'one', failed: { code: '550', keptUntilSeconds: KEPT } }),
    )
  await put(2, 'password_leaked', KEPT)
}

onEverySharedStore('portcullis mail', (stores) => {
  const { portcullis, serve, url, remove } = stores.workplace()
  after(remove)

  const withOutbox = async (look: (outbox: Outbox) => Promise<unknown>): Promise<void> => {
    const { store, outbox } = await openStorage(settings({ DATABASE_URL: url() }), { clock: Date.now })
    if (outbox === undefined) throw new Error('no outbox')
    await look(outbox)
    await store.close()
  }
  const list = async (options = ''): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
    jsonLines((await portcullis(`mail list ${options} --json`.replace('  ', ' '))).out)
  const stateOf = async (index: number) => (await list()).find(({ id }) => id === idOf(index))?.state

  beforeEach(async () => {
    await portcullis('application create --name shop')
    await portcullis('mail drop --all')
    await withOutbox(fill)
  })

  it('list shows each mail without its address, by its id', async () => {
    const { status, out, err } = await portcullis('mail list')
    expect([status, err]).to.deep.equal([0, ''])
    expect(out).to.equal(
      [
        `${idOf(1)}  password_changed  ${USER}  failed  1  2026-11-22T04:12:46.000Z  550`,
        `${idOf(2)}  password_leaked  ${USER}  waiting  0  ${new Date(KEPT * 1000).toISOString()}  -`,
        `${idOf(3)}  recovery  -  failed  1  2026-11-22T04:12:46.000Z  550\n`,
      ].join('\n'),
    )
    expect((await list())[2]).to.deep.equal({
      id: idOf(3),
      kind: 'recovery',
      user_id: null,
      state: 'failed',
      attempts: 1,
      due_at: '2026-11-22T04:12:46.000Z',
      code: '550',
    })
  })

  it('list selects a state, and goes on behind the last mail of a limit', async () => {
    expect((await list('--state waiting')).map(({ id }) => id)).to.deep.equal([idOf(2)])
    expect((await list('--state failed')).map(({ id }) => id)).to.deep.equal([idOf(1), idOf(3)])
    const first = await portcullis('mail list --state failed --limit 1')
    expect(first.err).to.equal(`Continue with --after ${idOf(1)}\n`)
    const next = await portcullis(`mail list --state failed --limit 1 --after ${idOf(1)} --json`)
    expect([jsonLines(next.out)[0]?.id, next.err]).to.deep.equal([idOf(3), ''])
  })

  it('retry lets one failed mail wait, or all', async () => {
    expect(await portcullis(`mail retry ${idOf(3)}`)).to.deep.include({
      status: 0,
      out: 'retried  1\n',
      err: 'MAIL_URL is not set here. They wait until a service sends mails from this store.\n',
    })
    expect([await stateOf(1), await stateOf(3)]).to.deep.equal(['failed', 'waiting'])
    const { out, err } = await portcullis('mail retry --all --json')
    expect([JSON.parse(out), err]).to.deep.equal([{ retried: 1 }, ''])
    expect(await list('--state failed')).to.deep.equal([])
    expect(JSON.parse((await portcullis('mail retry --all --json')).out)).to.deep.equal({ retried: 0 })
  })

  it('drop deletes one mail, those in a state, or all, without an event', async () => {
    const before = (await portcullis('events list --json')).out
    expect(await portcullis(`mail drop ${idOf(2)}`)).to.deep.include({
      status: 0,
      out: 'dropped  1\n',
      err: '',
    })
    const drop = async (options: string) => JSON.parse((await portcullis(`mail drop ${options} --json`)).out)
    expect(await drop('--all --state waiting')).to.deep.equal({ dropped: 0 })
    expect(await drop('--all --state failed')).to.deep.equal({ dropped: 2 })
    expect(await drop('--all')).to.deep.equal({ dropped: 0 })
    expect((await portcullis('events list --json')).out).to.equal(before)
  })

  for (const [words, said] of [
    [`mail retry ${UNKNOWN}`, `No mail has the id "${UNKNOWN}". It may have been sent.`],
    [`mail drop ${UNKNOWN}`, `No mail has the id "${UNKNOWN}". It may have been sent.`],
    [
      `mail retry ${idOf(2)}`,
      `The mail ${idOf(2)} has not failed. It is due at ${new Date(KEPT * 1000).toISOString()}.`,
    ],
  ] as const)
    it(`refuses ${words}`, async () => {
      expect(await portcullis(words)).to.deep.include({ status: 1, out: '', err: `${said}\n` })
      expect((await list()).length).to.equal(3)
    })

  for (const words of [
    'retry',
    'drop',
    `retry ${idOf(1)} --all`,
    `drop ${idOf(1)} --all`,
    `drop ${idOf(1)} --state failed`,
  ])
    it(`refuses mail ${words}, which names not one and not all`, async () => {
      const { status, out, err } = await portcullis(`mail ${words}`)
      expect([status, out]).to.deep.equal([2, ''])
      expect(err).to.include("error: name one mail by its id, or all with the option '--all'")
      expect((await list()).length).to.equal(3)
    })

  it('retry beside a running service makes it send the mail', async () => {
    const relay = await startRelay()
    const { out } = await portcullis('user create --email ada@lovelace.example --no-password --json')
    const userId = some(String(JSON.parse(out).id))
    const mail = {
      id: idOf(4),
      kind: 'password_changed',
      userId,
      address: 'ada@lovelace.example',
      language: none,
    } as const
    await withOutbox(async (outbox) => {
      await succeed(outbox.put({ mail: newMail(mail, DUE), unseenAtMost: 10 }))
      await succeed(outbox.claim({ claim: 'one', nowSeconds: DUE, leaseSeconds: 60, limit: 2 }))
      const failed = { code: 'expired', keptUntilSeconds: KEPT }
      await succeed(outbox.settle({ id: mail.id, claim: 'one', failed }))
    })
    const environment = {
      MAIL_URL: `smtp://127.0.0.1:${relay.port}`,
      MAIL_FROM: 'noreply@example.com',
      MAIL_CONTACT: 'help@example.com',
      PUBLIC_URL: 'https://auth.example.com',
    }
    const server = await serve('serve', environment)
    const retried = await portcullis(`mail retry ${mail.id}`, { environment })
    expect(retried).to.deep.include({ status: 0, out: 'retried  1\n', err: '' })
    const sent = await eventually('the mail', async () => relay.taken[0])
    expect(sent?.to).to.deep.equal(['ada@lovelace.example'])
    await eventually('the end of the mail', async () => ((await stateOf(4)) === undefined ? true : undefined))
    await server.end()
    await relay.stop()
  })
})

onSqlite('a copy of a store with mails', (stores) => {
  const { folder, portcullis, url, remove } = stores.workplace()
  after(remove)

  it('has the mails, and only the copy takes changes of them', async () => {
    await portcullis('application create --name shop')
    const { store, outbox } = await openStorage(settings({ DATABASE_URL: url() }), { clock: Date.now })
    if (outbox !== undefined) await fill(outbox)
    await store.close()
    const { out: before } = await portcullis('mail list')
    expect(before.trim().split('\n').length).to.equal(3)

    const [backUp, moved] = [join(folder, 'back-up.db'), join(folder, 'moved.db')]
    await portcullis(`backup ${backUp}`)
    const copied = await portcullis(`store copy sqlite:${moved} --json`)
    expect(JSON.parse(copied.out).mails).to.equal(3)
    for (const path of [backUp, moved])
      expect(
        (await portcullis('mail list', { environment: { DATABASE_URL: `sqlite:${path}` } })).out,
      ).to.equal(before)

    for (const words of ['mail retry --all', 'mail drop --all']) {
      const { status, out, err } = await portcullis(words)
      expect([status, out], words).to.deep.equal([1, ''])
      expect(err).to.include('moved.db')
    }
    expect((await portcullis('mail list')).out, 'the source').to.equal(before)
  })
})

describe('portcullis mail', () => {
  const { folder, portcullis, remove } = processWorkplace(([node = '', ...rest], place) => [
    node,
    join(place, 'node_modules/portcullis/dist/adapters/main.js'), // the copy of the package that the module imports
    ...rest.slice(rest.indexOf(main) + 1),
  ])
  before(() => {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules/portcullis'))
    writeFileSync(
      join(folder, 'parts.mjs'),
      `import { Dependency, memoryStore, provide } from 'portcullis'
       export default provide(Dependency.storage, () => ({ store: memoryStore() }))`,
    )
  })
  after(remove)

  for (const words of ['mail list', 'mail retry --all', 'mail drop --all'])
    it(`${words} says that a storage of --with keeps no mails`, async () => {
      expect(await portcullis(`--with ./parts.mjs ${words}`)).to.deep.include({
        status: 78,
        out: '',
        err: 'The storage of --with keeps no mails. It needs the port Outbox.\n',
      })
    })

  it('says that a store in memory is visible to its server only', async () => {
    const { status, err } = await runHere('mail list', { DATABASE_URL: 'memory:' })
    expect(status).to.equal(1)
    expect(err).to.include('DATABASE_URL=memory: is visible only to the server itself.')
  })
})
