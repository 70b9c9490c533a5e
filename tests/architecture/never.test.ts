import { expect } from 'chai'
import { ofConnections, ofOtherAlgorithms, ofProcesses, ofWeakChance, type Signs } from './never.ts'
import { SOURCES } from './sources.ts'

/** The places of such signs in the service. */
const found = (signs: Signs): ReadonlyArray<string> =>
  SOURCES.flat().flatMap((source) => signs(source).map((sign) => `${source.path}: ${sign}`))

describe('the service', () => {
  it('starts no process and evaluates no text', () => {
    expect(found(ofProcesses)).to.deep.equal([])
  })

  it('connects only to the configured database, relay and identity providers', () => {
    expect(found(ofConnections)).to.deep.equal([])
  })

  it('uses only the random numbers of the operating system', () => {
    expect(found(ofWeakChance)).to.deep.equal([])
  })

  it('uses no hash except SHA-256 and SHA-512, and no cipher except AES-256-GCM', () => {
    expect(found(ofOtherAlgorithms)).to.deep.equal([])
  })
})

describe('a forbidden source', () => {
  const EXAMPLES: ReadonlyArray<
    readonly [what: string, signs: Signs, bad: ReadonlyArray<string>, good: ReadonlyArray<string>]
  > = [
    [
      'starts a process or evaluates text',
      ofProcesses,
      [
        `import { spawn } from 'node:child_process'`,
        `const { exec } = await import('node:child_process')`,
        `import vm from 'node:vm'`,
        `export const run = (text: string) => eval(text)`,
        `export const run = (text: string) => new Function(text)`,
      ],
      [`import type { ChildProcess } from 'node:child_process'`, `import { once } from 'node:events'`],
    ],
    [
      'opens a connection',
      ofConnections,
      [
        `import { get } from 'node:https'`,
        `import { createServer, request } from 'node:http'`,
        `import * as http from 'node:http'`,
        `import { connect } from 'node:net'`,
        `import { createRemoteJWKSet } from 'jose'`,
        `import pg from 'pg'`,
        `import { createTransport } from 'nodemailer'`,
        `import * as library from 'openid-client'`,
        `export const ask = () => fetch('http://elsewhere.test')`,
        `export const ask = () => globalThis.fetch('http://elsewhere.test')`,
      ],
      [`import { createServer, type Server } from 'node:http'`, `import { isIP } from 'node:net'`],
    ],
    [
      'uses Math.random',
      ofWeakChance,
      [`export const dice = () => Math.random()`],
      [`export const least = Math.min(1, 2)`, `export const random = 4`],
    ],
    [
      'uses another hash or cipher',
      ofOtherAlgorithms,
      [
        `import { hash } from 'node:crypto'; export const of = (text: string) => hash('md5', text)`,
        `import { createHmac } from 'node:crypto'; const NAME = 'SHA1'`,
        `import * as crypto from 'node:crypto'; const CIPHER = \`aes-256-cbc\``,
        `import { createCipheriv } from 'node:crypto'; const CIPHER = 'id-aes128-GCM'`,
      ],
      [
        `import { hash } from 'node:crypto'; export const of = (text: string) => hash('sha256', text)`,
        `import { createCipheriv } from 'node:crypto'; const CIPHER = 'aes-256-gcm'`,
      ],
    ],
  ]
  for (const [what, signs, bad, good] of EXAMPLES) {
    it(`is found when it ${what}, and a similar allowed one is not`, () => {
      const bites = (text: string) => signs({ path: 'adapters/node/example.ts', text }).length > 0
      expect(bad.filter(bites)).to.deep.equal(bad)
      expect(good.filter(bites)).to.deep.equal([])
    })
  }

  it('may connect to PostgreSQL only in the PostgreSQL store', () => {
    const text = `import pg from 'pg'`
    expect(ofConnections({ path: 'adapters/stores/postgres/connections.ts', text })).to.deep.equal([])
    expect(ofConnections({ path: 'adapters/http/server/app.ts', text })).to.deep.equal(['pg'])
  })

  it('may connect to a relay only in the adapter of SMTP', () => {
    const text = `import { createTransport } from 'nodemailer'`
    expect(ofConnections({ path: 'adapters/mail/smtp/smtp.ts', text })).to.deep.equal([])
    expect(ofConnections({ path: 'adapters/mail/letters/letter.ts', text })).to.deep.equal(['nodemailer'])
  })

  it('may call identity providers only in their adapters, and only within bounds', () => {
    const text = `import * as library from 'openid-client'`
    const at = (path: string, source: string) => ofConnections({ path, text: source })
    expect(at('adapters/credentials/openid/openid-provider.ts', text)).to.deep.equal([])
    expect(at('adapters/http/api/routes.ts', text)).to.deep.equal(['openid-client'])
    const call = `export const ask = () => fetch('https://elsewhere.test')`
    expect(at('adapters/credentials/openid/bounded-fetch.ts', call)).to.deep.equal([])
    expect(at('adapters/credentials/openid/github.ts', call)).to.deep.equal(['fetch'])
  })

  it('may use SHA-1 only for leaked passwords, imported PBKDF2 records and codes of authenticator apps', () => {
    const text = `import { hash } from 'node:crypto'; export const of = (text: string) => hash('sha1', text)`
    for (const path of [
      'adapters/credentials/leaked-list/list.ts',
      'adapters/credentials/foreign-passwords/pbkdf2.ts',
      'adapters/node/hmac-sha1.ts',
    ])
      expect(ofOtherAlgorithms({ path, text })).to.deep.equal([])
    const other = 'adapters/credentials/foreign-passwords/scrypt.ts'
    expect(ofOtherAlgorithms({ path: other, text })).to.deep.equal(['sha1'])
    expect(ofOtherAlgorithms({ path: 'adapters/credentials/scrypt/record.ts', text })).to.deep.equal(['sha1'])
    expect(ofOtherAlgorithms({ path: 'adapters/node/environment.ts', text })).to.deep.equal(['sha1'])
  })
})
