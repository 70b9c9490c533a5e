import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { apiClient, type KeyPair } from '../support/api-client.ts'
import type { Serving } from '../support/command.ts'
import { onEverySharedStore } from '../support/every-store.ts'

const SETTINGS = {
  PUBLIC_URL: 'https://id.example.com',
  EVENT_LOG_KEY: `2026:${'e'.repeat(64)}`,
  LOG_LEVEL: 'error',
}
const ROUNDS = 12
const INSTANCES = 2

/** After these rounds, an operator renews the log. */
const RENEWED_AFTER = [4, 8]

onEverySharedStore('beside services under load', (stores) => {
  const { asProcess, folder, portcullis, remove } = stores.workplace()
  let servers: ReadonlyArray<Serving> = []
  let isOver = false
  after(async () => {
    isOver = true
    await Promise.all(servers.map((server) => server.end()))
    remove()
  })

  const run = async (words: string): Promise<string> => {
    const { status, out, err } = await portcullis(words, { environment: SETTINGS })
    expect(status, `${words}: ${out}${err}`).to.equal(0)
    return out
  }

  const load = async ({ url }: Serving, keys: KeyPair): Promise<number> => {
    const { issueToken, close } = apiClient(url)
    let issued = 0
    for (; !isOver; issued += 1) expect((await issueToken(keys)).status).to.equal(200)
    await close()
    return issued
  }

  it('doctor, verify, checkpoint and export never report damage, also while the log is renewed', async () => {
    const keys: KeyPair = JSON.parse(await run('application create --json --name shop'))
    servers = await Promise.all(Array.from({ length: INSTANCES }, () => asProcess.serve('serve', SETTINGS)))
    const loads = servers.flatMap((server) => [load(server, keys), load(server, keys)])
    const kept: Array<string> = []
    let epoch = 0

    const checks = async (round: number): Promise<void> => {
      const vkey = (await run('events key')).trim()
      await run(`events export log-${epoch}`)
      await run(`events verify --from log-${epoch} --vkey ${vkey}`)
      writeFileSync(join(folder, `kept-${round}`), await run('events checkpoint'))
      kept.push(`kept-${round}`)
    }
    const verify = async (): Promise<void> => {
      const all = [...kept]
      await run(`events verify${all.map((file) => ` --against ${file}`).join('')}`)
    }
    const doctor = async (): Promise<void> => {
      const { out } = await portcullis('doctor --json', { environment: SETTINGS })
      const found = JSON.parse(out).checks.filter(({ name }: { name: string }) =>
        ['log', 'history'].includes(name),
      )
      expect(
        found.map(({ ok }: { ok: boolean }) => ok),
        JSON.stringify(found),
      ).to.deep.equal([true, true])
    }

    for (let round = 1; round <= ROUNDS; round += 1) {
      await Promise.all([checks(round), verify(), doctor()])
      if (!RENEWED_AFTER.includes(round)) continue
      await Promise.all([verify(), doctor(), run('events renew'), verify()])
      epoch += 1
    }
    isOver = true
    expect(Math.min(...(await Promise.all(loads))), 'there was load').to.be.greaterThan(ROUNDS)
    await verify()
    for (const server of servers) expect([await server.end(), server.logged()]).to.deep.equal([0, ''])
  }).timeout(120_000)
})
