import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startedAs } from '../../adapters/cli/serve.ts'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'
import { COMPOSE } from '../ship/compose.ts'
import { serviceSays } from '../ship/systemd.ts'
import { processWorkplace } from '../support/command.ts'

const MAIN = 'dist/adapters/main.js'

describe('the command that messages name', () => {
  for (const [script, folder, command] of [
    [`/srv/clone/${MAIN}`, '/srv/clone', `node ${MAIN}`],
    [`/srv/clone/${MAIN}`, '/srv', `node clone/${MAIN}`],
    [`/srv/clone/${MAIN}`, '/var/lib/service', `node /srv/clone/${MAIN}`],
    [`/srv/my clone/${MAIN}`, '/', `node 'srv/my clone/${MAIN}'`],
    [`/srv/it's/${MAIN}`, '/opt', `node '/srv/it'\\''s/${MAIN}'`],
    ['/srv/shop/node_modules/.bin/portcullis', '/srv/shop', 'node_modules/.bin/portcullis'],
    ['/usr/local/bin/portcullis', '/srv', '/usr/local/bin/portcullis'],
    ['/srv/portcullis', '/srv', './portcullis'],
  ] as const)
    it(`is ${command} for ${script} in ${folder}`, () => {
      expect(startedAs({ environment: {}, script, folder })).to.equal(command)
    })

  it('is what the package says, in a unit and in Compose', () => {
    const said = (environment: Readonly<Record<string, string>>) =>
      startedAs({ environment, script: `/opt/portcullis/${MAIN}`, folder: '/' })
    const [, ofUnit = ''] = /^"PORTCULLIS_COMMAND=(.*)"$/m.exec(serviceSays('Environment').join('\n')) ?? []
    expect(said({ PORTCULLIS_COMMAND: ofUnit })).to.equal('sudo portcullis')
    const { environment = {} } = COMPOSE.services.portcullis ?? {}
    expect(said(environment)).to.equal('docker compose run --rm portcullis')
    const table = partOf(readFileSync(join(ROOT, 'docs/cli.md'), 'utf8'), '## How to run it')
    for (const command of ['sudo portcullis', 'docker compose run --rm portcullis', `node ${MAIN}`])
      expect(table).to.include(`| \`${command}\``)
  })
})

describe('the alias of docs/cli.md, and the commands that serve prints', () => {
  const { folder, serve, remove } = processWorkplace()
  after(remove)

  it('run in another folder', async () => {
    const { execFileSync } = await import('node:child_process')
    const [alias = ''] = codeIn(
      partOf(readFileSync(join(ROOT, 'docs/cli.md'), 'utf8'), '## How to run it'),
      'sh',
    )
    const lines = `${alias}cd '${folder}'\nOPERATOR=ada portcullis application create --name shop\nportcullis events list`
    const printed = execFileSync('sh', ['-e', '-c', lines], { cwd: ROOT, encoding: 'utf8' })
    expect(printed)
      .to.match(/^private_api_key +sk_/m)
      .and.to.match(/ApplicationRegistered/)
  })

  it('run as printed', async () => {
    const { execFileSync } = await import('node:child_process')
    const environment = { DATABASE_URL: 'sqlite:fresh.db' }
    const server = await serve('serve', environment)
    await server.prints('user create')
    const [, command = ''] = /^ {2}(.* application create --name) NAME$/m.exec(server.printed()) ?? []
    const printed = execFileSync('sh', ['-e', '-c', `${command} shop`], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
      encoding: 'utf8',
    })
    expect(printed).to.match(/^private_api_key +sk_/m)
    expect(await server.end()).to.equal(0)
  })
})
