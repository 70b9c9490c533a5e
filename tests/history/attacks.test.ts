import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { expect } from 'chai'
import { withRaw } from '../sqlite/raw.ts'
import { workplace } from '../support/workplace.ts'

const SETTINGS = { EVENT_LOG_KEY: `2026:${'e'.repeat(64)}`, PUBLIC_URL: 'https://id.example.com' }

/** Changes by an attacker who can write to the database and drops its triggers first. The log has six entries. */
const ATTACKS: Readonly<Record<string, (db: Database.Database) => void>> = {
  'changes one byte of data': (db) =>
    db.exec(`UPDATE log SET data = replace(data, 'shop-2', 'sh0p-2') WHERE position = 2`),
  'changes a time': (db) => db.exec(`UPDATE log SET at = replace(at, '20', '19') WHERE position = 1`),
  'writes the same JSON with a space': (db) =>
    db.exec(`UPDATE log SET data = replace(data, ',', ', ') WHERE position = 3`),
  'swaps two entries': (db) =>
    db.exec(`
      UPDATE log SET position = 99 WHERE position = 2;
      UPDATE log SET position = 2 WHERE position = 3;
      UPDATE log SET position = 3 WHERE position = 99`),
  'inserts an entry in the middle': (db) =>
    db.exec(`
      UPDATE log SET position = -position - 1 WHERE position >= 3;
      UPDATE log SET position = -position WHERE position < 0;
      INSERT INTO log SELECT 3, 'another', type, version, at, subject_kind, subject_id, actor_kind, actor_id, request_id, data
      FROM log WHERE position = 2`),
  'removes an entry from the middle': (db) =>
    db.exec(`
      DELETE FROM log WHERE position = 2;
      UPDATE log SET position = position - 1 WHERE position > 2;
      INSERT INTO log SELECT 6, 'another', type, version, at, subject_kind, subject_id, actor_kind, actor_id, request_id, data
      FROM log WHERE position = 5`),
  'names another actor': (db) =>
    db.exec(`UPDATE log SET actor_kind = 'user', actor_id = 'somebody' WHERE position = 4`),
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

  const CHANGED = {
    status: 1,
    out: 'WRONG  kept.txt  The first 6 entries are not the ones that it covers: the log was changed.\n',
    err: 'The log is not the one of every checkpoint. See each line that is not ok.\n',
  }

  it('is not suspected while the log is unchanged', async () => {
    expect((await verify()).status).to.equal(0)
  })

  for (const [what, attack] of Object.entries(ATTACKS))
    it(`is caught who ${what}`, () =>
      restoring(attack, async () => {
        expect(await verify()).to.deep.equal(CHANGED)
      }))

  it('is caught who cuts the end, also after the log has grown to the same length', () =>
    restoring(
      (db) => db.exec('DELETE FROM log WHERE position > 4'),
      async () => {
        expect((await verify()).out).to.equal(
          'WRONG  kept.txt  It covers 6 entries, and the log has only 4 of that history: entries were lost.\n',
        )
        for (const name of ['new-5', 'new-6', 'new-7']) await portcullis(`application create --name ${name}`)
        expect(await verify()).to.deep.equal(CHANGED)
      },
    ))

  it('is caught who leaves a gap', () =>
    restoring(
      (db) => db.exec('DELETE FROM log WHERE position = 2'),
      async () => {
        expect(await verify()).to.deep.equal({
          status: 1,
          out: '',
          err: 'The log is damaged: position 2 is missing: the next entry has position 3. Run doctor, and restore a back-up.\n',
        })
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
