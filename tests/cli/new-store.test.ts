import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeOnPostgres, onEmpty } from '../postgres/database.ts'
import { needs } from '../ship/systemd.ts'
import { freePort, processWorkplace } from '../support/command.ts'
import { type Given, startHere } from '../support/run-here.ts'
import { workplace } from '../support/workplace.ts'

/** The commands that create a store if there is none: those that may ask, and those that never do. */
const ASKING = [
  'application create --name shop',
  'user create --email ada@example.com --no-password',
] as const
const WITH_PASSWORD = 'user create --email ada@example.com --password-stdin'
const SERVING = ['serve', 'serve --first-run'] as const
const SILENT = [WITH_PASSWORD, ...SERVING] as const
const CREATING = [...ASKING, ...SILENT] as const

/** A terminal on which a person gives one answer. */
const answering = (answer: string) => {
  const questions: Array<string> = []
  return {
    questions,
    ask: async (question: string) => {
      questions.push(question)
      return answer
    },
  }
}

describe('a store that only .env names, and that does not exist', () => {
  let place: ReturnType<typeof workplace>
  let store: string
  let file: string
  beforeEach(() => {
    place = workplace()
    store = join(place.folder, 'data', 'shop.db')
    file = join(place.folder, '.env')
    writeFileSync(file, `DATABASE_URL=sqlite:${store}\n`)
  })
  afterEach(() => place.remove())

  const refusal = (setting: string) =>
    `There is no store in ${store} (${setting} of ${file}). To create it, add --yes, or set PORTCULLIS_ENV_FILE=.env or ${setting} in the environment. Nothing was changed.\n`

  const run = (words: string, given: Given = {}) =>
    startHere(words, { folder: place.folder, input: 'secret', ...given }).ended

  /** Starts the service, and stops it once it listens. */
  const served = async (words: string, given: Given = {}) => {
    const environment = { PORT: String(await freePort()), ...given.environment }
    const server = startHere(words, { folder: place.folder, ...given, environment })
    await server.prints('Portcullis listens')
    server.stop()
    return server.ended
  }

  for (const words of CREATING)
    it(`is refused without a terminal, and nothing changes: ${words}`, async () => {
      expect(await run(words)).to.deep.equal({
        status: 78,
        out: '',
        err: refusal('DATABASE_URL'),
      })
      expect(readdirSync(place.folder)).to.deep.equal(['.env'])
    })

  for (const words of SILENT)
    it(`is refused on a terminal too, without a question: ${words}`, async () => {
      const { ask, questions } = answering('y')
      const { status, err } = await run(words, { ask })
      expect({ status, err }).to.deep.equal({ status: 78, err: refusal('DATABASE_URL') })
      expect(questions).to.deep.equal([])
      expect(readdirSync(place.folder)).to.deep.equal(['.env'])
    })

  for (const words of ASKING) {
    it(`is refused if a person says no, and nothing changes: ${words}`, async () => {
      for (const answer of ['', 'n', 'yessir', 'x']) {
        const { ask, questions } = answering(answer)
        const { status, out, err } = await run(words, { ask })
        expect({ status, out, err }, answer).to.deep.equal({
          status: 1,
          out: '',
          err: 'No store was created.\n',
        })
        expect(questions).to.deep.equal([`Create a store in ${store} (DATABASE_URL of ${file})? [y/N] `])
      }
      expect(readdirSync(place.folder)).to.deep.equal(['.env'])
    })

    for (const answer of ['y', 'Y', 'yes', ' yes\r'])
      it(`is created if a person says ${JSON.stringify(answer)}: ${words}`, async () => {
        expect((await run(words, answering(answer))).status).to.equal(0)
        expect(existsSync(store)).to.equal(true)
      })

    it(`is created with --yes, without a question: ${words}`, async () => {
      const { ask, questions } = answering('n')
      expect((await run(`${words} --yes`, { ask })).status).to.equal(0)
      expect(questions).to.deep.equal([])
    })
  }

  it('is created with --yes where a password is on standard input', async () => {
    expect((await run(`${WITH_PASSWORD} --yes`)).status).to.equal(0)
  })

  for (const words of SERVING)
    it(`is created with --yes, and then served without it: ${words}`, async () => {
      expect((await served(`${words} --yes`)).status).to.equal(0)
      expect((await served(words)).status).to.equal(0)
    })

  it('is created without a question if the environment names it too', async () => {
    const environment = { DATABASE_URL: `sqlite:${store}` }
    expect((await run('application create --name shop', { environment })).status).to.equal(0)
  })

  it('is an empty file too, which stays as it is', async () => {
    const empty = join(place.folder, 'empty.db')
    writeFileSync(empty, '')
    writeFileSync(file, `DATABASE_URL=sqlite:${empty}\n`)
    expect((await run('application create --name shop')).status).to.equal(78)
    expect(readFileSync(empty).length).to.equal(0)
    expect(readdirSync(place.folder)).to.have.members(['.env', 'empty.db'])
  })

  it('may be named by the file of the setting', async () => {
    writeFileSync(join(place.folder, 'url'), `sqlite:${store}`)
    writeFileSync(file, `DATABASE_URL_FILE=${join(place.folder, 'url')}\n`)
    expect((await run('application create --name shop')).err).to.equal(refusal('DATABASE_URL_FILE'))
  })

  it('is created without a question if the operator has named the file', async () => {
    const environment = { PORTCULLIS_ENV_FILE: '.env' }
    expect((await served('serve --first-run', { environment })).status).to.equal(0)
    expect(existsSync(store)).to.equal(true)
  })

  it('is asked about after wrong settings are reported', async () => {
    for (const words of CREATING) {
      const { ask, questions } = answering('y')
      expect((await run(words, { ask, environment: { PORT: 'http' } })).status, words).to.equal(78)
      expect(questions).to.deep.equal([])
    }
  })

  it('is asked about after a warning of the names of another program', async () => {
    writeFileSync(file, `DATABASE_URL=sqlite:${store}\nSTRIPE_KEY=x\n`)
    for (const words of ASKING)
      expect((await run(words, answering('n'))).err, words).to.equal(
        'Warning: .env contains names that are not settings. They have no effect: STRIPE_KEY. If the file belongs to another program, name your own in PORTCULLIS_ENV_FILE.\nNo store was created.\n',
      )
  })
})

