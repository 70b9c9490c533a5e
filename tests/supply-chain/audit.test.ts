import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { freePort } from '../support/command.ts'

const isSource = import.meta.url.endsWith('.ts')
const program = fileURLToPath(new URL(`./audit.${isSource ? 'ts' : 'js'}`, import.meta.url))

/** What npm remembers of advisories is not to come from elsewhere, nor to go there. */
const cache = mkdtempSync(join(tmpdir(), 'portcullis-npm-'))
after(() => rmSync(cache, { recursive: true }))

/** Asks the registry that listens there, as `make audit` does, on a machine whose npm is told to stay offline. */
const audit = async (port: number): Promise<Readonly<{ status: number; said: string }>> => {
  const environment = {
    npm_config_registry: `http://127.0.0.1:${port}`,
    npm_config_cache: cache,
    npm_config_offline: 'true',
  }
  const child = spawn(process.execPath, [...(isSource ? ['--import', 'tsx'] : []), program], {
    env: { ...process.env, ...environment },
  })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  const [status] = await once(child, 'close')
  return { status, said }
}

/** A registry that says this of vulnerabilities, and knows nothing else. */
const registry = async (answer: Readonly<{ status: number; advisories: object }>) => {
  const server = createServer((request, response) => {
    request.resume()
    const isAsked = request.method === 'POST' // where to, is npm's matter: it tries an older place when a new one fails
    response.writeHead(isAsked ? answer.status : 404, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(isAsked ? answer.advisories : {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const advisory = (id: string) => ({
  id: 1,
  url: `https://github.com/advisories/${id}`,
  title: 'it can be made to\n\u001b[2Jhang',
  severity: 'high',
  vulnerable_versions: '<99',
  cwe: [],
  cvss: { score: 0, vectorString: null },
})

const NOTHING = ': 0 known vulnerabilities\n'
const POLL_ONLY = ': not audited, for the registry told nothing about vulnerabilities: '
const OF_KOA = ': 1 known vulnerabilities\n  high: koa: it can be made to  [2Jhang, GHSA-aaaa-bbbb-cccc\n'
const OF_MOCHA = OF_KOA.replace('koa', 'mocha')

describe('the audit', () => {
  // [what the registry says, its answer, the status, what is said of production and of all]
  const cases: ReadonlyArray<[string, { status: number; advisories: object }, number, string, string]> = [
    ['nothing against any package', { status: 200, advisories: {} }, 0, NOTHING, NOTHING],
    [
      'something against a package that only development needs',
      { status: 200, advisories: { mocha: [advisory('GHSA-aaaa-bbbb-cccc')] } },
      1,
      NOTHING,
      OF_MOCHA,
    ],
  ]
  for (const [what, answer, status, ofProduction, ofAll] of cases) {
    it(`ends with ${status} where the registry says ${what}`, async () => {
      const server = await registry(answer)
      try {
        const said = `production${ofProduction}production and development${ofAll}`
        expect(await audit((server.address() as AddressInfo).port)).to.deep.equal({ status, said })
      } finally {
        server.close()
      }
    })
  }

  it('ends with 3, and not as if all were well, where there is no registry', async () => {
    const { status, said } = await audit(await freePort())
    expect(status).to.equal(3)
    expect(said).to.equal(
      `production${POLL_ONLY}it could not be reached\nproduction and development${POLL_ONLY}it could not be reached\n`,
    )
  })
})
