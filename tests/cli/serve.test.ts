import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { API_KEY } from '../support/api-keys.ts'
import { onSqlite } from '../support/one-store.ts'
import { workplace } from '../support/workplace.ts'

const shell = promisify(execFile)

onSqlite('portcullis serve --first-run', (stores) => {
  const { serve, portcullis, asProcess, remove } = stores.workplace()
  after(remove)

  it('shows secrets once, with curl lines that use the whole contract when pasted', async () => {
    const server = await asProcess.serve('serve --first-run')
    await server.prints('-changed"') // on the last line
    const printed = server.printed()
    const password = /password {9}(\S+)/.exec(printed)?.[1] ?? ''
    expect(password).to.match(/^[0-9a-f]{32}$/)

    const pasted = printed.slice(printed.indexOf('# 1.'))
    const { stdout } = await shell('sh', ['-c', pasted])
    const [applicationToken = '', userToken = '', ...answers] = stdout.trim().split('\n')
    expect(applicationToken.split('.').length).to.equal(3)
    expect(userToken).to.match(/^v4\.public\./)
    const [profile, refused, changed] = answers.map((answer) => JSON.parse(answer))
    expect(profile).to.include({ email: 'owner@example.com' })
    expect(refused.code).to.equal(422)
    expect(refused.errors.map(({ code }: { code: number }) => code)).to.deep.equal([2, 4, 5])
    expect(changed.code).to.equal(100)

    expect(await server.end('SIGINT')).to.equal(0)
    for (const secret of [password, applicationToken, userToken, 'owner@example.com']) {
      expect(server.logged()).not.to.include(secret)
    }
    expect(server.logged()).not.to.match(API_KEY)
  })

  it('makes no accounts the second time, prints no secret, and names the commands', async () => {
    const before = (await portcullis('events list')).out
    const server = await serve('serve --first-run')
    await server.prints('main.js user create')
    expect(await server.end()).to.equal(0)
    expect(server.printed()).not.to.match(API_KEY)
    expect((await portcullis('events list')).out).to.equal(before)
  })
})

onSqlite('portcullis serve', (stores) => {
  const { serve, portcullis, remove } = stores.workplace()
  after(remove)

  it('makes no accounts on an empty store, prints no secret, and names the commands', async () => {
    const server = await serve()
    await server.prints('main.js user create')
    expect(await server.end()).to.equal(0)
    expect(server.printed()).not.to.match(API_KEY)
    expect(server.printed()).not.to.match(/password {2}/)
    const types = (await portcullis('events list')).out.split('\n').map((line) => line.split('  ')[2])
    expect(types).to.deep.equal(['SigningKeyCreated', 'SigningKeyCreated', undefined])
  })

  it('keeps its tokens valid over a restart', async () => {
    const first = await serve()
    const { keys: before } = (await (await fetch(`${first.url}/.well-known/jwks.json`)).json()) as {
      keys: unknown
    }
    await first.end()
    const second = await serve()
    const { keys: after } = (await (await fetch(`${second.url}/.well-known/jwks.json`)).json()) as {
      keys: unknown
    }
    await second.end()
    expect(after).to.deep.equal(before)
  })
})

describe('portcullis serve', () => {
  const { folder, serve, portcullis, asProcess, remove } = workplace()
  after(remove)

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`exits with 0 on ${signal}, and writes the log to the last line`, async () => {
      const server = await asProcess.serve()
      expect((await fetch(`${server.url}/.well-known/jwks.json`)).status).to.equal(200)
      expect(await server.end(signal)).to.equal(0)
      const lines = server.logged().trim().split('\n')
      expect(JSON.parse(lines.at(-1) ?? '')).to.include({
        method: 'GET',
        route: '/.well-known/jwks.json',
        status: 200,
      })
    })
  }

  it('reports with one sentence that its port is in use', async () => {
    const first = await serve()
    const { status, err } = await portcullis('serve', { environment: { PORT: String(first.port) } })
    expect(status).to.equal(1)
    expect(err).to.equal(
      `Port ${first.port} of 127.0.0.1 is in use. Stop the program that uses it, or set PORT to another port.\n`,
    )
    await first.end()
  })

  it('reports with one sentence that its store is a folder', async () => {
    const path = join(folder, 'broken.db')
    mkdirSync(path)
    expect(await portcullis('serve', { environment: { DATABASE_URL: `sqlite:${path}` } })).to.deep.equal({
      status: 1,
      out: '',
      err: `The database ${path} cannot be used: it is a folder. Name a file in DATABASE_URL.\n`,
    })
  })

  it('reads settings from .env in its working directory', async () => {
    writeFileSync(join(folder, '.env'), 'USER_TOKEN_TTL=soon\n')
    const { status, err } = await asProcess.portcullis('serve')
    expect(status).to.equal(78)
    expect(err).to.include('USER_TOKEN_TTL')
  })

  it('exits with 78 if it cannot read .env', async () => {
    rmSync(join(folder, '.env'))
    mkdirSync(join(folder, '.env'))
    const { status, err } = await portcullis('serve')
    expect(status).to.equal(78)
    expect(err).to.equal(
      `The file .env in ${folder} cannot be read. Make it a readable file in UTF-8, or remove it.\n`,
    )
    rmSync(join(folder, '.env'), { recursive: true })
  })

  it('mentions that only a first run makes accounts in a store in memory', async () => {
    const server = await serve('serve', { DATABASE_URL: 'memory:' })
    await server.prints('Use serve --first-run.')
    expect(await server.end()).to.equal(0)
  })

  it('answers and stops cleanly if the log cannot be written', async () => {
    const server = await asProcess.serve('serve', { LOG_TO: '/dev/full' })
    for (let asked = 0; asked < 60; asked += 1) {
      expect((await fetch(`${server.url}/healthz`)).status).to.equal(200)
    }
    expect(await server.end()).to.equal(0)
  })

  it('keeps running if its output is closed', async () => {
    const server = await asProcess.serve()
    server.stopReading()
    expect((await fetch(`${server.url}/healthz`)).status).to.equal(200)
    expect(await server.end()).to.equal(0)
  })
})
