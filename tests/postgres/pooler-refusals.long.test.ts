import { expect } from 'chai'
import pg from 'pg'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { isAway } from '../../adapters/stores/postgres/errors.ts'
import { poolerRefusalOf } from '../../adapters/stores/postgres/pooler.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { describeOnPostgres, newRole, onEmpty, PLACE, refusalOf, type TestDatabase } from './database.ts'

type Case = Readonly<{
  what: string
  settings?: Readonly<Record<string, string | number>>
  change?: (url: URL) => void
  /** Runs while another client is connected. */
  isBeside?: boolean
  sentence: string
}>

const USER_OR_PASSWORD =
  'PgBouncer refuses this user or password, and does not say which. Check DATABASE_URL, and auth_file or auth_query of PgBouncer.'
const UNKNOWN_USER =
  'PgBouncer does not know this user. Check the user in DATABASE_URL, and auth_file of PgBouncer.'
const NO_DATABASE = /^no database has this name\. Create it \(CREATE DATABASE\)/
const PARAMETER =
  'PgBouncer refuses a startup parameter. Remove options from DATABASE_URL, unset PGOPTIONS, and use ALTER ROLE … SET instead.'
const FULL =
  'PgBouncer has no connection left for a client. Raise its max_client_conn, or lower DATABASE_POOL_SIZE.'
const BUSY = 'all connections of PgBouncer to the server are in use. Raise its default_pool_size.'
const SERVER_REFUSES =
  'the server refuses the password that PgBouncer has for this user. Check auth_file or auth_query of PgBouncer.'
const CANNOT_REACH = /^the proxy in front of the server, such as PgBouncer, cannot reach it\./

const CASES: ReadonlyArray<Case> = [
  {
    what: 'a wrong password',
    change: (url) => {
      url.password = 'wrong'
    },
    sentence: USER_OR_PASSWORD,
  },
  {
    what: 'an unknown user, whom it does not tell from a wrong password',
    change: (url) => {
      url.username = 'unknown'
    },
    sentence: USER_OR_PASSWORD,
  },
  {
    what: 'an unknown user, without passwords',
    settings: { auth_type: 'trust' },
    change: (url) => {
      url.username = 'unknown'
    },
    sentence: UNKNOWN_USER,
  },
  {
    what: 'the parameter options',
    change: (url) => {
      url.search = '?options=-c%20work_mem%3D1MB'
    },
    sentence: PARAMETER,
  },
  {
    what: 'transactions in statement mode',
    settings: { pool_mode: 'statement' },
    sentence: 'PgBouncer is in statement mode, which has no transactions. Set its pool_mode = transaction.',
  },
  { what: 'more clients than it may have', settings: { max_client_conn: 1 }, isBeside: true, sentence: FULL },
  {
    what: 'a query that waited for a connection to the server',
    settings: { query_wait_timeout: 1, default_pool_size: 1 },
    isBeside: true,
    sentence: BUSY,
  },
]

if (hasPgBouncer)
  describeOnPostgres('PgBouncer is named with its reason if it refuses', (server) => {
    /** Opens the database once. What an operator must change is not tried again. */
    const through = async (
      { url }: Pick<TestDatabase, 'url'>,
      { settings, change = () => {}, isBeside = false }: Partial<Case>,
    ): Promise<string> => {
      const pooler = await startPgBouncer(url, settings)
      const pooled = new URL(pooler.through(url))
      const beside = isBeside ? new pg.Client(pooled.href) : undefined
      await beside?.connect()
      await beside?.query('BEGIN')
      change(pooled)
      const refusal = await refusalOf(openDatabase({ url: pooled.href, place: PLACE }, { timeoutMs: 0 }))
      await beside?.end()
      await pooler.stop()
      return refusal
    }
    const beginning = `The database ${PLACE} cannot be used: `

    for (const each of CASES)
      it(
        each.what,
        onEmpty(server, async (database) => {
          expect(await through(database, each)).to.equal(`${beginning}${each.sentence}`)
        }),
      )

    it(
      'an unknown database',
      onEmpty(server, async (database) => {
        const change = (url: URL) => {
          url.pathname = '/unknown'
        }
        expect((await through(database, { change })).slice(beginning.length)).to.match(NO_DATABASE)
      }),
    )

    it(
      'a password that the server refuses',
      onEmpty(server, async (database) => {
        const role = await newRole(server, database, { password: 'known' })
        await server.ask(`ALTER ROLE ${role.role} PASSWORD 'other'`)
        expect(await through(role, { settings: { auth_type: 'trust' } })).to.match(
          /the server refuses (the password that PgBouncer has for this user|this user or password)\./,
        )
        await role.remove()
      }),
    )
  })

/** Also what other versions say. `isAway`: it is worth waiting. */
const SAID: ReadonlyArray<readonly [message: string, sentence: string | RegExp, isAway: boolean]> = [
  ['SASL authentication failed', USER_OR_PASSWORD, false],
  ['password authentication failed', USER_OR_PASSWORD, false],
  ['password authentication failed for user "ada"', SERVER_REFUSES, false],
  ['no such user: ada', UNKNOWN_USER, false],
  ['"trust" authentication failed', UNKNOWN_USER, false],
  ['no such database: auth', NO_DATABASE, false],
  ['database "auth" does not exist', NO_DATABASE, false],
  ['unsupported startup parameter: options', PARAMETER, false],
  ['unsupported startup parameter in options: work_mem', PARAMETER, false],
  ['no more connections allowed (max_client_conn)', FULL, true],
  ['query_wait_timeout', BUSY, true],
  ['server login has been failing, try again later (server_login_retry)', CANNOT_REACH, true],
  ['client_login_timeout (server down)', CANNOT_REACH, true],
  ['server closed the connection unexpectedly', CANNOT_REACH, true],
]

describe('what PgBouncer says', () => {
  for (const [message, sentence, away] of SAID)
    it(`${away ? 'may end by itself' : 'needs an operator'}: ${message}`, () => {
      const error = Object.assign(new pg.DatabaseError(message, 0, 'error'), { code: '08P01' })
      const known = poolerRefusalOf(error)?.sentence
      if (sentence === CANNOT_REACH) expect(known).to.equal(undefined)
      else expect(known).to.match(typeof sentence === 'string' ? new RegExp(escaped(sentence)) : sentence)
      expect(isAway(error)).to.equal(away)
    })
})

const escaped = (text: string): string => text.replace(/[().?$]/g, '\\$&')
