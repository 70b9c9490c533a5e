import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { treeOf } from '../../application/ports/log-tree.ts'
import { type ApiClient, apiClient, type KeyPair } from '../support/api-client.ts'
import type { Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { httpClient } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { scrape } from '../support/scrape.ts'
import { CUT, type Sql, statementsOn } from './attack-sql.ts'

const SETTINGS = {
  PUBLIC_URL: 'https://id.example.com',
  EVENT_LOG_KEY: `2026:${'e'.repeat(64)}`,
  LOG_LEVEL: 'error',
}

const STOPPED = 'no checkpoint is signed: the event log or its tree is damaged'

onEverySharedStore('a running service whose store an attacker changes', (stores) => {
  const { asProcess, folder, url, withStore, remove } = stores.workplace()
  let server: Serving
  let client: ApiClient
  let keys: KeyPair
  let auditor: KeyPair

  const start = async (): Promise<void> => {
    server = await asProcess.serve('serve', SETTINGS)
    client = apiClient(server.url)
  }
  const end = async (): Promise<void> => {
    await client.close()
    expect(await server.end()).to.equal(0)
  }
  const run = (words: string) => asProcess.portcullis(words, { environment: SETTINGS })
  const created = async (words: string): Promise<KeyPair> =>
    JSON.parse((await run(`application create --json --name ${words}`)).out)
  before(async () => {
    keys = await created('shop')
    auditor = await created('auditor --scope events:read')
    await start()
  })
  after(async () => {
    await end()
    remove()
  })

  const tree = () =>
    withStore(async (store) => {
      const log = treeOf(store)
      if (log === undefined) throw new Error('the store has no tree')
      return succeed(log.readTree())
    })

  /** Resolves when the service has signed all entries. */
  const signed = () =>
    eventually('a checkpoint of all entries', async () => {
      const stored = await tree()
      return stored.note.split('\n')[1] === String(stored.entries) ? stored : undefined
    })

  const attack = (sql: Sql) => stores.kind.spoil(url(), ...statementsOn(stores.kind, sql))

  const signerIs = (stopped: 0 | 1) =>
    eventually(`portcullis_log_signer_stopped is ${stopped}`, async () => {
      const { value } = await scrape(server.url)
      return value('portcullis_log_signer_stopped') === stopped ? true : undefined
    })

  const requestsGoOn = async (): Promise<void> => {
    expect((await client.issueToken(keys)).status).to.equal(200)
  }

  /** The causes in the error lines of the log. There are no other lines. */
  const logged = (): ReadonlyArray<string> =>
    server
      .logged()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { level, msg, cause } = JSON.parse(line)
        expect({ level, msg }, line).to.deep.equal({ level: 'error', msg: STOPPED })
        return cause
      })

  /** The line may come after the metric. */
  const findsOnly = async (finding: string, before = 0): Promise<void> => {
    await eventually('a line in the log', async () => logged().length > before || undefined)
    expect(logged().slice(before)).to.deep.equal([finding])
  }

  const history = async (): Promise<string> => {
    const { checks } = JSON.parse((await run('doctor --json')).out)
    const { ok, detail } = checks.find(({ name }: { name: string }) => name === 'history')
    return `${ok ? 'ok' : 'WRONG'} ${detail}`
  }

  const published = async () => {
    const { send, close } = httpClient(server.url)
    const { body } = await client.issueToken(auditor)
    const answer = await send({ method: 'GET', path: '/api/v1/log/checkpoint', token: body.token })
    await close()
    return answer.status === 200 ? String(answer.body) : answer.status
  }

  it('notices a removed end at once and after a restart, until the log is renewed', async () => {
    for (let each = 0; each < 12; each += 1) await requestsGoOn()
    const { note, size } = await signed()
    const finding = `the log has fewer entries than the ${size} of its tree: entries were removed, or an old copy of the log was restored`
    const before = logged().length
    await attack(CUT)
    await signerIs(1)
    await requestsGoOn()
    await findsOnly(finding, before)
    expect(await history()).to.match(
      new RegExp(`^WRONG .*the log ends at position 5, before position ${size}`),
    )
    expect(await published(), 'the checkpoint from before').to.equal(note)
    await end()

    await start()
    await signerIs(1)
    await requestsGoOn()
    await findsOnly(finding)
    expect((await run('events renew')).status).to.equal(0)
    const [, ...seen] = await Promise.all([signerIs(0), published(), published()])
    expect(seen, 'the checkpoint of the earlier log').not.to.include(note)
    const renewed = await signed()
    expect(renewed.note.split('\n')[0]).not.to.equal(note.split('\n')[0])
    expect(await published()).to.equal(renewed.note)
    expect(await history()).to.match(/^ok /)
    writeFileSync(join(folder, 'kept.txt'), note)
    expect((await run('events verify --against kept.txt')).out).to.match(
      new RegExp(
        `\nWRONG {2}kept.txt {2}It covers ${size} entries, and the log has only \\d+ of that history`,
      ),
    )
  })
})
