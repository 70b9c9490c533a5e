import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { processWorkplace } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { enrolUser } from '../support/second-factors.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, ENVIRONMENT, entriesAfter } from './stage.ts'

const CYCLES = Number(process.env.FAULT_CYCLES ?? 10)
const CODES = Array.from({ length: 5_000 }, (_, index) => `code ${index} of Ada`)
const ADA = { email: 'ada@example.com', password: 'correct horse' }

/** A second step that was sent, and its session if the answer arrived. */
type Sent = Readonly<{ code: string; session: string | undefined }>

describe('a server that is killed during second steps', function () {
  this.timeout(300_000)
  this.slow(120_000)
  const place = processWorkplace()
  after(place.remove)

  const json = async (words: string, input = '') => {
    const { status, out, err } = await place.portcullis(words, { input })
    expect(status, err).to.equal(0)
    return JSON.parse(out)
  }

  it(`${CYCLES} times loses no acknowledged session, accepts no code twice, and writes no half of a second step`, async () => {
    const dice = chance(seedOfThisRun())
    const keys = await json('application create --name shop --json')
    const { id } = await json(`user create --email ${ADA.email} --password-stdin --json`, ADA.password)
    const store = sqliteStore(place.database)
    const [one = '', other = '', ...rest] = CODES
    await enrolUser(store, id, { recoveryCodes: [one, other, ...rest] })
    await store.close()
    const unsent = [...CODES]
    const sent: Array<Sent> = []
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      const server = await place.serve('serve', ENVIRONMENT)
      const { send, close } = httpClient(`http://127.0.0.1:${server.port}`)
      const post = async (path: string, token: string, body: object) =>
        (await send({ method: 'POST', path: `/api/v1/auth/${path}`, token, body })).body
      const { public_api_key, private_api_key } = keys
      const { token } = await post('application/token', '', { public_api_key, private_api_key })
      const complete = async (code: string) => {
        const { second_factor } = await post('user/token', token, ADA)
        return post('user/second_factor', token, { token: second_factor.token, recovery_code: code })
      }
      // What was acknowledged before the last crash.
      const acknowledged = sent.filter(({ session }) => session !== undefined).slice(-20)
      for (const { code, session } of acknowledged) {
        const profile = await send({ method: 'GET', path: '/api/v1/profile', token: session ?? '' })
        expect(profile.status).to.equal(200)
        expect((await complete(code)).errors[0].code).to.equal(5)
      }
      let isOver = false
      const line = async (): Promise<void> => {
        while (!isOver) {
          const code = unsent.pop() ?? ''
          const body = await complete(code).catch(() => undefined)
          sent.push({ code, session: body?.token })
        }
      }
      const lines = Array.from({ length: 4 }, line)
      await passes(dice.below(400) + 100)
      await server.end('SIGKILL')
      isOver = true
      await Promise.all(lines)
      await close()
    }
    expect(sent.filter(({ session }) => session !== undefined)).to.have.lengthOf.above(CYCLES)
    const entries = await entriesAfter(place, 0)
    const used = entries.filter(({ type }) => type === 'FactorUsed')
    expect(used).to.have.lengthOf.at.least(sent.filter(({ session }) => session !== undefined).length)
    expect(used).to.have.lengthOf.at.most(sent.length)
    // Each use stands beside the session that it opened.
    for (const { position } of used)
      expect(entries.find((entry) => entry.position === position + 1)?.type).to.equal('UserSignedIn')
    expect(entries.filter(({ type }) => type === 'UserSignedIn')).to.have.lengthOf(used.length)
    await agree(place)
  })
})
