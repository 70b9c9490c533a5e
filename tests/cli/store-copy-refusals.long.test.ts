import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { main, processWorkplace } from '../support/command.ts'
import { runHere, startHere } from '../support/run-here.ts'
import { terminal } from '../support/terminal.ts'
import { workplace } from '../support/workplace.ts'

const MODULES = {
  'custom.mjs': `
    import { Dependency, openStorage, provide } from 'portcullis'
    export default provide(Dependency.storage, { settings: Dependency.settings, clock: Dependency.clock }, ({ settings, clock }) =>
      openStorage({ ...settings, database: { kind: 'sqlite', path: 'custom.db' } }, { clock }))`,
  'bare.mjs': `
    import { Dependency, memoryStore, provide } from 'portcullis'
    export default provide(Dependency.storage, () => ({ store: memoryStore() }))`,
}

describe('portcullis store copy with a custom store', function () {
  this.timeout(60_000)
  const { folder, database, portcullis, remove } = processWorkplace(([node = '', ...rest], place) => [
    node,
    join(place, 'node_modules/portcullis/dist/adapters/main.js'),
    ...rest.slice(rest.indexOf(main) + 1),
  ])
  const here = (words: string, path = database) =>
    runHere(words, { DATABASE_URL: `sqlite:${resolve(folder, path)}` })
  before(() => {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules/portcullis'))
    writeFileSync(join(folder, 'package.json'), '{ "name": "a-shop", "private": true }')
    for (const [name, text] of Object.entries(MODULES)) writeFileSync(join(folder, name), text)
  })
  after(remove)

  it('copies into the store of --with, and from there back', async () => {
    await here('application create --name shop')
    const there = await portcullis('--with ./custom.mjs store copy with: --json')
    expect(there.status, there.err).to.equal(0)
    expect(JSON.parse(there.out).to).to.equal('the store of --with')
    expect((await here('application create --name b')).err).to.match(
      /^The store \S+\/data\/portcullis\.db has moved to the store of --with\./,
    )
    expect((await portcullis('--with ./custom.mjs application create --name b')).status).to.equal(0)
    const back = await portcullis('--with ./custom.mjs store copy sqlite:back.db --json')
    expect(back.status, back.err).to.equal(0)
    expect(JSON.parse(back.out).from).to.equal('the store of --with')
    for (const words of ['application create --name c', 'serve'])
      expect((await portcullis(`--with ./custom.mjs ${words}`)).err).to.match(
        /^The store of --with has moved to \S+back\.db\./,
      )
    const { out } = await here('application list', 'back.db')
    expect(out.trim().split('\n')).to.have.lengthOf(2)
  })

  it('refuses a storage that has no StoreCopy', async () => {
    const { status, err } = await portcullis('--with ./bare.mjs store copy sqlite:other.db')
    expect([status, err]).to.deep.equal([
      1,
      'The storage of --with cannot be copied: it has no storeCopy. See docs/adapters.md.\n',
    ])
  })
})

describe('portcullis store copy refuses', () => {
  const { portcullis, folder, remove } = workplace()
  before(() => portcullis('application create --name shop'))
  after(remove)

  for (const [what, to, status, sentence] of [
    ['a URL of another kind', 'mysql://root:hunter2@db/x', 78, /^TO_URL must be sqlite:PATH or postgres:/],
    ['a PostgreSQL URL without a database', 'postgres://root:hunter2@db', 78, /^TO_URL must be /],
    ['an empty URL', '', 78, /^TO_URL must not be empty\.$/],
    ['a store in memory', 'memory:', 1, /^TO_URL must name a store that lasts/],
    ['with: without --with', 'with:', 1, /^TO_URL with: names the store of --with/],
    ['its own store', 'sqlite:./data/portcullis.db', 1, /^TO_URL names the same store as DATABASE_URL/],
    ['a database that does not answer', 'postgres://root:hunter2@127.0.0.1:1/x', 1, /Check .* TO_URL\.$/],
  ] as const)
    it(`${what}, with status ${status} and without a password`, async function () {
      this.timeout(30_000)
      const place = to === 'sqlite:./data/portcullis.db' ? `sqlite:${join(folder, 'data/portcullis.db')}` : to
      const ended = await portcullis(['store', 'copy', place])
      expect(ended.status, ended.err).to.equal(status)
      expect(ended.out).to.equal('')
      expect(ended.err.trim()).to.match(sentence)
      expect(ended.err).to.not.include('hunter2')
    })

  it('a target with contents, and leaves both as they were', async () => {
    const there = { DATABASE_URL: `sqlite:${join(folder, 'there.db')}` }
    await portcullis('application create --name other', { environment: there })
    const ended = await portcullis(`store copy ${there.DATABASE_URL}`)
    expect(ended.status).to.equal(1)
    expect(ended.err).to.match(
      /^The store \S+there\.db cannot be the target: it is not empty\. Name an empty store\./,
    )
    for (const environment of [{}, there])
      expect((await portcullis('application create --name again', { environment })).status).to.equal(0)
  })

  it('a source that has moved, and leaves a new target that no service takes for a new store', async () => {
    const [first, second] = ['first.db', 'second.db'].map((name) => `sqlite:${join(folder, name)}`)
    const there = { environment: { DATABASE_URL: second ?? '' } }
    expect((await portcullis(`store copy ${first}`)).status).to.equal(0)
    expect((await portcullis(`store copy ${second}`)).err).to.match(
      /^The store \S+ has moved to \S+first\.db/,
    )
    for (const words of ['application create --name b', 'serve --first-run'])
      expect((await portcullis(words, there)).err).to.match(
        /^The store \S+second\.db is an incomplete copy of another store\. Repeat store copy from there to here\./,
      )
    expect((await portcullis('events renew')).status).to.equal(0)
    expect((await portcullis(`store copy ${second}`)).status).to.equal(0)
    expect((await portcullis('application create --name b', there)).status).to.equal(0)
    expect((await portcullis('events renew')).status).to.equal(0)
  })

  it('a source that is missing', async () => {
    const ended = await portcullis('store copy sqlite:x.db', {
      environment: { DATABASE_URL: 'sqlite:none.db' },
    })
    expect(ended.status).to.equal(1)
    expect(ended.err).to.match(/^There is no store \S+none\.db\./)
  })
})

describe('portcullis store copy on a terminal', () => {
  const { portcullis, folder, remove } = workplace()
  after(remove)

  it('shows its progress until all is compared', async () => {
    await portcullis('application create --name shop')
    const { stream, written } = terminal()
    const environment = { DATABASE_URL: `sqlite:${join(folder, 'data/portcullis.db')}` }
    const words = ['store', 'copy', `sqlite:${join(folder, 'to.db')}`]
    const { status, out } = await startHere(words, { environment, folder, terminal: stream }).ended
    expect(status).to.equal(0)
    expect(written()).to.match(/0% \|.*100% \| comparison \|/s)
    expect(out).to.include('copy_id')
  })
})