describe('a command without a terminal', () => {
  const { folder, portcullis, remove } = processWorkplace()
  after(remove)

  it('does not wait for an answer on standard input', async () => {
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=sqlite:./shop.db\n')
    for (const words of ['application create --name shop', 'serve'])
      expect((await portcullis(words, { input: 'y\n' })).status).to.equal(78)
    expect(readdirSync(folder)).to.deep.equal(['.env'])
  })

  it('reads its file once, because it may be a pipe', async () => {
    const piped = processWorkplace((line) => [
      'bash',
      '-c',
      'PORTCULLIS_ENV_FILE=<(cat values) exec "$0" "$@"',
      ...line,
    ])
    writeFileSync(join(piped.folder, 'values'), 'DATABASE_URL=sqlite:./piped.db\n')
    try {
      expect((await piped.portcullis('application create --name shop')).status).to.equal(0)
      expect(existsSync(join(piped.folder, 'piped.db'))).to.equal(true)
    } finally {
      piped.remove()
    }
  })
})

describe('a command on a terminal', () => {
  /** util-linux starts the command on a terminal, and types the input there. */
  const onTerminal = (line: ReadonlyArray<string>) => ['script', '-qec', line.join(' '), '/dev/null']
  const { folder, portcullis, remove } = processWorkplace(onTerminal)
  before(function () {
    needs(this, 'script', '--version')
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=sqlite:./shop.db\n')
  })
  after(remove)

  for (const [words, input, status, files] of [
    ['application create --name shop', 'n\n', 1, ['.env']],
    ['application create --name shop', '', 1, ['.env']],
    ['application create --name shop', 'y\n', 0, ['.env', 'shop.db']],
  ] as const)
    it(`asks, and ends with ${status} after ${JSON.stringify(input)}: ${words}`, async () => {
      const ended = await portcullis(words, { input })
      expect(ended.out).to.match(/Create a store in \S+shop\.db \(DATABASE_URL of \S+\.env\)\? \[y\/N\] /)
      expect(ended.status, ended.out).to.equal(status)
      expect(readdirSync(folder)).to.deep.equal(files)
    })
})

describeOnPostgres('the database of another program, which .env names', (server) => {
  const { folder, remove } = workplace()
  after(remove)

  it(
    'gets no schema and no table of ours, unless a person wants that',
    onEmpty(server, async ({ url, ask: query }) => {
      const relations = () =>
        query(
          "SELECT relnamespace::regnamespace::text, relname FROM pg_class WHERE relnamespace::regnamespace::text !~ '^(pg_|information_schema)' ORDER BY 1, 2",
        )
      const schemas = () => query('SELECT nspname FROM pg_namespace ORDER BY 1')
      const everything = async () => [await relations(), await schemas()]
      await query('CREATE TABLE orders (id integer PRIMARY KEY)')
      const before = await everything()
      writeFileSync(join(folder, '.env'), `DATABASE_URL=${url}\nNEXT_PUBLIC_SHOP=x\n`)
      for (const [words, given, status] of [
        ...CREATING.map((words) => [words, {}, 78] as const),
        ...ASKING.map((words) => [words, answering('n'), 1] as const),
      ]) {
        expect((await startHere(words, { folder, ...given }).ended).status, words).to.equal(status)
        expect(await everything()).to.deep.equal(before)
      }
      const create = 'application create --name shop'
      expect((await startHere(create, { folder, ...answering('y') }).ended).status).to.equal(0)
      expect((await startHere('application create --name other', { folder }).ended).status).to.equal(0)
    }),
  )
})
