import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ahead } from '../support/ahead.ts'
import { freePort, processWorkplace } from '../support/command.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { importLines } from '../support/import-file.ts'
import { runHere } from '../support/run-here.ts'
import { withoutStoreLine } from '../support/store-line.ts'

const LIST = 'application list'

/** Commands that print a secret only once, so lost output is an error. */
const SECRETS = ['application create --name lost --json', 'application rotate ID --json'] as const

const DONE = { status: 0, out: '', err: '' }

const lost = (code: string, advice = '') =>
  `The output could not be written (${code}). Changes by this command remain in the store.${advice}\n`

const KEY_IS_LOST = ' The private key is lost: run application rotate or application revoke.'

describe('portcullis if its output cannot be written', () => {
  const { database, portcullis, remove } = processWorkplace()
  const here = (words: string) => runHere(words, { DATABASE_URL: `sqlite:${database}` })
  let id = ''
  const unread = ahead([LIST, ...SECRETS], (words) => portcullis(words.replace('ID', id), { isRead: false }))
  const full = ahead([LIST, ...SECRETS], (words) =>
    portcullis(words.replace('ID', id), { environment: { OUT_TO: '/dev/full' } }),
  )
  before(async () => {
    id = JSON.parse((await here('application create --name shop --json')).out).id
    unread.start()
    full.start()
  })
  after(async () => {
    await Promise.all([unread.allDone(), full.allDone()])
    remove()
  })

  it('exits with 0 if the reader of a list stops early', async () => {
    expect(await unread.of(LIST)).to.deep.equal(DONE)
  })

  it('exits with 1 if the disk is full', async () => {
    expect(await full.of(LIST)).to.deep.equal({ status: 1, out: '', err: lost('ENOSPC') })
  })

  for (const words of SECRETS) {
    it(`exits with 1 if a secret is lost: ${words}`, async () => {
      expect(await unread.of(words)).to.deep.equal({ status: 1, out: '', err: lost('EPIPE', KEY_IS_LOST) })
      expect(await full.of(words)).to.deep.equal({ status: 1, out: '', err: lost('ENOSPC', KEY_IS_LOST) })
    })
  }

  it('exits with 0 if the reader of a help text stops early', async () => {
    expect(await portcullis('application create --help', { isRead: false })).to.deep.equal(DONE)
  })

  it('mentions no changes if a help text cannot be written', async () => {
    const { status, err } = await portcullis('application create --help', {
      environment: { OUT_TO: '/dev/full' },
    })
    expect({ status, err }).to.deep.equal({
      status: 1,
      err: 'The output could not be written (ENOSPC).\n',
    })
  })

  for (const [what, options, code] of [
    ['the disk is full', { environment: { OUT_TO: '/dev/full' } }, 'ENOSPC'],
    ['nothing reads', { isRead: false }, 'EPIPE'],
  ] as const)
    it(`makes no first accounts, whose secrets would be lost, if ${what}`, async () => {
      const environment = { DATABASE_URL: `sqlite:first-${code}.db`, PORT: String(await freePort()) }
      const { status, err } = await portcullis('serve --first-run', {
        ...options,
        environment: {
          LOG_LEVEL: 'silent',
          ACCOUNT_PAGES: 'off',
          ...environment,
          ...('environment' in options ? options.environment : {}),
        },
      })
      expect({ status, err }).to.deep.equal({
        status: 1,
        err: `The output could not be written (${code}), so no accounts were made. Write it to a terminal or a file with room.\n`,
      })
      for (const list of [LIST, 'user list'])
        expect((await portcullis(list, { environment })).out).to.equal('')
    })

  it('keeps the status of doctor, and says nothing about a reader that stops early', async () => {
    const { out, ...failing } = await here('doctor') // cheap hashes fail a check
    expect(await portcullis('doctor', { isRead: false })).to.deep.equal({ ...failing, out: '' })
    const environment = DEFAULT_COST
    expect(await portcullis('doctor', { isRead: false, environment })).to.deep.equal(DONE)
  })

  it('says nothing about a change if the reader stops early', async () => {
    const create = 'user create --email ada@example.com --password-stdin'
    expect(await portcullis(create, { isRead: false, input: 'secret' })).to.deep.equal(DONE)
    expect((await here('user list')).out).to.include('ada@example.com')
  })
})

describe('portcullis in a pipe whose reader stops early', () => {
  let pipe: string | undefined
  const { database, portcullis, folder, remove } = processWorkplace((line) =>
    pipe === undefined ? line : ['sh', '-c', pipe, ...line],
  )
  const path = (name: string): string => join(folder, name)
  const here = (words: string, input = '') => runHere(words, { DATABASE_URL: `sqlite:${database}` }, input)

  /** Runs a command whose output a reader gets, and its standard error a file or the reader too. */
  const piped = async (words: string, reader: string, errors = '2> err') => {
    pipe = `{ "$0" "$@" ${errors}; echo $? > status; } | ${reader}`
    const running = portcullis(words, {
      environment: {
        ...DEFAULT_COST,
        ...(words === SERVE ? { ...FIRST, PORT: String(await freePort()) } : {}),
      },
    })
    pipe = undefined
    const { out } = await running
    return {
      out,
      status: Number(readFileSync(path('status'), 'utf8')),
      err: withoutStoreLine(readFileSync(path('err'), 'utf8')),
    }
  }
  const USERS = 3_000
  before(async () => {
    await here('application create --name shop')
    expect((await here('user import -', importLines(USERS))).status).to.equal(0)
  })
  after(remove)

  for (const words of ['events list', 'user list --json --limit 2500'])
    it(`ends a list quietly: ${words}`, async () => {
      const { out, ...ended } = await piped(words, 'head -n 1')
      expect(out.split('\n')).to.have.lengthOf(2)
      expect(ended).to.deep.equal({ status: 0, err: '' })
    })

  for (const words of ['user show user1@example.com', 'events verify'])
    it(`ends quietly: ${words}`, async () => {
      expect(await piped(words, 'head -n 0')).to.deep.equal({ ...DONE, out: '' })
    })

  it('imports every valid line, although nothing reads the report of the others', async () => {
    const bad = Array.from({ length: 1_500 }, () => '{}\n').join('')
    const good = importLines(USERS + 600)
    writeFileSync(path('more.jsonl'), bad + good)
    const { out, status } = await piped('user import more.jsonl', 'head -n 2', '2>&1')
    expect([withoutStoreLine(out).split(':')[0], status]).to.deep.equal(['Line 1', 1])
    expect((await here('user list --limit 10000')).out.trim().split('\n')).to.have.lengthOf(USERS + 600)
  })
})

const SERVE = 'serve --first-run'
const FIRST = { DATABASE_URL: 'memory:', LOG_LEVEL: 'silent' }
