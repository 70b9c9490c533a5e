import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  contents,
  describeOnPostgres,
  newRole,
  onEmpty,
  PASSWORD,
  type TestDatabase,
} from '../postgres/database.ts'
import { ONE_SHOT_COMMANDS } from '../support/commands.ts'
import type { PostgresClient } from '../support/postgres-client.ts'
import { runHere } from '../support/run-here.ts'
import { workplace } from '../support/workplace.ts'

/** A test with a database whose owner has a secret password. */
const onTheirs = (server: PostgresClient, test: (url: string, database: TestDatabase) => Promise<void>) =>
  onEmpty(server, async (database) => {
    const { url, role, remove } = await newRole(server, database)
    await server.ask(`ALTER DATABASE ${database.name} OWNER TO ${role}`)
    try {
      await test(url, database)
    } finally {
      await server.ask(`ALTER DATABASE ${database.name} OWNER TO portcullis`)
      await remove()
    }
  })

const expectNoSecret = (text: string): void => {
  for (const secret of [
    PASSWORD,
    encodeURIComponent(PASSWORD),
    'somebody_of',
    JSON.stringify(PASSWORD).slice(1, -1),
  ])
    expect(text).not.to.include(secret)
}

const placeOf = (url: string): string => url.replace(/\/\/.*@/, '//')

describeOnPostgres('portcullis with its store in PostgreSQL', (server) => {
  const { folder, portcullis, asProcess, remove } = workplace()
  after(remove)

  for (const [command, rest] of ONE_SHOT_COMMANDS.filter(([name]) => !/create$|^backup$/.test(name))) {
    it(
      `refuses ${command} without a store, and makes none`,
      onTheirs(server, async (url, database) => {
        const { status, out, err } = await runHere(`${command}${rest}`, { DATABASE_URL: url })
        expect(status).to.equal(1)
        const sentence = `The database ${placeOf(url)} cannot be used: it contains no store. Start a service on it, or check DATABASE_URL.`
        expect(out + err).to.include(sentence)
        if (command !== 'doctor') expect([out, err]).to.deep.equal(['', `${sentence}\n`])
        expect(await contents(database)).to.deep.equal({ made: [] })
      }),
    )
  }

  it(
    'makes a store with application create, and finds it again',
    onTheirs(server, async (url) => {
      const environment = { DATABASE_URL: url }
      const made = await portcullis('application create --name shop', { environment })
      expect(made.status).to.equal(0)
      expectNoSecret(made.out + made.err)
      expect((await portcullis('application list', { environment })).out).to.match(/ {2}shop {2}/)
      const { status, out } = await portcullis('events list --json', { environment })
      expect(status).to.equal(0)
      expect(
        out
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).type),
      ).to.deep.equal(['ApplicationRegistered'])
    }),
  ).timeout(60_000)

  for (const words of ['backup copy.db', 'backup copy.db --json']) {
    it(
      `refuses ${words}, and names the tools of PostgreSQL`,
      onTheirs(server, async (url) => {
        expect(await portcullis(words, { environment: { DATABASE_URL: url } })).to.deep.equal({
          status: 1,
          out: '',
          err: `The store ${placeOf(url)} is in PostgreSQL. Back it up with pg_dump or WAL archiving.\n`,
        })
        expect(existsSync(join(folder, 'copy.db'))).to.equal(false)
      }),
    )
  }

  it(
    'serves, and never shows the password of the database',
    onTheirs(server, async (url) => {
      const service = await asProcess.serve('serve --first-run', { DATABASE_URL: url, LOG_LEVEL: 'trace' })
      expect(service.printed()).to.include(`Its store is ${placeOf(url)}. Press`)
      await service.prints('-changed"') // on the last line
      expect(service.printed()).to.include(
        'The account pages stay off: only a SQLite store has a folder for their key. Set KEY_ENCRYPTION_KEY for them.',
      )
      expect((await fetch(`${service.url}/readyz`)).status).to.equal(200)
      expect(await service.end()).to.equal(0)
      expectNoSecret(service.printed() + service.logged())
      for (const line of service.logged().trim().split('\n')) JSON.parse(line)
    }),
  ).timeout(60_000)

  for (const words of ['serve', 'doctor', 'doctor --json', 'user list --json', 'keys rotate --json']) {
    it(
      `says in one sentence, without the password, why it cannot ${words}`,
      onTheirs(server, async (url) => {
        const DATABASE_URL = url.replace(/\w+$/, 'nowhere')
        const { status, out, err } = await asProcess.portcullis(words, {
          environment: { DATABASE_URL, LOG_LEVEL: 'trace' },
        })
        expect(status).to.equal(1)
        const sentence = `The database ${placeOf(DATABASE_URL)} cannot be used: no database has this name. Create it (CREATE DATABASE), or name another one in DATABASE_URL.`
        expect(out + err).to.include(sentence)
        expect(err.trim().split('\n')).to.have.length(1)
        expectNoSecret(out + err)
      }),
    ).timeout(60_000)
  }
})

describeOnPostgres('portcullis without the password that PostgreSQL requires', (server) => {
  const { portcullis, remove } = workplace()
  after(remove)

  it('reports it and exits at once', async () => {
    const url = `postgres://portcullis@127.0.0.1:${server.port}/postgres`
    expect(await portcullis('user list', { environment: { DATABASE_URL: url } })).to.deep.equal({
      status: 1,
      out: '',
      err: `The database ${placeOf(url)} cannot be used: the server requires a password. Add it to DATABASE_URL.\n`,
    })
  })
})
