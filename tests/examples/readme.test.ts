import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const clients = read('docs/clients.md')
const verifyTokens = read('docs/verify-tokens.md')
const mail = read('docs/mail.md')
const feed = read('docs/events-feed.md')
const frontEnd = read('docs/front-end.md')
const shell = partOf(clients, '## A client in a shell')

describe('the documentation of clients', () => {
  const SHOWN: ReadonlyArray<readonly [what: string, part: string, path: string]> = [
    ['client in TypeScript', partOf(clients, '## A client in TypeScript'), 'typescript/client.ts'],
    ['server on Express', partOf(verifyTokens, '## A resource server'), 'express/resource-server.ts'],
    ['module that sends mail', partOf(mail, '## The module'), 'mail/mail.ts'],
    ['mails about second factors', partOf(mail, '## Mails about second factors'), 'mail/factor-mails.ts'],
    ['cookie of the front ends', partOf(frontEnd, '## Sign-in, sessions and forms'), 'front-ends/session.ts'],
    ['front end on Express', partOf(frontEnd, '### Express'), 'front-ends/express.ts'],
    ['front end on Fastify', partOf(frontEnd, '### Fastify'), 'front-ends/fastify.ts'],
    ['front end on Hono', partOf(frontEnd, '### Hono'), 'front-ends/hono.ts'],
    ['list of who is signed in', partOf(feed, '## A list of who is signed in'), 'events/signed-in.ts'],
  ]
  for (const [what, part, path] of SHOWN) {
    it(`shows the ${what} exactly as tested`, () => {
      const [shown] = codeIn(part, 'ts')
      expect(shown).to.equal(read(`tests/examples/${path}`))
    })
  }

  it('links to existing programs, and its commands start one of them', () => {
    const targets = [...`${clients}${verifyTokens}`.matchAll(/\]\(\.\.\/(tests\/[^)]+)\)/g)].map(
      ([, target = '']) => target,
    )
    expect(targets).to.have.length.greaterThan(2)
    for (const target of targets) expect(existsSync(join(ROOT, target)), target).to.equal(true)
    const [commands = ''] = codeIn(shell, 'sh')
    expect(targets).to.include(/(\S+)\n$/.exec(commands)?.[1])
  })

  it('names every variable that the shell client requires', () => {
    const script = read('tests/examples/curl/client.sh')
    const names = [...script.matchAll(/\$\{([A-Z_]+):/g)].map(([, name = '']) => name)
    expect(names).to.have.lengthOf(6)
    for (const name of names) expect(shell).to.match(new RegExp(`\\b${name}\\b`))
  })
})
