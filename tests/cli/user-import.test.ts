import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { Ended } from '../support/command.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { importLine, importLines, SOME_RECORD } from '../support/import-file.ts'
import { onSqlite } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { ownRecord } from '../support/own-record.ts'

const ID = '0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60'
const REMOVED_ID = ID.replace('0b', '0c')
const RECORD_PROBLEM = '"password_hash": A record must begin with $2a$,'

/** A bad line, without its line feed, and the beginning of the reason that is reported. */
const BAD: ReadonlyArray<readonly [what: string, line: string | Uint8Array, reason: string]> = [
  ['is no JSON', '{"email":"secret@example.com"', 'The line is not valid JSON.'],
  ['is JSON of two values', '{} {}', 'The line is not valid JSON.'],
  ['is an array', '["secret@example.com"]', 'The line is not a JSON object.'],
  ['is null', 'null', 'The line is not a JSON object.'],
  ['is a text', '"secret@example.com"', 'The line is not a JSON object.'],
  ['is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'The line is not valid UTF-8.'],
  ['is too long', `{"a":"${'x'.repeat(16_384)}"}`, 'The line is longer than 16384 bytes.'],
  ['is far too long', `{"a":"${'x'.repeat(1_000_000)}"}`, 'The line is longer than 16384 bytes.'],
  ['has no e-mail', importLine('').trim(), '"email" must be a text that is not empty.'],
  ['has a malformed e-mail', importLine('ada').trim(), '"email" must be an e-mail address'],
  [
    'has no record',
    importLine('a@b.c', { password_hash: undefined }).trim(),
    '"password_hash" must be a text',
  ],
  ['has a record of MD5', importLine('a@b.c', { password_hash: 'secret0cc175b9' }).trim(), RECORD_PROBLEM],
  [
    'has a damaged record of this service',
    importLine('a@b.c', { password_hash: '1$$secret' }).trim(),
    '"password_hash": A record of Portcullis must have the form 1$PEPPER-ID$BASE64',
  ],
  [
    'has a record under a pepper that is not set',
    importLine('a@b.c', { password_hash: ownRecord({ logN: 1, r: 8, p: 1 }, '2026') }).trim(),
    '"password_hash": The password hasher of this service cannot verify the scheme scrypt ln=1,r=8,p=1 pepper=2026.',
  ],
  [
    'has a record above a bound',
    importLine('a@b.c', { password_hash: SOME_RECORD.replace('$04$', '$15$') }).trim(),
    '"password_hash": The cost of bcrypt must be 4–14, got 15.',
  ],
  ['has an id that is no UUID', importLine('a@b.c', { id: 'secret' }).trim(), '"id" must be a UUID.'],
  [
    'has a taken id',
    importLine('a@b.c', { id: ID }).trim(),
    '"id" belongs to a user with another e-mail address.',
  ],
  [
    'has the id of a removed user',
    importLine('a@b.c', { id: REMOVED_ID }).trim(),
    '"id" belongs to a removed user, who cannot come back. Without "id", the line makes a new user.',
  ],
  [
    'has a wrong flag',
    importLine('a@b.c', { email_verified: 1 }).trim(),
    '"email_verified" must be true or false.',
  ],
  [
    'has a wrong time',
    importLine('a@b.c', { created_at: '2020' }).trim(),
    '"created_at" must be a time in RFC 3339',
  ],
  [
    'has a future time',
    importLine('a@b.c', { created_at: '9999-01-01T00:00:00Z' }).trim(),
    '"created_at" must be between',
  ],
  [
    'has an unknown status',
    importLine('a@b.c', { status: 'secret' }).trim(),
    '"status" must be enabled or disabled.',
  ],
  [
    'has two problems',
    importLine('ada', { id: 1 }).trim(),
    '"email" must be an e-mail address with at most 254 characters. "id" must',
  ],
]

onSqlite('portcullis user import', (stores) => {
  const { folder, portcullis, contents, entries, withStore, remove } = stores.workplace()
  before(async () => {
    await portcullis('application create --name shop')
    expect((await imported(importLine('taken@example.com', { id: ID }))).status).to.equal(0)
    await imported(importLine('a@b.c', { id: REMOVED_ID }))
    await portcullis(`user remove ${REMOVED_ID}`)
  })
  after(remove)

  const imported = (content: string | Uint8Array, options = ''): Promise<Ended> =>
    portcullis(`user import -${options}`, { input: content })
  const users = async () => (await contents()).users.map(({ email }) => email)
  const ended = (counts: object, err = '', status = 0): Ended => ({
    status,
    out: `${JSON.stringify(counts)}\n`,
    err,
  })

  for (const [what, line, reason] of BAD) {
    it(`reports and skips a line that ${what}`, async () => {
      const good = importLine(`after-a-line-that-${what.replaceAll(' ', '-').toLowerCase()}@example.com`)
      const file = Buffer.concat([Buffer.from('\n'), Buffer.from(line), Buffer.from(`\n${good}`)])
      const { status, out, err } = await imported(file, ' --json')
      expect(JSON.parse(out)).to.deep.equal({ lines: 2, imported: 1, known: 0, bad: 1 })
      expect(status).to.equal(1)
      const [first, second, ...more] = err.split('\n')
      expect(first?.slice(0, 8 + reason.length)).to.equal(`Line 2: ${reason}`)
      expect(second).to.match(/^1 bad line was skipped\. /)
      expect(more).to.deep.equal([''])
      expect(err).not.to.include('secret')
    })
  }

  it('reads a file in the folder, prints the counts, and skips known users when it is repeated', async () => {
    writeFileSync(join(folder, 'file.jsonl'), importLine('Ann@example.com') + importLine('ANN@example.com'))
    const first = 'lines     2\nimported  1\nknown     1\nbad       0\n'
    expect(await portcullis('user import file.jsonl')).to.deep.equal({ status: 0, out: first, err: '' })
    const before = await contents()
    const again = ended({ lines: 2, imported: 0, known: 2, bad: 0 })
    expect(await portcullis('user import file.jsonl --json')).to.deep.equal(again)
    expect(await contents()).to.deep.equal(before)
    expect(await users()).to.include('Ann@example.com')
  })

  it('checks everything with --dry-run, and writes nothing', async () => {
    const file = `${importLine('new@example.com')}${importLine('TAKEN@example.com')}${importLine('x@y.z', { id: ID })}`
    const before = await contents()
    const { status, out, err } = await imported(
      `${file}nonsense\n${importLine('NEW@example.com')}`,
      ' --dry-run',
    )
    expect(out).to.equal('lines     5\nimported  1\nknown     2\nbad       2\n')
    expect(status).to.equal(1)
    expect(err).to.match(
      /^Line 3: "id" .+\nLine 4: .+\nDry run: nothing was written\.\n2 bad lines were skipped\. /,
    )
    expect(await contents()).to.deep.equal(before)
  })

  it('writes users with the fields of the file, and one event each by the operator', async () => {
    const created = { email_verified: true, created_at: '2020-01-01T01:00:00+01:00' }
    await imported(importLine('Fay@Example.com', { id: ID.replace('0b', '0F'), ...created }))
    const fay = await withStore((store) => succeed(store.findUserByEmail('fay@example.com')))
    const id = ID.replace('0b', '0f')
    expect(toUndefined(fay)).to.deep.include({
      id,
      email: 'Fay@Example.com',
      emailVerified: true,
      createdAtSeconds: 1_577_836_800,
      passwordRecord: SOME_RECORD,
    })
    const event = (await entries('UserImported')).find(({ subject }) => subject.id === id)
    expect(event?.actor).to.include({ kind: 'operator' })
    expect(event?.data).to.deep.include({
      scheme: 'bcrypt:4',
      email_verified: true,
      created_at: '2020-01-01T00:00:00.000Z',
    })
  })

  it('reports at most 1,000 bad lines, and counts all', async () => {
    const { out, err } = await imported('x\n'.repeat(1_234), ' --json')
    expect(JSON.parse(out)).to.deep.equal({ lines: 1_234, imported: 0, known: 0, bad: 1_234 })
    const lines = err.split('\n')
    expect(lines.filter((line) => line.startsWith('Line '))).to.have.lengthOf(1_000)
    expect(lines[1_000]).to.equal('More bad lines are counted, but not reported.')
    expect(lines[1_001]).to.match(/^1234 bad lines were skipped\. /)
  })

  it('says which file it cannot read, and leaves the store alone', async () => {
    mkdirSync(join(folder, 'directory'))
    const missing = await portcullis('user import none.jsonl --json')
    const err = 'The file none.jsonl cannot be read (ENOENT).\n'
    expect(missing).to.deep.equal({ status: 1, out: '', err })
    const directory = await portcullis('user import directory --json')
    const folderErr = 'directory is a folder. Name a file with one user per line.\n'
    expect(directory).to.deep.equal({ status: 1, out: '', err: folderErr })
    expect(existsSync(join(folder, 'none.jsonl'))).to.equal(false)
  })
})

onEverySharedStore('portcullis user import beside registrations', (stores) => {
  const { portcullis, contents, remove } = stores.workplace()
  before(() => portcullis('application create --name shop'))
  after(remove)

  it('imports each e-mail once if users register at the same time', async () => {
    const rivals = Array.from({ length: 8 }, (_, index) => `user${index * 200}@example.com`)
    const [run, ...created] = await Promise.all([
      portcullis('user import - --json', { input: importLines(1_600) }),
      ...rivals.map((email) =>
        portcullis(`user create --email ${email} --password-stdin`, { input: 'secret' }),
      ),
    ])
    const registered = created.filter(({ status }) => status === 0).length
    for (const { status, err } of created) if (status !== 0) expect(err).to.include('already registered')
    expect(JSON.parse(run.out)).to.deep.equal({
      lines: 1_600,
      imported: 1_600 - registered,
      known: registered,
      bad: 0,
    })
    const found = (await contents()).users.map(({ email }) => email)
    expect(found).to.have.lengthOf(1_600)
    expect(new Set(found).size).to.equal(1_600)
    const log = JSON.parse((await portcullis('doctor --json')).out).checks.find(
      ({ name }: { name: string }) => name === 'log',
    )
    expect(log.ok, log.detail).to.equal(true)
  })
})
