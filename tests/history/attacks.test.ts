import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { withRaw } from '../sqlite/raw.ts'
import { integrated } from '../support/integration.ts'
import { workplace } from '../support/workplace.ts'

const SECRET = 'e'.repeat(64)
const SETTINGS = { EVENT_LOG_KEY: `2026:${SECRET}`, PUBLIC_URL: 'https://id.example.com' }
const SIGNER = { keys: [{ secret: SECRET }], publicUrl: SETTINGS.PUBLIC_URL }

type Attack = readonly [position: number, attack: (db: Database.Database) => void]

/**
 * Changes by an attacker who can write to the database and drops its triggers first, and the first position that they
 * change. The log has six entries.
 */
const ATTACKS: Readonly<Record<string, Attack>> = {
  'changes one byte of data': [
    2,
    (db) => db.exec(`UPDATE log SET data = replace(data, 'shop-2', 'sh0p-2') WHERE position = 2`),
  ],
  'inserts an entry in the middle': [
    3,
    (db) =>
      db.exec(`
      UPDATE log SET position = -position - 1 WHERE position >= 3;
      UPDATE log SET position = -position WHERE position < 0;
      INSERT INTO log SELECT 3, 'another', type, version, at, subject_kind, subject_id, actor_kind, actor_id, request_id, data
      FROM log WHERE position = 2`),
  ],
  'removes an entry from the middle': [
    2,
    (db) =>
      db.exec(`
      DELETE FROM log WHERE position = 2;
      UPDATE log SET position = position - 1 WHERE position > 2;
      INSERT INTO log SELECT 6, 'another', type, version, at, subject_kind, subject_id, actor_kind, actor_id, request_id, data
      FROM log WHERE position = 5`),
  ],
  'names another actor': [
    4,
    (db) => db.exec(`UPDATE log SET actor_kind = 'user', actor_id = 'another-user' WHERE position = 4`),
  ],
}

describe('an attacker with access to the database', () => {
  const { portcullis, folder, database, remove } = workplace(() => SETTINGS)
  after(remove)
  let kept = ''

  before(async () => {
    for (let number = 1; number <= 6; number += 1)
      await portcullis(`application create --name shop-${number}`)
    kept = (await portcullis('events checkpoint')).out
    writeFileSync(join(folder, 'kept.txt'), kept)
    const store = sqliteStore(database)
    await integrated(store, SIGNER)
    await store.close()
    copyFileSync(database, `${database}.before`)
  })

  const verify = () => portcullis('events verify --against kept.txt')
  const restoring = async (attack: (db: Database.Database) => void, then: () => Promise<void>) => {
    withRaw(database, (db) => {
      db.pragma('wal_checkpoint(TRUNCATE)')
      for (const name of ['log_no_update', 'log_no_delete', 'log_next_only'])
        db.exec(`DROP TRIGGER IF EXISTS ${name}`)
      attack(db)
    })
    try {
      await then()
    } finally {
      for (const end of ['', '-wal', '-shm']) rmSync(`${database}${end}`, { force: true })
      copyFileSync(`${database}.before`, database)
    }
  }

  const changedAt = (position: number) => ({
    status: 1,
    out: `WRONG  the log  The entry at position ${position} is not the one in the tree.
WRONG  kept.txt  The first 6 entries are not the ones that it covers: the log was changed.
`,
    err: 'The log was changed, or a checkpoint is not of it. See each line that is not ok.\n',
  })

  it('accepts an unchanged log', async () => {
    expect((await verify()).status).to.equal(0)
  })

  for (const [what, [position, attack]] of Object.entries(ATTACKS))
    it(`names position ${position} after an attacker ${what}`, () =>
      restoring(attack, async () => {
        expect(await verify()).to.deep.equal(changedAt(position))
        expect(await portcullis('events export log')).to.deep.include({ status: 1, out: '' })
      }))

  it('detects a tree that was rebuilt from a changed log without its signing keys', () =>
    restoring(
      (db) => {
        ATTACKS['changes one byte of data']?.[1](db)
        db.exec(
          "DELETE FROM tiles; UPDATE tree SET size = 0, root = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
        )
      },
      async () => {
        const store = sqliteStore(database)
        await integrated(store, { ...SIGNER, keys: [] })
        await store.close()
        expect((await verify()).out).to.equal(
          [
            'WRONG  the log  The stored tiles do not have the root of the stored checkpoint: the tree was changed.',
            'WRONG  kept.txt  The first 6 entries are not the ones that it covers: the log was changed.',
            '',
          ].join('\n'),
        )
      },
    ))

  it('does not hide an entry of an unknown type, which a later version has written', () =>
    restoring(
      (db) =>
        db.exec(`
          INSERT INTO log SELECT 7, 'later', 'InventedLater', 9, at, 'thing', subject_id, actor_kind, actor_id, request_id, '{"a":1}'
          FROM log WHERE position = 1`),
      async () => {
        expect((await verify()).status).to.equal(0)
        const checkpoint = await portcullis('events checkpoint')
        expect(checkpoint.out.split('\n')[1]).to.equal('7')
      },
    ))
})
