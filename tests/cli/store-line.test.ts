import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { COMMANDS, ONE_SHOT_COMMANDS } from '../support/commands.ts'
import { startHere } from '../support/run-here.ts'
import { workplace } from '../support/workplace.ts'

/** Commands that open no store. */
const WITHOUT_STORE = ['mail test', 'texts check']

describe('the line that names the store', () => {
  const { folder, database, portcullis, remove } = workplace()
  const elsewhere = mkdtempSync(join(tmpdir(), 'portcullis-env-'))
  const url = `sqlite:${database}`
  before(async () => {
    await portcullis('application create --name shop')
    writeFileSync(join(elsewhere, '.env'), `DATABASE_URL=${url}\n`)
    writeFileSync(join(elsewhere, 'url'), url)
    writeFileSync(join(elsewhere, 'own.env'), `DATABASE_URL_FILE=${join(elsewhere, 'url')}\n`)
  })
  after(async () => {
    rmSync(elsewhere, { recursive: true })
    await remove()
  })

  const said = async (words: string, given: Parameters<typeof startHere>[1]) => {
    const command = startHere(words, given)
    const { out } = await command.ended
    return { out, lines: command.said().split('\n').slice(0, -1) }
  }

  for (const [source, place, environment] of [
    ['DATABASE_URL of the environment', elsewhere, { DATABASE_URL: url }],
    ['DATABASE_URL of .env', elsewhere, {}],
    ['DATABASE_URL of .env', elsewhere, { DATABASE_URL: '' }],
    ['DATABASE_URL_FILE of ./own.env', elsewhere, { PORTCULLIS_ENV_FILE: './own.env' }],
    ['DATABASE_URL of ../.env', join(elsewhere, 'below'), { PORTCULLIS_ENV_FILE: '../.env' }],
  ] as const)
    it(`says that its name is ${source}, with ${JSON.stringify(Object.keys(environment))}`, async () => {
      const { lines, out } = await said('application list --json', { folder: place, environment })
      expect(lines).to.deep.equal([`Store: ${database} (${source})`])
      expect(JSON.parse(out)).to.have.property('name', 'shop')
    })

  it('says that the default store is the default, in a folder without a store too', async () => {
    const environment = { PORTCULLIS_ENV_FILE: '/dev/null' }
    expect((await said('application list', { folder: elsewhere, environment })).lines).to.deep.equal([
      'Store: ./data/portcullis.db (the default)',
      'There is no store ./data/portcullis.db. Run this command in the folder of the service, or check DATABASE_URL.',
    ])
  })

  it('hides the password', async () => {
    const environment = { DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/auth?host=/nowhere' }
    const command = startHere('store copy memory:', { environment })
    await command.ended
    expect(command.said()).not.to.include('hunter2')
    expect(command.said()).to.match(
      /^Store: postgres:\/\/127\.0\.0\.1:1\/auth in \/nowhere \(DATABASE_URL of the environment\)\n/,
    )
  })

  for (const [command, rest] of ONE_SHOT_COMMANDS)
    it(`is written once by ${command}`, async () => {
      const missing = join(folder, 'none', 'store.db')
      const environment = { DATABASE_URL: `sqlite:${missing}`, PORTCULLIS_ENV_FILE: '/dev/null' }
      if (command.endsWith('create')) environment.DATABASE_URL = url
      const { lines } = await said(`${command}${rest}`, { environment })
      expect(lines.filter((line) => line.startsWith('Store: '))).to.have.lengthOf(1)
    })

  for (const [command, rest] of COMMANDS.filter(([name]) => WITHOUT_STORE.includes(name)))
    it(`is not written by ${command}, which opens none`, async () => {
      const { lines } = await said(`${command}${rest}`, { environment: { DATABASE_URL: url } })
      expect(lines.join('\n')).not.to.include('Store: ')
    })

  it('is not written by serve, whose first line names the store', async () => {
    const server = startHere('serve', { environment: { DATABASE_URL: url, PORT: '0' } })
    server.stop()
    await server.ended
    expect(server.said()).not.to.include('Store: ')
  })
})
