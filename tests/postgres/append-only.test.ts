import { expect } from 'chai'
import { expectPrunableTypes } from '../support/prunable-types.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { describeOnPostgres, sharedStore } from './database.ts'

/** Forbidden changes to a log of three entries. `:known` stands for the id of the second. */
const FORBIDDEN: ReadonlyArray<readonly [string, string]> = [
  ['an update', `UPDATE portcullis.log SET data = '{}' WHERE position = 2`],
  ['UPDATE of all entries', `UPDATE portcullis.log SET at = ''`],
  ['UPDATE of no entry', `UPDATE portcullis.log SET at = '' WHERE position = 99`],
  ['UPDATE of a position', 'UPDATE portcullis.log SET position = 4 WHERE position = 3'],
  ['DELETE of the last entry', 'DELETE FROM portcullis.log WHERE position = 3'],
  ['DELETE of all entries', 'DELETE FROM portcullis.log'],
  [
    'DELETE with the head set back',
    and('UPDATE portcullis.head SET position = 2', 'DELETE FROM portcullis.log WHERE position = 3'),
  ],
  ['TRUNCATE', 'TRUNCATE portcullis.log'],
  ['TRUNCATE CASCADE of all tables', 'TRUNCATE portcullis.users, portcullis.log CASCADE'],
  ['DELETE of its head', 'DELETE FROM portcullis.head'],
  ['TRUNCATE of its head', 'TRUNCATE portcullis.head'],
  ['a second head', 'INSERT INTO portcullis.head (one, position) VALUES (false, 9)'],
  ['a second head with the same key', 'INSERT INTO portcullis.head (position) VALUES (9)'],
  ['no head', 'UPDATE portcullis.head SET position = NULL'],
  ['INSERT at an existing position', insert(2)],
  [
    'INSERT at an existing position with the head set to it',
    and('UPDATE portcullis.head SET position = 2', insert(2)),
  ],
  ['INSERT with ON CONFLICT DO UPDATE', insert(2, `ON CONFLICT (position) DO UPDATE SET data = '{}'`)],
  [
    'INSERT at the end with ON CONFLICT DO UPDATE',
    and(head(4), insert(4, `ON CONFLICT (position) DO UPDATE SET data = '{}'`)),
  ],
  [
    'MERGE with UPDATE',
    `MERGE INTO portcullis.log USING (VALUES (2)) AS new (position) ON log.position = new.position
     WHEN MATCHED THEN UPDATE SET data = '{}'`,
  ],
  [
    'MERGE with DELETE',
    `MERGE INTO portcullis.log USING (VALUES (3)) AS new (position) ON log.position = new.position
     WHEN MATCHED THEN DELETE`,
  ],
  ['INSERT with an existing id', and(head(4), insert(4).replace(`'new'`, ':known'))],
  ['INSERT at the next position without the head', insert(4)],
  ['INSERT after a head that was advanced alone', and(head(9), insert(4))],
  ['a gap', and(head(5), insert(5))],
  ['INSERT beyond the head', and(head(4), insert(5))],
  ['INSERT of several with a gap', and(head(6), severally(4, 6))],
  ['INSERT of several over existing positions', and(head(4), severally(3, 4))],
  ['INSERT at position 0', and(head(0), insert(0))],
  ['INSERT at a negative position', and(head(-1), insert(-1))],
  ['no position', insert('NULL')],
]

describeOnPostgres('the log in PostgreSQL is append-only', (server) => {
  const shared = sharedStore(server)
  before(() => commitAll(shared().store, change(issuedToken(), issuedToken()), change(issuedToken())))

  for (const [name, sql] of FORBIDDEN) {
    it(`refuses ${name} and stays unchanged`, async () => {
      const { ask, store } = shared()
      const everything = async () => [
        await wholeLog(store),
        await ask('SELECT one, position FROM portcullis.head'),
      ]
      const before = await everything()
      const [known] = await ask('SELECT id FROM portcullis.log WHERE position = 2')
      const refusal = await ask(sql.replace(':known', `'${known?.id}'`)).then(
        () => 'it was done',
        (error: Error) => error.message,
      )
      expect(refusal).to.match(
        /^the log (is append-only|takes the next positions only)$|^duplicate key value|violates (check|not-null) constraint/,
      )
      expect(await everything()).to.deep.equal(before)
      expect(before[0]).to.have.length(3)
    })
  }

  it('lets exactly the prunable types be deleted, in the newest schema', async () => {
    const [trigger] = await shared().ask(`SELECT pg_get_functiondef(tgfoid) AS sql FROM pg_trigger
      WHERE tgname = 'log_no_delete' AND tgrelid = 'portcullis.log'::regclass`)
    expectPrunableTypes(String(trigger?.sql), 'adapters/stores/postgres/migrations/')
  })

  it('accepts entries at the next positions', async () => {
    const { ask, store } = shared()
    await ask(and(head(5), severally(4, 5)))
    await commitAll(store, change(issuedToken()))
    expect(await ask('SELECT position::int FROM portcullis.log ORDER BY position')).to.deep.equal(
      [1, 2, 3, 4, 5, 6].map((position) => ({ position })),
    )
  })
})

function and(...statements: ReadonlyArray<string>): string {
  return statements.join('; ')
}

function head(position: number): string {
  return `UPDATE portcullis.head SET position = ${position}`
}

function insert(position: number | string, rest = ''): string {
  return `INSERT INTO portcullis.log
    (position, id, type, version, at, subject_kind, subject_id, actor_kind, data)
    VALUES (${position}, 'new', 'UserRegistered', 1, '2026-01-02T03:04:05.678Z', 'user', 'u', 'nobody', '{}') ${rest}`
}

function severally(...positions: ReadonlyArray<number>): string {
  return `INSERT INTO portcullis.log (position, id, type, version, at, subject_kind, subject_id, actor_kind, data)
    VALUES ${positions.map((one) => `(${one}, 'new ${one}', 'UserRegistered', 1, '', 'user', 'u', 'nobody', '{}')`).join(', ')}`
}
