import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const verifyTokens = read('docs/verify-tokens.md')
const mail = read('docs/mail.md')
const feed = read('docs/events-feed.md')
const frontEnd = read('docs/front-end.md')

describe('the documentation of the examples', () => {
  const SHOWN: ReadonlyArray<readonly [what: string, part: string, path: string]> = [
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
})
