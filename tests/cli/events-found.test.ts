import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { jsonLines } from '../support/json-lines.ts'
import { append, aRefusal } from '../support/modelled-log.ts'
import { onSqlite } from '../support/one-store.ts'
import { startHere } from '../support/run-here.ts'

onSqlite('portcullis events list with conditions', (stores) => {
  const { portcullis, withStore, url, folder, remove } = stores.workplace()
  let [shop, ada] = ['', '']
  before(async () => {
    shop = JSON.parse((await portcullis('application create --name shop --json')).out).id
    ada = JSON.parse(
      (await portcullis('user create --email ada@example.com --password-stdin --json', { input: 'secret' }))
        .out,
    ).id
    await portcullis('user disable ada@example.com')
    await withStore((store) =>
      append(
        store,
        aRefusal('wrong_password', { user: ada, application: shop, at: '2026-01-01T00:00:00.000Z' }),
        aRefusal('unknown_email', { application: shop, at: '2026-01-02T00:00:00.000Z' }),
        aRefusal('unknown_email', { at: '2026-01-03T12:00:00.700Z' }),
      ),
    )
  })
  after(remove)

  const positions = async (words: string) => {
    const { status, out, err } = await portcullis(`events list --json ${words}`)
    expect([status, err]).to.deep.equal([0, err.replace(/^(?!Continue with --after ).+/gm, '')])
    return jsonLines(out).map(({ position }) => position)
  }

  const FOUND: ReadonlyArray<readonly [words: string, positions: ReadonlyArray<number>]> = [
    ['--user ada@example.com', [2, 3, 4]],
    ['--user ADA', [2, 3, 4]],
    ['--application shop', [1, 4, 5]],
    ['--application shop --user ada@example.com', [4]],
    ['--reason unknown_email', [5, 6]],
    ['--type UserRegistered --type UserDisabled', [2, 3]],
    ['--since 2026-01-02 --until 2026-01-03', [5]],
    ['--until 2026-01-02T01:00:00+01:00', [4]],
    ['--since 2026-01-03T12:00:00.7Z --type SignInRefused', [6]],
    ['--since 2026-01-02 --until 2026-01-03T12:00:00.700Z', [5]],
    ['--since 2026-01-02T00:00:00.000Z --type SignInRefused', [5, 6]],
    ['--limit 2', [1, 2]],
    ['--type SignInRefused --limit 2', [4, 5]],
    ['--reverse --limit 2', [6, 5]],
    ['--user ada@example.com --reverse', [4, 3, 2]],
    ['--user ada@example.com --after 3', [4]],
  ]
  for (const [words, found] of FOUND)
    it(`finds ${found.join(' ')} with ${words}`, async () => {
      expect(await positions(words.replace('ADA', ada))).to.deep.equal(found)
    })

  it('says where to continue: behind the last entry, or at the end of the log; not in reverse', async () => {
    const errOf = async (words: string) => (await portcullis(`events list ${words}`)).err
    expect(await errOf('--user ada@example.com --limit 2')).to.match(
      /^Continue with --after [0-9a-f]{8}:3\n$/,
    )
    expect(await errOf('--limit 2')).to.match(/^Continue with --after [0-9a-f]{8}:2\n$/)
    expect(await errOf('--user ada@example.com')).to.match(/^Continue with --after [0-9a-f]{8}:6\n$/)
    expect(await errOf('--user ada@example.com --after 9')).to.match(
      /^Continue with --after [0-9a-f]{8}:9\n$/,
    )
    expect(await errOf('--user ada@example.com --reverse')).to.equal('')
  })

  const REFUSED: ReadonlyArray<readonly [words: string, status: number, message: RegExp]> = [
    ['--user eve@example.com', 1, /^No user has this e-mail or id\./],
    ['--application desk', 1, /^No application has this id or name\./],
    ['--after 00000000:1 --user ada@example.com', 1, /^The log was restored or renewed/],
    ['--since yesterday', 2, /date or a time/],
    ['--reason bad_luck', 2, /wrong_password/],
    ['--type Birthday', 2, /UserRegistered/],
    ['--limit 0', 2, /whole number/],
    ['--follow --reverse', 2, /cannot be used with/],
    ['--follow --until 2026-01-01', 2, /cannot be used with/],
  ]
  for (const [words, status, message] of REFUSED)
    it(`refuses ${words} with ${status}`, async () => {
      const ended = await portcullis(`events list ${words}`)
      expect([ended.status, ended.out]).to.deep.equal([status, ''])
      expect(ended.err).to.match(message)
    })

  it('keeps its read model beside the store, or where READ_MODEL says', async () => {
    const path = url().replace('sqlite:', '')
    expect(existsSync(`${path}.read-model`)).to.equal(true)
    const file = join(folder, 'elsewhere', 'found')
    const environment = { READ_MODEL: file }
    expect((await portcullis('events list --reverse', { environment })).status).to.equal(0)
    expect(existsSync(file)).to.equal(true)
  })

  it('needs no read model for what the log itself answers', async () => {
    const blocked = join(folder, 'blocked')
    writeFileSync(blocked, 'Dear diary')
    const environment = { READ_MODEL: blocked }
    for (const words of ['', ' --after 2', ' --type UserRegistered', ' --limit 1'])
      expect((await portcullis(`events list${words}`, { environment })).status).to.equal(0)
    const { status, err } = await portcullis('events list --user ada@example.com', { environment })
    expect([status, err]).to.deep.equal([
      1,
      `The read model ${blocked} cannot be used: it is not a read model. Name another file in READ_MODEL, or delete this one.\n`,
    ])
  })

  it('follows the log with --follow until it is stopped, and takes only what meets the conditions', async () => {
    let resume = () => {}
    const following = startHere('events list --json --user ada@example.com --follow --after 3', {
      environment: { DATABASE_URL: url() },
      pause: () =>
        new Promise((resolve) => {
          resume = resolve
        }),
    })
    await following.prints('"position":4')
    await withStore((store) =>
      append(store, aRefusal('unknown_email'), aRefusal('wrong_password', { user: ada })),
    )
    resume()
    await following.prints('"position":8')
    following.stop()
    const { status, out, err } = await following.ended
    expect(status).to.equal(0)
    expect(jsonLines(out).map(({ position }) => position)).to.deep.equal([4, 8])
    expect(err).to.match(/^Continue with --after [0-9a-f]{8}:8\n$/)
  })
})
