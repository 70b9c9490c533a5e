import { expect } from 'chai'
import pg from 'pg'
import { inspectPostgres } from '../../adapters/stores/postgres/inspect.ts'
import { eventually } from '../support/eventually.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { postgres } from '../support/postgres.ts'
import { newRole, PLACE } from './database.ts'
import { NAMES, type SynchronousPair, startSynchronousPair } from './synchronous-pair.ts'

const LOSS = 'After a fail-over, an acknowledged sign-out can be gone, and the token works again.'
const ACKNOWLEDGED =
  'Each commit waits for synchronous_standby_names: "standby-1". Standbys that acknowledge a commit: standby-1.'
const HEALTHY = { ok: true, detail: `fsync is on, synchronous_commit on. ${ACKNOWLEDGED}` }

if (postgres !== undefined)
  describe('the inspection of a PostgreSQL server with a standby', function () {
    this.timeout(60_000)
    let pair: SynchronousPair
    before(async () => {
      pair = await startSynchronousPair('-c', 'wal_level=logical')
    })
    after(() => pair?.remove())
    afterEach(async () => {
      await pair?.waitFor(NAMES)
      await pair?.primary.ask(`ALTER DATABASE ${pair.name} RESET synchronous_commit`)
    })

    const durability = async (url = pair.url) => {
      const findings = await inspectPostgres({ url, place: PLACE }, 10, undefined)
      const { ok, detail } = findings.find(({ name }) => name === 'durability') ?? {}
      return { ok, detail }
    }
    const setLevel = (level: string) =>
      pair.primary.ask(`ALTER DATABASE ${pair.name} SET synchronous_commit = ${level}`)

    /** Does what a finding says, one statement after the other. */
    const follow = async (detail: string | undefined): Promise<void> => {
      for (const [statement] of detail?.matchAll(/(?:ALTER (?:ROLE|SYSTEM)|SELECT) .*?;/g) ?? [])
        await pair.primary.ask(statement)
    }

    for (const [what, meaning, level] of [
      ['that a commit is on its disk', '', 'on'],
      [
        'that a commit has only reached its machine',
        ' With remote_write, a commit survives a crash of PostgreSQL on the standby, but not of its machine: on survives both.',
        'remote_write',
      ],
      [
        'that it shows a commit',
        ' With remote_apply, a standby also shows a commit before it acknowledges it.',
        'remote_apply',
      ],
    ] as const)
      it(`names the standby, and says ${what} when it acknowledges`, async () => {
        await setLevel(level)
        expect(await durability()).to.deep.equal({
          ok: true,
          detail: `fsync is on, synchronous_commit ${level}. ${ACKNOWLEDGED}${meaning}`,
        })
      })

    it('refuses synchronous_commit=local with a statement that turns it on, wherever it was set', async () => {
      await setLevel('local')
      await pair.primary.ask('ALTER ROLE portcullis SET synchronous_commit = local')
      const found = await durability()
      expect(found).to.deep.equal({
        ok: false,
        detail: `synchronous_commit is local, so that no commit waits for a standby. ${LOSS} Turn it on: ALTER ROLE "portcullis" IN DATABASE "${pair.name}" SET synchronous_commit = on; Then restart the instances.`,
      })
      await follow(found.detail)
      expect(await durability()).to.deep.equal(HEALTHY)
      await pair.primary.ask(
        `ALTER ROLE portcullis IN DATABASE ${pair.name} RESET ALL; ALTER ROLE portcullis RESET ALL`,
      )
    })

    it('refuses standbys without a synchronous one with a statement that makes them so', async () => {
      await pair.waitFor('')
      const found = await durability()
      expect(found).to.deep.equal({
        ok: false,
        detail: `no commit waits for a standby, because synchronous_standby_names is empty. Connected: standby-1. ${LOSS} Name the standbys on each server: ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 ("standby-1")'; SELECT pg_reload_conf(); With Patroni, set synchronous_mode instead.`,
      })
      await follow(found.detail)
      const followed = await eventually('the server has taken the names', async () => {
        const now = await durability()
        return now.ok ? now : undefined
      })
      expect(followed.detail).to.equal(HEALTHY.detail.replace(NAMES, `ANY 1 (${NAMES})`))
    })

    it('does not take subscriptions and archives for standbys', async () => {
      await pair.waitFor('')
      const receivers = [
        await receiver(pair.url, 'feed', 'CREATE_REPLICATION_SLOT feed TEMPORARY LOGICAL pgoutput'),
        await receiver(pair.url, 'pg_receivewal', 'IDENTIFY_SYSTEM'),
      ]
      const rows = await pair.primary.ask('SELECT FROM pg_stat_replication')
      expect(rows).to.have.length(3)
      expect((await durability()).detail).to.include('Connected: standby-1. ')
      for (const each of receivers) await each.end()
    })

    for (const names of [
      'elsewhere',
      'FIRST 2 ("standby-1", elsewhere)',
      'ANY 2 ("standby-1", elsewhere)',
      '2 ("standby-1", elsewhere)',
    ])
      it(`refuses ${names} with one standby, because no commit would be answered`, async () => {
        await pair.waitFor(names)
        expect(await durability()).to.deep.equal({
          ok: false,
          detail: `every commit waits, because too few standbys of synchronous_standby_names are connected. The names are: ${names}. Connected: standby-1. Start those standbys, or change the names.`,
        })
      })

    it('tells a role that may not see which standbys are synchronous what it lacks', async () => {
      const { primary, url, name } = pair
      const database = { url, name, ask: (sql: string) => primary.ask(sql, name) }
      const { url: ours, role, remove } = await newRole(primary, database)
      await primary.ask(
        `GRANT USAGE ON SCHEMA portcullis TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA portcullis TO ${role}`,
        name,
      )
      expect(await durability(ours)).to.deep.equal({
        ok: true,
        detail:
          'fsync is on, synchronous_commit on. Each commit waits for synchronous_standby_names: "standby-1". Connected: standby-1. To see which of them acknowledge a commit, GRANT pg_monitor to this role.',
      })
      await pair.waitFor('')
      expect((await durability(ours)).ok).to.equal(false)
      await pair.waitFor(NAMES)
      await primary.ask(`GRANT pg_monitor TO ${role}`)
      expect(await durability(ours)).to.deep.equal(HEALTHY)
      await remove()
    })

    if (hasPgBouncer)
      it('reads the settings of the server through PgBouncer', async () => {
        const pooler = await startPgBouncer(pair.url)
        try {
          expect(await durability(pooler.through(pair.url))).to.deep.equal(HEALTHY)
        } finally {
          await pooler.stop()
        }
      })
  })

/** A connection that the server lists in `pg_stat_replication`. */
const receiver = async (url: string, name: string, command: string): Promise<pg.Client> => {
  const replicating = { connectionString: url, application_name: name, replication: 'database' }
  const client = new pg.Client(replicating)
  client.on('error', () => {})
  await client.connect()
  await client.query(command)
  return client
}
